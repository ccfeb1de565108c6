// Multiplication, and multiplication with addition in one rounding.
#include "ops/float/soft_compose.h"

namespace vyre::ops {
namespace {

/// Two words of one number.
struct Wide {
  Ex high, low;
};

/// The product of two significands.
Wide product(Composer& c, Ex a, Ex b) { return {c.let("high", c.high(a, b)), c.let("low", a * b)}; }

/// The sign bit alone of what a and b are multiplied to.
Ex sign_of_product(Composer& c, Ex a, Ex b) { return c.let("sign", (a ^ b) & c.format.sign_bit()); }

/// The magnitudes of two factors, by size.
struct Factors {
  Ex least, greatest;
  /// NaN, or infinity times zero: the greatest exceeds infinity, or does once a zero is counted as one.
  Ex is_nan(uint32_t infinity) const { return greatest + (least == 0) > infinity; }
};

/// Upwards by `by` below 32; what stands below the high word is sticky.
Ex left_sticky(Composer& c, const Wide& a, Ex by) {
  const Ex amount = c.let("amount", by);
  const Ex from_low = (a.low >> 1) >> (amount ^ 31);
  return (a.high << amount) | from_low | ((a.low << amount) != 0);
}

}  // namespace

// Significands with leading bits at bit 31, or at 15 where two of them fit a word; their product's high word
// (or the word) has its leading bit at 31 or 30, of a subnormal factor lower.
//
// Two words: the high one is zero only when a factor is zero or both are subnormal. The latter product is far
// below the least subnormal number (soft_format), so whatever its digits are it rounds to zero by its scale.
Ex soft_mul(Composer& c, std::span<const Ex> x) {
  const FloatFormat f = c.format;
  const Ex a = x[0], b = x[1];
  const Ex a_magnitude = c.magnitude(a), b_magnitude = c.magnitude(b);
  const bool one_word = f.precision() <= 16;
  const uint32_t top = one_word ? 15 : 31;
  const auto [a_scale, a_significand] = c.unpack(a_magnitude, top);
  const auto [b_scale, b_significand] = c.unpack(b_magnitude, top);

  const auto normal = [&]() -> Composer::Unpacked {
    const Ex scale = a_scale + b_scale - uint32_t(f.bias() - 2);
    if (one_word) return c.normalise({scale, c.let("product", a_significand * b_significand)});
    const Wide wide = product(c, a_significand, b_significand);
    const Ex zeros = c.let("zeros", c.leading_zeros(wide.high));
    return {scale - zeros, left_sticky(c, wide, zeros)};
  }();
  const Ex rounded = c.round(c.denormalise(normal));

  const Factors factors = {c.min(a_magnitude, b_magnitude), c.max(a_magnitude, b_magnitude)};
  const Ex finite = c.select(factors.least == 0, c.word(0), rounded);
  const Ex magnitude = c.select(factors.greatest >= f.infinity(), c.word(f.infinity()), finite);
  return c.select(factors.is_nan(f.infinity()), c.word(f.nan()), sign_of_product(c, a, b) | magnitude);
}

namespace {

/// The magnitude of a sum of a product and an addend, exact but for a sticky bit, ready to be rounded.
struct Sum {
  Ex is_zero;
  Ex negated;     // 0 or 1: the sign is not that of `big`, but the other
  Ex is_product;  // 0 or 1: `big` is the product
  Composer::Unpacked rest;
};

/// What goes into it. All have leading bits at bit 30 (62) at most; those of a product at 30 (62) or 29 (61),
/// of a subnormal factor lower. Factors that are both subnormal have a scale below zero.
struct Terms {
  Ex product_scale;  // two's complement; 0 of a product that is zero
  Ex addend_scale;
  Ex differ;  // 0 or 1: the signs do
};

struct Alignment {
  Ex product_first;  // 0 or 1
  Ex distance;       // of the scales
  Ex room;           // the greater scale, and one
};
Alignment align(Composer& c, const Terms& t) {
  const Ex difference = c.let("difference", t.product_scale - t.addend_scale);
  const Ex product_first = c.let("product_first", c.is_negative(difference) ^ 1);
  const Ex distance = c.let("distance", c.select(product_first, difference, 0 - difference));
  return {product_first, distance,
          c.let("room", c.select(product_first, t.product_scale, t.addend_scale) + 1)};
}

// One word: precision at most 11, so a product has 22 bits, 9 and the sticky one below it.
//
// Nothing is lost where it matters. The addend is shifted out only when it stands 20 or more below the
// product's frame; the product then leads by 9 or more even with a subnormal factor (which lacks at most 10
// leading bits), and the sum still has 11 bits and one more above the sticky one. The product is shifted out
// only below an addend that either is normal and leads by 2, or has scale 0, where rounding happens at a
// fixed place.
Sum sum_of_words(Composer& c, const Terms& t, Ex product, Ex addend) {
  const Alignment at = align(c, t);
  const Ex big = c.let("big", c.select(at.product_first, product, addend));
  const Ex small = c.let("small", c.select(at.product_first, addend, product));
  const Ex aligned = c.let("aligned", c.right_sticky(small, c.min(at.distance, c.word(31))));
  const Ex sum = c.let("sum", c.select(t.differ, big - aligned, big + aligned));
  const Ex negated = c.let("negated", t.differ & (sum >> 31));
  const Ex magnitude = c.let("total", c.select(negated, 0 - sum, sum));
  const Ex up = c.min(c.leading_zeros(magnitude), at.room);
  return {c.let("is_zero", magnitude == 0), negated, at.product_first, {at.room - up, magnitude << up}};
}

/// a >> by in two words, sticky. Domain: by below 64.
Wide right_sticky(Composer& c, const Wide& a, Ex by) {
  const Ex far = c.let("far", by >= 32);
  const Ex high = c.let("near_high", c.select(far, c.word(0), a.high));
  const Ex low = c.let("near_low", c.select(far, a.high, a.low));
  const Ex gone = c.let("gone", c.select(far, a.low, c.word(0)));
  const Ex amount = c.let("amount", by & 31), opposite = c.let("opposite", amount ^ 31);
  const Ex lost = gone | ((low << 1) << opposite);
  const Ex kept = (low >> amount) | ((high << 1) << opposite);
  return {c.let("aligned_high", high >> amount), c.let("aligned_low", kept | (lost != 0))};
}

/// big + small, or big - small where `mask` is all ones. Domain: big.low is even.
Wide add(Composer& c, const Wide& big, const Wide& small, Ex mask) {
  const Ex addend = c.let("addend", small.low ^ mask);
  const Ex low = c.let("sum_low", (big.low | (mask & 1)) + addend);
  return {c.let("sum_high", big.high + (small.high ^ mask) + (low < addend)), low};
}

/// a, or -a where `mask` is all ones.
Wide negate(Composer& c, const Wide& a, Ex mask) {
  const Ex one = c.let("one", mask & 1);
  const Ex low = c.let("total_low", (a.low ^ mask) + one);
  return {c.let("total_high", (a.high ^ mask) + (low < one)), low};
}

// Two words: a product has 48 bits, 15 and the sticky one below it. As above; the addend is shifted out when
// it stands 39 or more below, where the product leads by 16 or more with 62 - 23 bits below its leading one.
Sum sum_of_pairs(Composer& c, const Terms& t, const Wide& product, Ex addend) {
  const Alignment at = align(c, t);
  const Wide big = {c.let("big_high", c.select(at.product_first, product.high, addend)),
                    c.let("big_low", c.select(at.product_first, product.low, c.word(0)))};
  const Wide small = {c.let("small_high", c.select(at.product_first, addend, product.high)),
                      c.let("small_low", c.select(at.product_first, c.word(0), product.low))};
  const Wide sum = add(c, big, right_sticky(c, small, c.min(at.distance, c.word(63))), 0 - t.differ);
  const Ex negated = c.let("negated", t.differ & (sum.high >> 31));
  const Wide total = negate(c, sum, c.let("negation", 0 - negated));

  const Ex short_of = c.let("short", total.high == 0);
  const Ex leading = c.let("leading", c.select(short_of, total.low, total.high));
  const Ex zeros = c.let("zeros", c.leading_zeros(leading) + (short_of << 5));
  const Ex up = c.min(zeros, at.room);
  const Ex far = c.let("far_up", up >= 32);
  const Wide moved = {c.let("up_high", c.select(far, total.low, total.high)),
                      c.let("up_low", c.select(far, c.word(0), total.low))};
  const Ex significand = left_sticky(c, moved, c.let("up_by", up & 31));
  return {c.let("is_zero", (total.high | total.low) == 0),
          negated,
          at.product_first,
          {at.room - up, significand}};
}

}  // namespace

// The greater scale of product and addend is the frame; the other is shifted to it, to the right. An addend's
// scale is never negative, so the frame's is not: results are only ever shifted to the left, as far as scale
// 0, and a product that is tiny is all sticky bit.
Ex soft_mul_add(Composer& c, std::span<const Ex> x) {
  const FloatFormat f = c.format;
  const Ex a = x[0], b = x[1], addend = x[2];
  const Ex a_magnitude = c.magnitude(a), b_magnitude = c.magnitude(b), magnitude = c.magnitude(addend);
  const Factors factors = {c.min(a_magnitude, b_magnitude), c.max(a_magnitude, b_magnitude)};
  const Ex sign = sign_of_product(c, a, b);
  const Ex addend_sign = c.let("addend_sign", addend & f.sign_bit());

  const bool one_word = f.precision() <= 11;
  const auto [a_scale, a_significand] = c.unpack(a_magnitude, one_word ? 15 : 31);
  const auto [b_scale, b_significand] = c.unpack(b_magnitude, one_word ? 14 : 30);
  const auto [scale, significand] = c.unpack(magnitude, 30);
  const Ex product_scale = a_scale + b_scale - uint32_t(f.bias() - 2);
  const Terms terms = {c.let("product_scale", c.select(factors.least == 0, c.word(0), product_scale)), scale,
                       c.let("differ", (sign ^ addend_sign) >> (f.width() - 1))};
  const Sum sum = one_word
                      ? sum_of_words(c, terms, c.let("product", a_significand * b_significand), significand)
                      : sum_of_pairs(c, terms, product(c, a_significand, b_significand), significand);
  const Ex rounded = c.round(sum.rest);

  const Ex big_sign = c.select(sum.is_product, sign, addend_sign);
  const Ex finite = (big_sign ^ (sum.negated << (f.width() - 1))) | rounded;
  const Ex with_zero = c.select(sum.is_zero, sign & addend_sign, finite);
  const Ex with_addend = c.select(magnitude >= f.infinity(), addend, with_zero);
  const Ex product_is_infinite = c.let("product_is_infinite", factors.greatest >= f.infinity());
  const Ex result = c.select(product_is_infinite, sign | f.infinity(), with_addend);
  const Ex opposite = product_is_infinite & terms.differ & (magnitude == f.infinity());
  const Ex is_nan = factors.is_nan(f.infinity()) | (magnitude > f.infinity()) | opposite;
  return c.select(is_nan, c.word(f.nan()), result);
}

}  // namespace vyre::ops
