// Values that arithmetic on floats goes wrong at, for any format, and rows of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "spec/float_format.h"

namespace vyre::num::test {

using spec::FloatFormat;

inline constexpr FloatFormat kSmall[] = {{2, 3}, {3, 2}, {4, 3}, {5, 2}};
inline constexpr FloatFormat kTypes[] = {spec::kBinary16, spec::kBFloat16, spec::kBinary32};
inline constexpr spec::RoundingMode kModes[] = {spec::RoundingMode::Trunc, spec::RoundingMode::Nearest,
                                                spec::RoundingMode::Floor, spec::RoundingMode::Ceil};

/// Both signs of: zero, the ends and the middle of the subnormal and of the normal numbers, powers of two
/// from one to where the format stops holding halves and integers, and to where products and roots leave it,
/// each with its neighbours; fractions of one bit, all bits and halves; infinity; NaNs, quiet and
/// signalling, with payloads. Some 150.
inline std::vector<uint32_t> directed(FloatFormat f) {
  const auto power = [&](int32_t exponent) {
    return uint32_t(std::clamp(exponent + f.bias(), 1, 2 * f.bias())) << f.fraction_bits;
  };
  const auto p = int32_t(f.precision());
  std::vector<uint32_t> out = {0,
                               1,
                               2,
                               3,
                               f.infinity(),
                               f.infinity() + 1,
                               f.nan(),
                               f.nan() + 1,
                               f.infinity() + f.fraction_mask(),
                               f.greatest(),
                               f.greatest() - 1};
  const int32_t exponents[] = {f.min_exponent(),
                               f.min_exponent() + 1,
                               f.min_exponent() + p,
                               f.min_exponent() / 2,
                               -p - 1,
                               -p,
                               -2,
                               -1,
                               0,
                               1,
                               2,
                               p - 2,
                               p - 1,
                               p,
                               p + 1,
                               f.max_exponent() / 2,
                               f.max_exponent() - p,
                               f.max_exponent()};
  for (const int32_t exponent : exponents) {
    const uint32_t x = power(exponent);
    out.insert(out.end(), {x - 1, x, x + 1, x + (1u << (f.fraction_bits - 1))});
  }
  for (uint32_t bit = 0; bit < f.fraction_bits; bit += 3) out.push_back(1u << bit);  // subnormals
  const size_t count = out.size();
  for (size_t i = 0; i < count; ++i) out.push_back(out[i] | f.sign_bit());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Three random operands; of four rows one is of patterns, one of near exponents (cancellation, ties), one
/// has few bits set in its fractions (ties, exact results), one is near the bottom of the range. The third
/// operand is then near the negative of the product, by exponents.
inline std::array<uint32_t, 3> random_row(FloatFormat f, RandomStream& random) {
  std::array<uint32_t, 3> row{};
  const uint32_t kind = random.below(4);
  const uint32_t field = random.below(f.infinity() >> f.fraction_bits);
  for (uint32_t& x : row) {
    const uint32_t sign = random.chance(2) ? f.sign_bit() : 0;
    uint32_t fraction = random.next() & f.fraction_mask();
    uint32_t exponent = field + random.below(5);
    if (kind == 2) fraction = (random.next() & 3u) << random.below(f.fraction_bits) & f.fraction_mask();
    if (kind == 3) exponent = random.below(f.precision() + 4);
    exponent = std::min(exponent, (f.infinity() >> f.fraction_bits) - 1);
    x = sign | exponent << f.fraction_bits | fraction;
    if (kind == 0) x = random.next() & f.mask();
  }
  if (kind != 0 && random.chance(2)) {
    const auto exponent_of = [&](uint32_t x) { return int32_t((x & f.infinity()) >> f.fraction_bits); };
    const int32_t near = exponent_of(row[0]) + exponent_of(row[1]) - f.bias() + int32_t(random.below(3)) - 1;
    const auto exponent = uint32_t(std::clamp(near, 0, 2 * f.bias()));
    row[2] = (row[2] & f.fraction_mask()) | exponent << f.fraction_bits | (~(row[0] ^ row[1]) & f.sign_bit());
  }
  return row;
}

}  // namespace vyre::num::test
