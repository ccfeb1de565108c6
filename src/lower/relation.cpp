#include "lower/relation.h"

#include <algorithm>
#include <optional>

#include "num/float.h"
#include "spec/float_format.h"
#include "spec/table.h"

namespace vyre::lower {
namespace {

using spec::FloatFormat;

/// What the words that go in and come out are: patterns of a format, or none.
struct Formats {
  std::optional<FloatFormat> in, out;
};
constexpr Formats kSingleFormats{spec::kBinary32, spec::kBinary32};
constexpr Formats kFromSingle{spec::kBinary32, std::nullopt};
constexpr Formats kToSingle{std::nullopt, spec::kBinary32};
constexpr spec::Row<RawOp, Formats> kFormatRows[] = {
    {RawOp::FAdd, kSingleFormats},
    {RawOp::FSub, kSingleFormats},
    {RawOp::FMul, kSingleFormats},
    {RawOp::FDiv, kSingleFormats},
    {RawOp::FMulAdd, kSingleFormats},
    {RawOp::FSqrt, kSingleFormats},
    {RawOp::FInverseSqrt, kSingleFormats},
    {RawOp::FFloor, kSingleFormats},
    {RawOp::FCeil, kSingleFormats},
    {RawOp::FRound, kSingleFormats},
    {RawOp::FTrunc, kSingleFormats},
    {RawOp::FEq, kFromSingle},
    {RawOp::FLt, kFromSingle},
    {RawOp::FLe, kFromSingle},
    {RawOp::FFromS32, kToSingle},
    {RawOp::FFromU32, kToSingle},
    {RawOp::FToS32, kFromSingle},
    {RawOp::FToU32, kFromSingle},
    {RawOp::FFromF16, {spec::kBinary16, spec::kBinary32}},
    {RawOp::FToF16, {spec::kBinary32, spec::kBinary16}},
    {RawOp::FFromBF16, {spec::kBFloat16, spec::kBinary32}},
    {RawOp::FToBF16, {spec::kBinary32, spec::kBFloat16}},
    {RawOp::FWideMulAdd, kSingleFormats},
    {RawOp::FWideLow, kFromSingle},
};
constexpr spec::TotalTable<kFormatRows, [](RawOp op) { return info(op).is_float && !is_wide(op); }> kFormats;

/// Bits of one random word, each used once.
class Coins {
 public:
  explicit Coins(uint32_t bits) : bits_(bits) {}
  bool flip() { return take(1) != 0; }
  uint32_t take(uint32_t count) {
    const uint32_t taken = bits_ & ((1u << count) - 1);
    bits_ >>= count;
    return taken;
  }

