#include "ref/small.h"

#include <algorithm>
#include <array>
#include <bit>

#include "spec/float_format.h"

namespace vyre::ref {
namespace {

using spec::DataType;

constexpr uint32_t kF32Sign = 0x8000'0000, kF32Infinity = 0x7f80'0000, kF32Nan = 0x7fc0'0000;

/// significand * 2^exponent as an f32, which has it.
constexpr uint32_t f32_bits(uint32_t significand, int32_t exponent) {
  if (significand == 0) return 0;
  const int32_t top = int32_t(std::bit_width(significand)) - 1;
  return uint32_t(top + exponent + 127) << 23 | (significand << (23 - top) & 0x007f'ffff);
}

/// The number of a pattern without a sign, as if all exponents were those of numbers, in halves of its last
/// place, so that what is added to it makes a middle.
constexpr uint32_t number(const spec::SmallFloat& f, uint32_t pattern, uint32_t halves) {
  const uint32_t field = pattern >> f.fraction_bits, fraction = pattern & ((1u << f.fraction_bits) - 1);
  const uint32_t significand = field == 0 ? fraction : fraction | 1u << f.fraction_bits;
  const int32_t exponent = int32_t(std::max(field, 1u)) - f.bias() - int32_t(f.fraction_bits);
  return f32_bits(2 * significand + halves, exponent - 1);
}

/// By pattern without a sign: its f32, and the middle between it and the next one.
struct Values {
  std::array<uint32_t, 128> value{}, middle{};
};
constexpr Values values_of(DataType type) {
  const spec::SmallFloat f = spec::small_float(type);
  Values out;
  for (uint32_t pattern = 0; pattern < f.sign(); ++pattern) {
    out.value[pattern] = number(f, pattern, 0);
    out.middle[pattern] = number(f, pattern, 1);
    if (pattern <= f.greatest) continue;
    out.value[pattern] = type == DataType::FP8E5M2 && pattern == f.beyond ? kF32Infinity : kF32Nan;
  }
  return out;
}
constexpr Values kE4M3 = values_of(DataType::FP8E4M3), kE5M2 = values_of(DataType::FP8E5M2),
                 kE2M1 = values_of(DataType::FP4E2M1);
const Values& values(DataType type) {
  return type == DataType::FP8E4M3 ? kE4M3 : type == DataType::FP8E5M2 ? kE5M2 : kE2M1;
}

}  // namespace

uint32_t f32_of_small(DataType from, uint32_t pattern) {
  const uint32_t sign = spec::small_float(from).sign();
  const uint32_t value = values(from).value[pattern & (sign - 1)];
  return value == kF32Nan || (pattern & sign) == 0 ? value : value | kF32Sign;
}

uint32_t small_of_f32(DataType to, uint32_t bits) {
  const spec::SmallFloat f = spec::small_float(to);
  const uint32_t magnitude = bits & ~kF32Sign;
  if (magnitude > kF32Infinity) return f.nan;
  // A middle goes to the even one of its neighbours.
  uint32_t pattern = 0;
  while (pattern <= f.greatest) {
    const uint32_t middle = values(to).middle[pattern];
    if (magnitude < middle || (magnitude == middle && pattern % 2 == 0)) break;
    ++pattern;
  }
  if (pattern > f.greatest) pattern = f.beyond;
  // The one NaN has no sign.
  return pattern == f.nan && f.has_nan() ? pattern : (bits & kF32Sign) != 0 ? pattern | f.sign() : pattern;
}

Bits cast_small(DataType from, DataType to, spec::RoundingMode mode, Bits value) {
  if (from == DataType::U8) return value;
  if (from == DataType::I8) return value < 0x80 ? value : value | 0xffff'ff00;
  if (spec::is_small(from)) return f32_of_small(from, uint32_t(value));
  if (to != DataType::I8 && to != DataType::U8) return small_of_f32(to, uint32_t(value));
  if (from != DataType::F32) return value & 0xff;
  const int32_t rounded = int32_t(eval_cast(DataType::F32, DataType::I32, mode, value));
  return to == DataType::I8 ? Bits(std::clamp(rounded, -128, 127)) & 0xff : Bits(std::clamp(rounded, 0, 255));
}

}  // namespace vyre::ref
