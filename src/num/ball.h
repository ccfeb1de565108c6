// Ball arithmetic (midpoint and radius) on significands of 64 bits.
//
// A ball is a significand of 64 bits, an exponent, and a radius in units of the significand's last place: the
// real number it stands for lies no further from its centre. Every operation here gives a ball that contains
// the result for all numbers in its operands; the argument stands at each, and they are all of the same kind:
// what a cut-off loses, a unit at most, is added to what the operands brought. So no function needs an error
// analysis as a whole: its bound is carried along and is there in the end, for each argument anew. Between
// balls, where a sum of terms wants no exponents, stand Fixed: integers in units of 2^-64 with their error.
//
// Domain everywhere: radii and errors below kWide. What has more is good for nothing and is said to be
// undecided (num/functions.cpp); operations keep it above.
#pragma once

#include <bit>
#include <cstdint>

#include "num/arithmetic.h"

namespace vyre::num {

using arithmetic::Wide;
__extension__ using SignedWide = __int128;

struct Ball {
  bool negative = false;
  int32_t exponent = 0;
  uint64_t significand = 0;  // the leading bit is set: (-1)^negative * significand * 2^(exponent - 63)
  uint64_t radius = 0;
};
inline constexpr uint64_t kWide = uint64_t{1} << 28;

/// value * 2^-64, the real number within `error` units.
struct Fixed {
  Wide value = 0;
  uint64_t error = 0;
};

/// The high half of a product: at most one unit too small.
constexpr uint64_t high(uint64_t a, uint64_t b) { return uint64_t(Wide(a) * b >> 64); }

/// Two radii above 2^28 and their product beside 2^64 would count; below, the product is less than a unit.
constexpr Ball operator*(Ball a, Ball b) {
  const Wide product = Wide(a.significand) * b.significand;  // 2^126 <= product < 2^128
  const uint32_t shift = uint32_t(product >> 127) ^ 1;
  // (a + s)(b + t) - ab = at + bs + st, in units of 2^64 at most t + s + 1; the cut is another unit.
  return {a.negative != b.negative, a.exponent + b.exponent + 1 - int32_t(shift),
          uint64_t(product >> (64 - shift)), (a.radius + b.radius + 2) << shift};
}

/// Of magnitudes and signs. (a + s) / (b - t) - a / b = (s + (a / b) t) / (b - t). In units of the quotient's
/// last place, where b is at least 2^63 and the quotient is below 2^64, that is less than 2 s + 2 t times b /
/// (b - t), which adds less than a unit while t is below 2^28; the cut is another.
constexpr Ball operator/(Ball a, Ball b) {
  const uint32_t shift = a.significand < b.significand ? 1 : 0;
  return {a.negative != b.negative, a.exponent - b.exponent - int32_t(shift),
          uint64_t((Wide(a.significand) << (63 + shift)) / b.significand), 2 * (a.radius + b.radius) + 2};
}

/// The magnitude in units of 2^-64. Domain: below 2^62.
constexpr Fixed fixed(Ball a) {
  const int32_t shift = a.exponent + 1;
  if (shift >= 0) return {Wide(a.significand) << shift, a.radius << shift};
  if (shift <= -64) return {0, 2};  // it and its radius are less than a unit each
  return {a.significand >> -shift, (a.radius >> -shift) + 2};
}

/// A Fixed as a ball. Domain: not zero; below 2^127.
constexpr Ball ball(bool negative, Fixed x) {
  const int32_t top = 127 - arithmetic::leading_zeros(x.value);  // 2^top <= value
  if (top <= 63) {
    return {negative, top - 64, uint64_t(x.value) << (63 - top), x.error << (63 - top)};
  }
  return {negative, top - 64, uint64_t(x.value >> (top - 63)), (x.error >> (top - 63)) + 2};
}

constexpr Ball negated(Ball x, bool yes = true) {
  x.negative = x.negative != yes;
  return x;
}

/// 1 - x as a ball, of a number in units of 2^-64. Domain: 0 <= x <= 1/2, exactly.
constexpr Ball one_minus(uint64_t x, uint64_t error) {
  return {false, -1, ~x, error + 1};  // one unit less than 1 - x, which of x = 0 would have a bit more
}

}  // namespace vyre::num