 private:
  uint32_t bits_;
};

/// Any NaN: quiet ones of both signs, signalling ones whose payload is nearly nothing, or all of it, or
/// noise.
Word any_nan(FloatFormat f, Coins& coins, uint32_t noise) {
  const Word sign = coins.flip() ? f.sign_bit() : 0;
  const Word fractions[] = {f.nan() & f.fraction_mask(), 1, f.fraction_mask(), noise & f.fraction_mask()};
  return sign | f.infinity() | std::max<Word>(fractions[coins.take(2)], 1);
}

/// A number some places away, by the pattern: up to (half_ulps + 1) / 2, for the exact result may be half a
/// unit from the nearest number; of those that end below a power of two, where numbers are half as far apart,
/// twice as many.
Word moved(FloatFormat f, Word result, uint32_t half_ulps, uint32_t noise) {
  const Word size = result & (f.sign_bit() - 1);
  if (size == 0 || size >= f.infinity()) return result;
  const int64_t reach = (half_ulps + 1) / 2;
  const int64_t below_power = std::max<int64_t>(0, reach - (size & f.fraction_mask()));
  const int64_t down = reach + below_power;
  const int64_t step = int64_t(noise % uint32_t(down + reach + 1)) - down;
  const int64_t to = std::clamp<int64_t>(int64_t(size) + step, 0, f.infinity());
  return (result & f.sign_bit()) | Word(to);
}

/// Whether a promise of normal numbers alone says anything here.
bool is_normal(FloatFormat f, Word a) {
  const Word size = a & (f.sign_bit() - 1);
  return f.least_normal() <= size && size <= f.greatest();
}
bool is_covered(RawOp op, const Formats& formats, const Word* operands, Word exact) {
  for (uint32_t n = 0; formats.in && n < info(op).operands; ++n) {
    if (!is_normal(*formats.in, operands[n])) return false;
  }
  if (formats.out && !is_normal(*formats.out, exact)) return false;
  if (op != RawOp::FDiv) return true;
  const FloatFormat f = *formats.in;
  return (operands[1] & (f.sign_bit() - 1)) <= f.infinity() - 2 * f.least_normal();
}

/// Any word, and those more often that something might take for an answer.
Word anything(FloatFormat f, Word result, Coins& coins, uint32_t noise) {
  const Word words[] = {noise, f.infinity(), 0, f.sign_bit(), f.nan(), f.one(), result + 1, ~result};
  return words[coins.take(3)] & f.mask();
}

}  // namespace

Word choose_result(RawOp op, const Promise& promise, const Word* operands,
                   const std::array<uint32_t, 4>& random) {
  const Formats formats = kFormats[op];
  Coins coins(random[0]);
  std::array<Word, 3> x{};
  for (uint32_t n = 0; n < info(op).operands; ++n) {
    const bool vanishes = promise.flushes_operands && coins.flip();
    x[n] = formats.in && vanishes ? num::flush(*formats.in, operands[n]) : operands[n];
  }
  Word result = apply_raw(op, x.data());
  if (op == RawOp::FMulAdd && !promise.fused && coins.flip()) {
    const Word sum[] = {num::mul(spec::kBinary32, x[0], x[1]), x[2]};
    result = apply_raw(RawOp::FAdd, sum);
  }
  if (promise.only_normal && !is_covered(op, formats, operands, apply_raw(op, operands))) {
    return formats.out ? anything(*formats.out, result, coins, random[1]) : coins.take(1);
  }
  if (op == RawOp::FWideLow && spec::kBinary32.is_nan(apply_raw(RawOp::FWideMulAdd, x.data()))) {
    return random[1];  // of a NaN no bit is promised
  }
  if (!formats.out) return result;
  const FloatFormat f = *formats.out;
  if (f.is_nan(result)) return any_nan(f, coins, random[1]);
  if (promise.half_ulps > 0) result = moved(f, result, promise.half_ulps, random[2]);
  // What was subnormal before it was rounded may be the least normal number now.
  const bool tiny = (result & (f.sign_bit() - 1)) <= f.least_normal();
  return promise.flushes_results && tiny && coins.flip() ? result & f.sign_bit() : result;
}

uint64_t choose_wide(RawOp op, const Promise& promise, const uint64_t* operands,
                     const std::array<uint32_t, 4>& random) {
  Coins coins(random[0]);
  const bool twice = op == RawOp::WideMulAdd && !promise.fused && coins.flip();
  const auto vanishes = [&](bool may, uint64_t word) {
    return may && num::flush(spec::kBinary32, Word(word)) != Word(word) && coins.flip();
  };
  if (op == RawOp::WideFrom && vanishes(promise.flushes_operands, operands[0])) {
    return (operands[0] & spec::kBinary32.sign_bit()) << 32;
  }
  const uint64_t sum[] = {twice ? apply_wide(RawOp::WideMul, operands) : 0, twice ? operands[2] : 0};
  const uint64_t result = twice ? apply_wide(RawOp::WideAdd, sum) : apply_wide(op, operands);
  if (op == RawOp::WideLow || op == RawOp::WideHigh) return result;
  if (op == RawOp::WideTo && vanishes(promise.flushes_results, result)) {
    return result & spec::kBinary32.sign_bit();
  }
  if (op == RawOp::WideTo) {
    return spec::kBinary32.is_nan(Word(result)) ? any_nan(spec::kBinary32, coins, random[1]) : result;
  }
  constexpr uint64_t kSign = uint64_t{1} << 63, kInfinity = uint64_t{0x7ff} << 52;
  if ((result & ~kSign) <= kInfinity) return result;
  const uint64_t payload = (uint64_t{random[1]} << 20 | random[2]) & ~(kSign | kInfinity);
  return (coins.flip() ? kSign : 0) | kInfinity | std::max<uint64_t>(payload, 1);
}

}  // namespace vyre::lower
