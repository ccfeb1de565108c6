// Division and square root: estimates from below, settled by an exact remainder.
//
// Fixed point: "Qn" is a word that counts 2^-n. high(Qm, Qn) is Q(m + n - 32), rounded down. Every step is
// arranged so that its rounding makes the estimate smaller, never greater; so the quotient (root) of p + 1
// bits that is cut off from it is the right one or one less, which the remainder tells. The error bounds
// stand with the steps.
#include "ops/float/soft_compose.h"

namespace vyre::ops {
namespace {

/// numerator / denominator in Q29. Domain: below 8.
constexpr uint32_t q29(uint64_t numerator, uint64_t denominator) {
  return uint32_t((numerator << 29) / denominator);
}

// 1 / d in Q31, for d in [1/2, 1) in Q32; at most the true value, relative error below 2^-13 or 2^-26.
//
// The first estimate is the parabola with the least relative error, 1/99: d times it is 1 - T3(4 d - 3) / -99
// with Chebyshev's T3. A step r' = r (2 - d r) squares the error e and never exceeds 1 / d. In it ~t is below
// 2^32 - t, so that cutting t off does not push r' up; what is lost is below 2^-30 twice.
Ex reciprocal(Composer& c, Ex d, uint32_t steps) {
  const Ex line = c.let("line", q29(64, 11) - c.high(d, c.word(q29(256, 99))));
  Ex r = c.let("estimate", (q29(140, 33) - c.high(d, line)) << 2);
  for (uint32_t i = 0; i < steps; ++i) {
    const Ex t = c.high(d, r);
    r = c.let("estimate", c.high(r, ~t) << 1);
  }
  return r;
}

// 1 / sqrt(x) in Q29, for x in [1/4, 1) in Q32; at most the true value but for the first estimate, relative
// error below 2^-13.6.
//
// The first estimate is the cubic with the least relative error, 0.00704 (by Remez' exchange). The step
// y' = y (3 - x y^2) / 2 makes 3/2 e^2 of the error e and never exceeds 1 / sqrt(x).
Ex reciprocal_root(Composer& c, Ex x) {
  // 3.1123742 - x (5.9109044 - x (6.2299425 - 2.4384530 x)), in Q29
  const Ex inner = c.let("inner", 3344674922u - c.high(x, c.word(1309134479u)));
  const Ex line = c.let("line", 3173392633u - c.high(x, inner));
  const Ex y = c.let("estimate", (1670943177u - c.high(x, line)) << 1);  // Q30
  const Ex square = c.let("square", c.high(y, y));                       // Q28
  const Ex rest = ((3u << 28) - 2 - c.high(x, square)) << 2;             // Q30; less two for what was cut off
  return c.let("estimate", c.high(y, rest));                             // Q28 of twice as much
}

/// A number of p + 1 bits and whether something is left, as round() wants it.
Ex with_sticky(Composer& c, Ex digits, Ex more) { return (digits << (c.spare() - 1)) | more; }

/// significand * 2^(places) modulo 2^32. Domain: where places is negative, as many low bits are zero.
Ex scaled(Ex significand, int32_t places) {
  return places < 0 ? significand >> uint32_t(-places) : significand << uint32_t(places);
}

}  // namespace

// q = A / B, or 2 A / B where A < B, is in [1, 2); its p + 1 bits are estimated with an error below
// 2^(p+1) * 2^-26 + 2^-6 < 1 (or 2^-13 where p is at most 11). The remainder of p + 1 bits fits a word, so it
// is computed modulo 2^32.
Ex soft_div(Composer& c, std::span<const Ex> x) {
  const FloatFormat f = c.format;
  const int32_t p = int32_t(f.precision());
  const Ex a = x[0], b = x[1];
  const Ex a_magnitude = c.magnitude(a), b_magnitude = c.magnitude(b);
  const auto [a_scale, dividend] = c.normalise(c.unpack(a_magnitude, 31));
  const auto [b_scale, divisor] = c.normalise(c.unpack(b_magnitude, 31));
  const Ex less = c.let("less", dividend < divisor);

  const Ex estimate = c.high(dividend, reciprocal(c, divisor, p <= 11 ? 1 : 2));  // Q31 of A / B
  const Ex digits = c.let("digits", estimate >> (uint32_t(31 - p) - less));
  const Ex unit = c.let("unit", divisor >> c.spare());
  const Ex remainder = c.let("remainder", (scaled(dividend, p - int32_t(c.spare())) << less) - digits * unit);
  const Ex quotient = digits + (remainder >= unit);
  const Ex more = (remainder != 0) & (remainder != unit);
  const Ex scale = a_scale - b_scale - less + uint32_t(f.bias() - 1);
  const Ex rounded = c.round(c.denormalise({scale, with_sticky(c, quotient, more)}));

  const Ex infinity = c.word(f.infinity());
  const Ex finite = c.select((a_magnitude == 0) | (b_magnitude >= f.infinity()), c.word(0), rounded);
  const Ex to_infinity = (b_magnitude == 0) | (a_magnitude >= f.infinity());
  const Ex magnitude = c.select(to_infinity, infinity, finite);
  // 0 / 0 and infinity / infinity: equal magnitudes that are 0 or, less one, at least infinity less one.
  const Ex edge = (a_magnitude == b_magnitude) & (a_magnitude - 1 >= f.infinity() - 1);
  const Ex is_nan = edge | (c.max(a_magnitude, b_magnitude) > f.infinity());
  return c.select(is_nan, c.word(f.nan()), ((a ^ b) & f.sign_bit()) | magnitude);
}

// The significand is doubled where the exponent is odd: X in [1/4, 1) in Q32, of which the root is in
// [1/2, 1). s = X y has the relative error e of y, below 2^-13.6; where that is not enough for p + 1 bits,
// s + (X - s^2) y / 2 has 3/2 e^2 < 2^-26. Its last bits may be too great by what s^2 in Q30 lacks, two at
// most, which are taken off. N - Q^2 is at most 2 Q for the right Q; one less leaves 2 Q + 1 or more.
Ex soft_sqrt(Composer& c, std::span<const Ex> operands) {
  const FloatFormat f = c.format;
  const int32_t p = int32_t(f.precision());
  const Ex a = operands[0];
  const Ex magnitude = c.magnitude(a);
  const auto [scale, significand] = c.normalise(c.unpack(magnitude, 31));
  // The bias is odd, so an odd scale is an odd power of two.
  const Ex x = c.let("x", significand >> ((scale & 1) ^ 1));
  const Ex y = c.let("y", reciprocal_root(c, x) << 2);  // Q31
  Ex root = c.let("root", c.high(x, y));                // Q31
  if (p > 11) {
    const Ex residue = ((x >> 2) - c.high(root, root)) << 1;  // Q31
    root = root + c.high(residue, y) - 2;
  }
  const Ex digits = c.let("digits", root >> uint32_t(30 - p));
  const Ex remainder = c.let("remainder", scaled(x, 2 * p - 30) - digits * digits);
  const Ex twice = c.let("twice", digits + digits);
  const Ex up = c.let("up", remainder > twice);
  const Ex more = (remainder != 0) & (remainder != twice + 1);
  // floor((exponent - bias) / 2) + bias - 1; 64 keeps the exponents of subnormals from going below zero
  const Ex half = ((scale + uint32_t(1 + f.bias() + 128)) >> 1) - 65;
  Composer::Unpacked result = {half, with_sticky(c, digits + up, more)};
  if (f.bias() <= int32_t(f.fraction_bits)) result = c.denormalise(result);
  const Ex rounded = c.round(result, false);

  const Ex finite = c.select(magnitude == 0, a, rounded);
  const Ex positive = c.select(a == f.infinity(), a, finite);
  const Ex is_nan = (magnitude != 0) & (a > f.infinity());  // the negative ones, too
  return c.select(is_nan, c.word(f.nan()), positive);
}

}  // namespace vyre::ops
