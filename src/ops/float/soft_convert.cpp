// Casts: between formats, from integers, to integers.
#include <algorithm>

#include "ops/float/soft_compose.h"

namespace vyre::ops {

using spec::RoundingMode;

namespace {

int32_t least_exponent(FloatFormat f) { return f.min_exponent() - int32_t(f.fraction_bits); }

/// Formats with the same exponents: fractions grow by zeros, or lose bits with a carry into the exponent and,
/// at the end, into infinity.
Ex convert_fraction(Composer& c, FloatFormat from, Ex magnitude) {
  const FloatFormat to = c.format;
  if (to.fraction_bits >= from.fraction_bits) {
    return magnitude << (to.fraction_bits - from.fraction_bits);
  }
  const uint32_t gone = from.fraction_bits - to.fraction_bits;
  const Ex below_half = magnitude + ((1u << (gone - 1)) - 1);
  return (below_half + ((magnitude >> gone) & 1)) >> gone;
}

/// Formats with different exponents, of which a step is left out where no number of the one takes it in the
/// other.
Ex convert_number(Composer& c, FloatFormat from, Ex magnitude) {
  const FloatFormat to = c.format;
  Composer source(c.builder(), from);
  Composer::Unpacked u = source.unpack(magnitude, 31);
  // Subnormals that are at most half of the other's least number vanish without being normalised.
  const bool subnormals_count = from.min_exponent() > least_exponent(to) - 1;
  if (subnormals_count) u = source.normalise(u);
  u.scale = u.scale + uint32_t(to.bias() - from.bias());
  const bool may_underflow = least_exponent(from) < to.min_exponent();
  const bool may_overflow = from.max_exponent() >= to.max_exponent();
  const bool exact = !may_underflow && from.fraction_bits <= to.fraction_bits;
  if (may_underflow) u = c.denormalise(u);
  const Ex rounded =
      exact ? (u.scale << to.fraction_bits) + (u.significand >> c.spare()) : c.round(u, may_overflow);
  const Ex finite = subnormals_count ? c.select(magnitude == 0, c.word(0), rounded) : rounded;
  return c.select(magnitude >= from.infinity(), c.word(to.infinity()), finite);
}

}  // namespace

Ex soft_convert(Composer& c, FloatFormat from, Ex a) {
  const FloatFormat to = c.format;
  const Ex magnitude = c.let("magnitude", a & (from.sign_bit() - 1));
  const Ex sign = to.width() >= from.width() ? (a & from.sign_bit()) << (to.width() - from.width())
                                             : (a & from.sign_bit()) >> (from.width() - to.width());
  const Ex number = to.exponent_bits == from.exponent_bits ? convert_fraction(c, from, magnitude)
                                                           : convert_number(c, from, magnitude);
  return c.select(magnitude > from.infinity(), c.word(to.nan()), sign | number);
}

namespace {

/// A sign and a positive magnitude whose bit 31 stands for 2^exponent; sticky. Zero when `is_zero`.
Ex from_significand(Composer& c, Ex negative, Ex is_zero, uint32_t exponent, Ex zeros, Ex significand) {
  const FloatFormat f = c.format;
  const Ex scale = exponent + uint32_t(f.bias()) - 1 - zeros;
  const Ex rounded = c.round({scale, significand}, int32_t(exponent) >= f.max_exponent());
  const Ex magnitude = c.select(is_zero, c.word(0), rounded);
  return (negative << (f.width() - 1)) | magnitude;
}

}  // namespace

Ex soft_from_word(Composer& c, Ex negative, Ex magnitude) {
  const Ex zeros = c.let("zeros", c.leading_zeros(magnitude));
  return from_significand(c, negative, magnitude == 0, 31, zeros, magnitude << zeros);
}

// The high word of the two after a shift to the left, by 32 first where it is zero.
Ex soft_from_u64(Composer& c, Ex high, Ex low) {
  const Ex far = c.let("far", high == 0);
  const Ex leading = c.let("leading", c.select(far, low, high));
  const Ex below = c.let("below", c.select(far, c.word(0), low));
  const Ex zeros = c.let("zeros", c.leading_zeros(leading));
  const Ex up = (leading << zeros) | ((below >> 1) >> (zeros ^ 31)) | ((below << zeros) != 0);
  return from_significand(c, c.word(0), leading == 0, 63, zeros + (far << 5), up);
}

namespace {

/// The parts of a magnitude as an integer and what it leaves. Right for magnitudes below 2^32.
struct Integer {
  Ex whole;
  Ex rest;      // of the significand, below `half` twice
  Ex half;      // what a half is in it; has bits that count only where there may be a rest
  Ex overflow;  // 0 or 1: the magnitude is 2^width or more, or NaN
};

/// The significand with its leading bit at bit 31 is shifted right by as much as the exponent is below 31.
/// From 32 on the number is below one: one more place by a shift of its own puts a half where half is, and
/// two more make any number that is less, which is all that must be known of it. The significand's low 8
/// bits are zero, so nothing is lost by it, and `half` is far above bit 0 wherever there is a rest.
Integer to_integer(Composer& c, Ex magnitude, uint32_t width) {
  const FloatFormat f = c.format;
  const auto [scale, significand] = c.unpack(magnitude, 31);
  const Ex distance = c.let("distance", uint32_t(f.bias() + 30) - scale);
  const Ex by = c.min(distance, c.word(31));
  const Ex small = c.let("small", significand >> c.min(distance - by, c.word(2)));
  const Ex whole = c.let("whole", small >> by);
  const uint64_t limit = uint64_t(f.bias() + int32_t(width)) << f.fraction_bits;
  const auto first_beyond = uint32_t(std::min<uint64_t>(limit, f.infinity()));
  return {whole, c.let("rest", small ^ (whole << by)), c.word(0x80000000u) >> (32 - by),
          c.let("overflow", magnitude >= first_beyond)};
}

/// Whether the whole part is one more: 0 or 1. `negative`: so is the number.
Ex one_more(Composer& c, RoundingMode mode, const Integer& n, Ex negative) {
  switch (mode) {
    case RoundingMode::Nearest: return (n.rest | (n.whole & 1)) > n.half;
    case RoundingMode::Floor: return (n.rest != 0) & negative;
    case RoundingMode::Ceil: return (n.rest != 0) & (negative ^ 1);
    case RoundingMode::Trunc:
    case RoundingMode::None: return c.word(0);
  }
  return c.word(0);
}

}  // namespace

// Whatever is below zero is zero once it is saturated.
Ex soft_to_u32(Composer& c, RoundingMode mode, Ex a) {
  const FloatFormat f = c.format;
  const Ex magnitude = c.magnitude(a);
  const Integer n = to_integer(c, magnitude, 32);
  const Ex rounded = n.whole + one_more(c, mode, n, c.word(0));
  const Ex saturated = c.select(n.overflow, c.word(UINT32_MAX), rounded);
  const Ex is_zero = (magnitude > f.infinity()) | (a >> (f.width() - 1));
  return c.select(is_zero, c.word(0), saturated);
}

Ex soft_to_i32(Composer& c, RoundingMode mode, Ex a) {
  const FloatFormat f = c.format;
  const Ex magnitude = c.magnitude(a);
  const Ex negative = c.let("negative", a >> (f.width() - 1));
  const Integer n = to_integer(c, magnitude, 31);
  const Ex rounded = n.whole + one_more(c, mode, n, negative);
  const Ex mask = c.let("mask", 0 - negative);
  const Ex with_sign = (rounded ^ mask) + negative;
  const Ex saturated = c.select(n.overflow, 0x7fffffffu + negative, with_sign);
  return c.select(magnitude > f.infinity(), c.word(0), saturated);
}

}  // namespace vyre::ops
