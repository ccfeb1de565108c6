// Powers: x^y = 2^(y log2|x|), with the sign that the parity of y gives.
//
// Two steps, one source. A step takes n words of fraction, two or four, and is a straight line:
//  - |x| = 2^e s, and s r = 1 + u with r near 1 / s of 12 bits from a list of sixteen; u is exact in a word,
//    |u| <= 2^-5. log2|x| = e - log2(r) + u (log2(1 + u) / u), of which the last quotient is a polynomial.
//    Where e and log2(r) are zero the logarithm is small, and u's leading zeros are taken off first.
//  - Its n leading words times the word y are y log2|x| = k + f, with 10 bits for k.
//  - 2^f = 2^(j / 8) 2^g 2^h: an entry of a list of eight, a polynomial in the word g, and, h being below
//    2^-35, as many terms of the series of exp as count.
// Then the digits are cut off at the format's last place. What follows them either decides, or it is so near
// to a half that digits further down would. Is it a half? No digits can tell, but algebra can (is_tie).
//
// How near to a half leaves the first step undecided is not its finest: each bit less is paid by twice as
// many second steps, of which there is one in 2^19.
//
// Bounds, for two and (four) words. Every word is cut off downwards. The polynomial of the logarithm, 0.71 or
// more, is right to 5 units of 2^-54, as its upper terms are one word (21 units of 2^-128). The logarithm is
// right to 2^-51.1 (2^-120.0) relatively, as where it is not small it is 0.0227 or more. So y log2|x|, below
// 151, is right to 2^-43.9 (2^-112.7), and the digits to 2^-44.4 (2^-113.2).
// docs/evidence/functions/powers.md has the sums.
//
// Source of the edges: IEEE 754-2019, 9.2.1.
#include "ops/float/soft_pow.h"

#include <array>

#include "ops/float/soft_pow_tables.h"
#include "ops/float/soft_words.h"
#include "spec/ops.h"

