// Sine, cosine and tangent: Payne and Hanek's reduction of the argument, in integers.
//
// x = m 2^q with an integer m of 24 bits. Of x * 2 / pi only what is left of multiples of 4 matters, quarter
// turns by the four, so of 2 / pi the bits before place q - 2 do not count, and 128 bits from there are
// enough: the product with m, modulo 2^128, has the quadrant in its two highest bits and the fraction in the
// others, to 2^-100. Source: M. Payne, R. Hanek: Radian reduction for trigonometric functions, SIGNUM
// Newsletter 18 (1983).
//
// How near a float comes to a multiple of pi / 2, which is how many leading zeros the fraction has, is not
// assumed: it is seen, and the radius says what is left. (The nearest of 24 bits leaves 30 zeros or so.)
#include "num/constants.h"
#include "num/estimates.h"

namespace vyre::num::estimate {
namespace {

struct Angle {
  uint32_t quadrant = 0;
  Ball rest;  // |rest| <= pi / 4, and a little
};

/// 128 bits of 2 / pi after the first `place` ones behind its point. Domain: -64 <= place < 128.
Wide two_over_pi_from(int32_t place) {
  const auto& words = constants().two_over_pi;
  const auto start = uint32_t(place + 64);
  const uint32_t word = start / 64, bit = start % 64;
  const Wide upper = Wide(words[word]) << 64 | words[word + 1];
  return bit == 0 ? upper : upper << bit | words[word + 2] >> (64 - bit);
}

Angle reduce(Operand x) {
  if (x.exponent < -1) return {0, x};  // below 1/2
  const uint64_t m = x.significand >> 40;
  const Wide product = two_over_pi_from(x.exponent - 23 - 2) * m;  // 2^-126 quarter turns, m units short
  const auto quadrant = uint32_t(product >> 126);
  Wide fraction = product << 2;  // 2^-128 quarter turns, 4 m < 2^26 units short
  const bool beyond_half = (fraction >> 127) != 0;
  if (beyond_half) fraction = 0 - fraction;
  const int32_t zeros = arithmetic::leading_zeros(fraction | 1);
  if (zeros >= 64) return {quadrant, {x.negative, 0, x.significand, kWide}};
  const uint64_t missing = zeros <= 38 ? 1 : uint64_t{1} << (zeros - 38);  // 2^(26 + zeros - 64)
  const Ball quarters{x.negative != beyond_half, -1 - zeros, uint64_t(fraction << zeros >> 64), missing + 1};
  return {(quadrant + uint32_t(beyond_half)) % 4, quarters * constants().half_pi_ball};
}

// Both series are alternating in z = y^2 <= (pi/4)^2 < 0.617, with nine terms after the first; the tenth is
// below 2^-68. A coefficient is cut by a unit of 2^-64 and a product by another, multiplied by z at each
// further step: 2 z / (1 - z) < 3.3 and 1 for the last product. z's own error counts with the derivative,
// below 1/2.
struct Square {
  uint64_t value = 0;  // units of 2^-64
  uint64_t error = 0;
};
Square square(Ball y) {
  const Fixed f = fixed(y);
  // (f + e)^2 - f^2 = 2 f e + e^2, f below 0.79: 1.6 e and less than a unit.
  const auto value = uint64_t(f.value);
  return {high(value, value), 2 * f.error + 2};
}

/// The reciprocal of a factorial, in units of 2^-64.
constexpr uint64_t reciprocal_factorial(uint32_t n) {
  uint64_t out = ~uint64_t{0};
  for (uint32_t i = 2; i <= n; ++i) out /= i;
  return out;
}
/// z / first! - z^2 / (first + 2)! + ... with nine terms, in units of 2^-64.
template <uint32_t first>
uint64_t alternating(uint64_t z) {
  uint64_t sum = reciprocal_factorial(first + 16);
#define VYRE_TERM(n) sum = reciprocal_factorial(first + n) - high(sum, z);
  VYRE_TERM(14)
  VYRE_TERM(12)
  VYRE_TERM(10)
  VYRE_TERM(8)
  VYRE_TERM(6)
  VYRE_TERM(4)
  VYRE_TERM(2)
  VYRE_TERM(0)
#undef VYRE_TERM
  return high(sum, z);
}

Ball sine(Ball y) {
  const Square z = square(y);
  return y * one_minus(alternating<3>(z.value), 6 + z.error);
}
Ball cosine(Ball y) {
  const Square z = square(y);
  return one_minus(alternating<2>(z.value), 6 + z.error);
}

}  // namespace

// The rest has the sign of x and the quadrant has not: with x negative it counts backwards. So what the
// quadrant makes of the function is worked out of |x|, and the sign of an odd one comes last.
Ball sin(Operand x) {
  Angle a = reduce({false, x.exponent, x.significand, 0});
  const Ball value = a.quadrant % 2 == 0 ? sine(a.rest) : cosine(a.rest);
  return negated(value, (a.quadrant >= 2) != x.negative);
}
Ball cos(Operand x) {
  Angle a = reduce({false, x.exponent, x.significand, 0});
  const Ball value = a.quadrant % 2 == 0 ? cosine(a.rest) : sine(a.rest);
  return negated(value, a.quadrant == 1 || a.quadrant == 2);
}
Ball tan(Operand x) {
  Angle a = reduce({false, x.exponent, x.significand, 0});
  const Ball s = sine(a.rest), c = cosine(a.rest);
  return negated(a.quadrant % 2 == 0 ? s / c : c / s, (a.quadrant % 2 == 1) != x.negative);
}

}  // namespace vyre::num::estimate