namespace vyre::ops {
namespace {

/// What differs between the steps.
struct Step {
  uint32_t words;
  Series logarithm, exponential;
  /// Digits are less than 2^-good off, counted from the binary point before them.
  uint32_t good;
};

constexpr Step kFirst = {
    .words = 2,
    .logarithm = {true, 2, powers::kLogTwoWide, powers::kLogTwoNarrow, powers::kLogTwoShift},
    .exponential = {false, 2, powers::kExpTwoWide, powers::kExpTwoNarrow, powers::kExpTwoShift},
    .good = 44,
};
constexpr Step kSecond = {
    .words = 4,
    .logarithm = {true, 4, powers::kLogFourWide, {}, 0},
    .exponential = {false, 4, powers::kExpFourWide, {}, 0},
    .good = 111,
};

using Lists = std::array<std::span<const uint32_t>, 4>;
constexpr Lists kLogs = {powers::kLog0, powers::kLog1, powers::kLog2, powers::kLog3};
constexpr Lists kRoots = {powers::kRoot0, powers::kRoot1, powers::kRoot2, powers::kRoot3};

Words pick(Composer& c, Ex index, const Lists& lists, uint32_t words) {
  const Ex bound = c.let("index", index);
  Words out;
  for (uint32_t k = 0; k < words; ++k) out.push_back(pick(c, bound, lists[k]));
  return out;
}

/// 0 or all ones.
Ex mask_of(Composer& c, Ex zero_or_one) { return c.let("mask", 0 - zero_or_one); }

/// A finite number that is not zero: word / 2^32 * 2^exponent, with word's leading bit at bit 31.
struct Operand {
  Ex magnitude, word, exponent;
};
Operand operand(Composer& c, Ex pattern) {
  const Ex magnitude = c.magnitude(pattern);
  const auto [scale, word] = c.normalise(c.unpack(magnitude, 31));
  return {magnitude, word, c.let("exponent", scale + uint32_t(2 - c.format.bias()))};
}

/// (-1)^negative * words * 2^exponent, with a leading bit at the top.
struct Logarithm {
  Words words;
  Ex negative, exponent;
};

Logarithm logarithm(Composer& c, const Operand& x, const Step& step) {
  // s in [31/32, 63/32]: i is s in sixteenths, rounded, and 32 is taken for 16.
  const Ex rounded = c.let("rounded", x.word + (1u << 26));
  const Ex halved = c.let("halved", rounded < 0x80000000u);
  const Ex index = c.let("index", (rounded >> 27) & 15);
  const Ex exponent = c.let("e", x.exponent - 1 + halved);
  const Ex small = c.let("small", (index == 0) & (exponent == 0));

  // u 2^36 is what the product is modulo 2^32.
  const Ex u = c.let("u", (x.word >> (halved + 7)) * pick(c, index, powers::kRatios));
  const Ex u_negative = c.let("negative", u >> 31);
  const Ex u_magnitude = c.let("magnitude", c.select(u_negative, 0 - u, u));
  const Ex zeros = c.let("zeros", c.leading_zeros(u_magnitude));
  const Words quotient = evaluate(c, step.logarithm, u ^ 0x80000000u);
  const Words product = multiply(c, quotient, c.select(small, u_magnitude << zeros, u_magnitude));

  // e + log2(1/r) + product / 8, in two's complement, with a word before the point; or the product alone.
  const auto [fraction, carry] =
      add(c, pick(c, index, kLogs, step.words), flip(c, shift_right(c, product, 3), mask_of(c, u_negative)));
  Words sum = {c.let("whole", exponent - u_negative + carry)};
  sum.insert(sum.end(), fraction.begin(), fraction.end());
  const Ex negative = c.let("negative", c.select(small, u_negative, sum[0] >> 31));
  Words small_sum = product;
  small_sum.push_back(c.word(0));
  sum = select(c, small, small_sum, flip(c, sum, mask_of(c, negative)));

  const Ex below_one = c.let("below_one", sum[0] == 0);
  Words next(sum.begin() + 1, sum.end());
  next.push_back(c.word(0));
  sum = select(c, below_one, next, sum);
  const Ex shift = c.let("shift", c.leading_zeros(sum[0]));
  sum = shift_left(c, sum, shift);
  sum.pop_back();
  const Ex places = c.select(small, uint32_t(-3) - zeros, c.select(below_one, c.word(0), c.word(32)));
  return {sum, negative, c.let("places", places - shift)};
}

/// words * 2^whole, words in [1/2, 1) or hardly less.
struct Power {
  Words words;
  Ex whole;
  Ex negative;   // 0 or 1: the exponent is
  Ex too_great;  // 0 or 1: the exponent is 512 or more either way, and the rest is void
};

Power power(Composer& c, const Operand& x, const Operand& y, Ex y_negative, const Step& step) {
  const uint32_t n = step.words;
  const Logarithm log = logarithm(c, x, step);
  const Ex negative = c.let("negative", log.negative ^ y_negative);
  const Ex places = c.let("places", 10 - log.exponent - y.exponent);
  const Words product = multiply(c, log.words, y.word);
  const Ex mask = mask_of(c, negative);
  const Words exponent = flip(c, shift_right(c, product, c.min(places, c.word(32 * n - 1))), mask);
  const Ex whole = c.let("whole", (exponent[0] >> 22) | (mask << 10));

  const Words f = shift_left(c, exponent, 10);
  Words rest = shift_left(c, f, 3);  // g and h
  const Words polynomial = evaluate(c, step.exponential, rest[0]);
  const Words root = pick(c, f[0] >> 29, kRoots, n);
  const Words first = shift_left(c, multiply(c, root, polynomial), 1);

  // 2^h - 1 is 2^-35 * (term 1 + 2^-35 * (term 2 + ...)) * h, h in units of 2^-35.
  rest.erase(rest.begin());
  const auto term = [&](uint32_t k, uint32_t words) {
    return literal(c, std::span(powers::kTail).subspan((k - 1) * 3, words));
  };
  Words tail = term(n - 1, 1);
  for (uint32_t words = 1; words < n; ++words) {
    const Words upper(rest.begin(), rest.begin() + words);
    tail = multiply(c, tail, upper);
    if (words + 1 < n) tail = add(c, term(n - 1 - words, words + 1), shift_right(c, tail, 3)).words;
  }
  const Words upper(first.begin(), first.end() - 1);
  const Words more = shift_right(c, multiply(c, tail, upper), 3);
  return {add(c, first, more).words, whole, negative, c.let("too_great", c.is_negative(places))};
}

/// What both operands are.
struct Arguments {
  Operand x, y;
  Ex x_negative, y_negative;  // 0 or 1
  /// How many bits y has after the point, in two's complement: none where y is odd, fewer than none where it
  /// is even, as infinity is.
  Ex after_point;
};
Arguments arguments(Composer& c, Ex a, Ex b) {
  const uint32_t sign = c.format.width() - 1;
  const Operand x = operand(c, a), y = operand(c, b);
  const Ex after_point = 32 - y.exponent - c.builder().apply(ir::Op::Ctz, {y.word});
  return {x, y, c.let("negative", a >> sign), c.let("negative", b >> sign),
          c.let("after_point", after_point)};
}

/// Digits cut off at the last place of the format.
struct Cut {
  Ex kept;     // a word
  Words rest;  // a fraction of the last place
  Ex lost;     // how many digits fewer than others a subnormal number has
};

/// Whether two's complement a is at most `most`. Domain: both small.
Ex is_at_most(Composer& c, Ex a, uint32_t most) { return c.is_negative(a - (most + 1)); }

/// Whether |x| is the eighth power of a number that is no power of two: 3^8, 5^8, 7^8 times a power of 2^8.
Ex is_eighth_power(Composer& c, const Operand& x) {
  const Ex zeros = c.let("zeros", c.builder().apply(ir::Op::Ctz, {x.word}));
  const Ex odd = c.let("odd", x.word >> zeros);
  const Ex exponent = x.exponent + zeros;  // and 32, of the odd number's unit
  return ((odd == 6561) | (odd == 390625) | (odd == 5764801)) & ((exponent & 7) == 0);
}

/// log2 of the greatest q for which is_tie's argument holds.
uint32_t log_of_roots(uint32_t precision, const Step& step) {
  const uint32_t w = precision + 1;
  uint32_t log_q = 2;
  for (; log_q > 0; --log_q) {
    const uint32_t part = ((1057 * w) << log_q) / 1000 + 1 + log_q;
    if (part + 3 <= step.good && part + 5 - w <= 32 * (step.words - 1)) break;
  }
  return log_q;
}

// Given that |x|^y is near to a half, the middle between two neighbours: is it one?
//
// Let |x| = m 2^E, m odd. A half is t 2^j, t odd below 2^w; w is the precision p and one, of subnormal
// results less. If |x|^y is one: m = 1, or y = n / 2^k > 0 in lowest terms, m is a 2^k-th power and m^y = t,
// so that y log2(m) < w. As 3^16 has more digits than any m, k <= 3. Conversely, "near" being within 2^(w-1)
// units of the last place times 2^-(good-1), and 3 * 2^-32 (2^-96) of one for what is cut off:
//  - m = 1 and less than a unit: E y is a multiple of 2^-23, as |y| > 1, so if it is within 2^-28 of an
//    integer it is one, and t = 1. No other half is a power of two.
//  - y = n / q for q = 1, 2 or 4, not in lowest terms perhaps, and y l < w, where l = floor(log2 m) and m's
//    fraction is log2(m) or less, by 5.7 % of l at most. x^n and (t 2^j)^q are integers times powers of
//    two, of which the integers are below 2^(1.057 w q) both. Were they different, their ratio would differ
//    from 1 by the inverse of that or more, |x|^y from the half by a part in 2^(1.057 w q + log2(q)) of it:
//    so w q has to be small enough for that to be more than near.
//  - k = 3: m is an eighth power, checked by list, and E a multiple of 8: |x|^y is t' 2^j' with t' below
//    2^(1.057 w).
Ex is_tie(Composer& c, const Arguments& a, const Cut& cut, const Step& step) {
  const uint32_t p = c.format.precision();
  const Ex half_of_least = (a.x.word == 0x80000000u) & (cut.kept == 0);
  // l in units of 2^-26, times y in units of 2^-21; |y| is in [1/8, 32), or not of the kind.
  const Ex zeros = c.builder().apply(ir::Op::Ctz, {a.x.word});
  const Ex length = ((31 - zeros) << 26) + ((a.x.word << 1) >> 6);
  const Ex shift = c.let("shift", 5 - a.y.exponent);
  const Ex few = (shift < 8) & ((c.high(a.y.word, length) >> shift) < (p + 1 - cut.lost) << 21);
  Ex root = is_at_most(c, a.after_point, log_of_roots(p, step));
  if (step.words > 2 && p > 12) root = root | ((a.after_point == 3) & is_eighth_power(c, a.x));
  return half_of_least | ((a.y_negative ^ 1) & few & root);
}

/// words * 2^-by, cut off after the format's precision. Domain: by at most 31.
Cut cut(Composer& c, const Words& words, Ex by) {
  const Ex lost = c.let("lost", by);
  const Words digits = shift_right(c, words, lost);
  Words rest = shift_left(c, digits, c.format.precision());
  rest.pop_back();
  return {c.let("kept", digits[0] >> c.spare()), rest, lost};
}

/// Whether a half is within the bound of `good` and what was cut off: two units of the last word of the rest.
Ex is_near_half(Composer& c, const Cut& cut, const Step& step) {
  const int32_t finest = int32_t(c.format.precision() + 32 * (step.words - 1)) - int32_t(step.good);
  const Ex bound = c.let("bound", (c.word(finest > 0 ? 1u << finest : 1u) >> cut.lost) + 2);
  const Words above = add(c, cut.rest, {bound}).words;  // in [1/2, 1/2 + twice the bound]
  const auto half = [&](size_t k) { return k == 0 ? 0x80000000u : 0u; };
  Ex near = above.back() - half(above.size() - 1) <= bound + bound;
  for (size_t k = 0; k + 1 < above.size(); ++k) near = near & (above[k] == half(k));
  return c.let("near", near);
}

struct Rounded {
  Ex magnitude;
  Ex undecided;  // 0 or 1
};
Rounded round(Composer& c, const Arguments& a, const Power& power, const Step& step) {
  const FloatFormat f = c.format;
  const Ex scale = c.let("scale", power.whole + uint32_t(f.bias() - 1));
  const Ex subnormal = c.let("subnormal", c.is_negative(scale));
  const Cut digits = cut(c, power.words, c.select(subnormal, c.min(0 - scale, c.word(31)), c.word(0)));
  const Ex near = is_near_half(c, digits, step);
  const Ex tie = c.let("tie", near & is_tie(c, a, digits, step));
  const Ex up = c.select(tie, digits.kept & 1, digits.rest[0] >> 31);
  const Ex biased = c.select(subnormal, c.word(0), c.min(scale, c.word(1u << f.exponent_bits)));
  const Ex magnitude = c.min((biased << f.fraction_bits) + digits.kept + up, c.word(f.infinity()));
  return {magnitude, c.let("undecided", near & (tie ^ 1))};
}

/// x^y and whether it is left open.
Ex soft_pow(Composer& c, std::span<const Ex> operands, const Step& step) {
  const FloatFormat f = c.format;
  const Arguments a = arguments(c, operands[0], operands[1]);
  const Power value = power(c, a.x, a.y, a.y_negative, step);
  const Rounded rounded = round(c, a, value, step);

  // The logarithms of zero and infinity come out negative and positive.
  const Ex infinity = c.word(f.infinity()), one = c.word(f.one());
  const Ex greatest = c.let("greatest", c.max(a.x.magnitude, a.y.magnitude));
  const Ex edge = c.let("edge", value.too_great | (a.x.magnitude == 0) | (greatest >= infinity));
  const Ex limit = c.select(value.negative, c.word(0), infinity);
  const Ex x_is_one = c.let("x_is_one", a.x.magnitude == one);
  const Ex magnitude = c.select(x_is_one, one, c.select(edge, limit, rounded.magnitude));
  const Ex negative = a.x_negative & (a.after_point == 0);
  const Ex number = magnitude | (negative << (f.width() - 1));

  const Ex no_integer = is_at_most(c, a.after_point, 0) ^ 1;
  const Ex x_is_finite = a.x.magnitude - 1 < f.infinity() - 1;  // and not zero
  const Ex is_nan = c.let("nan", (a.x_negative & no_integer & x_is_finite) | (greatest > infinity));
  const Ex is_one = c.let("is_one", (a.y.magnitude == 0) | (operands[0] == one));
  const Ex result = c.select(is_one, one, c.select(is_nan, c.word(f.nan()), number));
  const Ex certain = edge | x_is_one | is_nan | is_one;
  return c.builder().vec2u32(result, c.select(certain, c.word(0), rounded.undecided));
}

}  // namespace

PowerDigits power_digits(Composer& c, Ex x, Ex y, bool second) {
  const Step& step = second ? kSecond : kFirst;
  const Arguments a = arguments(c, x, y);
  const Power digits = power(c, a.x, a.y, a.y_negative, step);
  return {digits.words, digits.whole, digits.too_great, step.good};
}

Ex soft_pow(Composer& c, std::span<const Ex> x) { return soft_pow(c, x, kFirst); }
Ex soft_pow_wide(Composer& c, std::span<const Ex> x) { return soft_pow(c, x, kSecond); }

}  // namespace vyre::ops
