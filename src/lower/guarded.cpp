// a, b, c are patterns of the format at hand, |a| is a without its sign, `least` is the least normal number
// and F the number of fraction bits. Of f32, literals: least = 00800000, F = 23.
//
// Zeros are settled by integers: some drivers take x + 0 for x and x * 0 for 0, whatever modes are asked for.
#include "lower/guarded.h"

#include <array>
#include <bit>
#include <vector>

#include "lower/float_rules.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spec::FloatFormat;
using spec::Op;

/// The most, in half units, that a guess at a quotient or a root may be off. What it leaves over is then
/// below 2^31: at most 2 * 19 / 2 neighbours away (below a power of two they are half as far), each of them
/// weighing less than 2^25.
constexpr uint32_t kGuessHalfUlps = 19;

}  // namespace

// The sign is shifted out, and of a zero all bits are borrowed.
Value is_below(Rewriter& r, FloatFormat f, Value a, int32_t exponent) {
  const uint32_t shift = 33 - f.width();
  const uint32_t least = uint32_t(exponent + f.bias()) << f.fraction_bits;
  return less(r, sub(r, left(r, a, shift), r.constant(1)), r.constant((least << shift) - 1));
}

namespace {

Value non_zero(Rewriter& r, Value a) { return r.raw(RawOp::Ne, {a, r.constant(0)}); }
/// 1 where lowest <= a <= highest is not so.
Value is_outside(Rewriter& r, Value a, uint32_t lowest, uint32_t highest) {
  return less(r, r.constant(highest - lowest), sub(r, a, r.constant(lowest)));
}
Value is_not_normal(Rewriter& r, FloatFormat f, Value size) {
  return is_outside(r, size, f.least_normal(), f.greatest());
}
/// The pattern of one half: what a significand, hidden bit and all, lacks to be a number of [1, 2).
constexpr uint32_t one_half(FloatFormat f) { return f.one() - f.least_normal(); }
Value significand(Rewriter& r, FloatFormat f, Value a) {
  return either(r, mask(r, a, f.fraction_mask()), r.constant(f.least_normal()));
}

// A target that flushes subnormals, on the way in and out, whenever it likes, but rounds right.
//
// match:  fadd, fsub(a, b)
// right:  |a| or |b| is at least 2^-95, NaN and infinity included
//         // A subnormal operand is below 2^-126. From 2^-101 on that is at most half of what the other's
//         // neighbours are away, so it rounds away, flushed or not; and a difference is a multiple of
//         // 2^-125, or so large that nothing cancelled. 2^-95, because its field is a power of two: then one
//         // test of a | b does for both.
// then:   both are zero: a & b, for fsub a & -b
Attempt sum(Rewriter& r, FloatFormat f, RawOp op, const FloatOperands& x) {
  const Value any = magnitude(r, f, either(r, x.a, x.b));
  return {r.raw(op, {x.a, x.b}), less(r, any, r.constant(sum_threshold(f) << f.fraction_bits))};
}
Attempt sum_of_zeros(Rewriter& r, FloatFormat f, Op op, const FloatOperands& x) {
  const Value any = magnitude(r, f, either(r, x.a, x.b));
  const Value b = op == Op::FAdd ? x.b : r.raw(RawOp::Xor, {x.b, r.constant(f.sign_bit())});
  return {both(r, x.a, b), non_zero(r, any)};
}

// match:  fmul(a, b)
// right:  2^-125 <= |result| <= infinity
//         // With a subnormal operand taken for zero, or a subnormal result, the result is zero or NaN.
// then:   a is zero, or b is, and both are finite: a zero
Attempt product(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  const Value result = r.raw(RawOp::FMul, {x.a, x.b});
  return {result, is_outside(r, magnitude(r, f, result), 2 * f.least_normal(), f.infinity())};
}
Value product_sign(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  return mask(r, r.raw(RawOp::Xor, {x.a, x.b}), f.sign_bit());
}
Attempt product_of_zero(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  const Value a = magnitude(r, f, x.a), b = magnitude(r, f, x.b);
  const Value infinite = either(r, is_outside(r, a, 0, f.greatest()), is_outside(r, b, 0, f.greatest()));
  return {product_sign(r, f, x), either(r, both(r, non_zero(r, a), non_zero(r, b)), infinite)};
}

/// How many digits a half leaves out: products of a half with what it leaves out, and of halves, are exact.
constexpr uint32_t dropped_digits(FloatFormat f) { return (f.precision() + 1) / 2; }
constexpr uint32_t half_mask(FloatFormat f) { return f.mask() & ~((1u << dropped_digits(f)) - 1); }
Value nearest_half(Rewriter& r, FloatFormat f, Value a) {
  return mask(r, add(r, a, r.constant(1u << (dropped_digits(f) - 1))), half_mask(f));
}

/// The middle half of all exponent fields begins here: 2^-64 of f32.
constexpr uint32_t middle(FloatFormat f) { return uint32_t(f.bias() - 1) / 2; }
/// Where the window of quotients begins. With it and a divisor whose square is of the middle half everything
/// on the way is normal: the rest is a multiple of 2^-(2 p - D - 2) of the divisor's and the quotient's
/// binades, p = precision, D = dropped_digits. Of f32 it begins at 2^-60, for divisors begin at 2^-32 and
/// digits are 34.
constexpr uint32_t window(FloatFormat f) {
  const uint32_t least_divisor = 1u << (f.exponent_bits - 3);
  return 1 + least_divisor + 2 * f.precision() - dropped_digits(f) - 2;
}
/// Windows are half of all fields wide: one bit of a difference tells whether a field is inside.
constexpr uint32_t window_bit(FloatFormat f) { return f.sign_bit() / 2; }
static_assert(middle(spec::kBinary32) == 127 - 64 && window(spec::kBinary32) == 127 - 60);
/// Has window_bit where a's exponent is outside of the window that begins at `field`.
Value from_window(Rewriter& r, FloatFormat f, Value a, uint32_t field) {
  return sub(r, a, r.constant(field << f.fraction_bits));
}
/// Whether forms by bounds hold: digits are enough for errors of second order, infinity is in no window, and
/// what is left of a root's operand is normal.
constexpr bool has_bounds(FloatFormat f) {
  const uint32_t fields = window_bit(f) / f.least_normal(), infinite = f.infinity() / f.least_normal();
  return f.precision() >= 7 && window(f) + fields <= infinite && middle(f) > f.fraction_bits;
}

/// A number that is between h + one bound and h + the other: right where both are rounded to the same number,
/// for rounding keeps order.
Attempt between_bounds(Rewriter& r, Value h, const std::array<Value, 2>& bounds) {
  const Value result = r.raw(RawOp::FAdd, {h, bounds[0]});
  return {result, r.raw(RawOp::Xor, {result, r.raw(RawOp::FAdd, {h, bounds[1]})})};
}
/// 1 - n units of 2^-precision, and 1 + n: patterns below that of 1 are a unit apart, those above two.
Value less_than_one(Rewriter& r, FloatFormat f, uint32_t n) { return r.constant(f.one() - n); }
Value more_than_one(Rewriter& r, FloatFormat f, uint32_t n) { return r.constant(f.one() + n / 2); }

// match:  fdiv(a, b), where sums and products are rounded right
// result: y = finverse_sqrt.raw(b * b), with the sign of b
//         h: a * y rounded to 12 digits; B: b cut to 12 digits
//         rest = (a - h * B) - h * (b - B); c = rest * y
//         h + c * (1 - 2^-21)                                   // all fadd.raw, fsub.raw, fmul.raw
//         // The products have 24 digits at most, and what is left of a has no more either: rest is a - h b,
//         // and a / b is h + rest / b. In units of 2^-24 of itself the inverse root is off by 4 at most,
//         // for a ULP is two at most; by 5 as the evaluator's adversary takes it, who counts from the
//         // nearest number. Half a unit comes from the square, one from each rounding of c and of a bound:
//         // 7.5, and 8 are provided for. c is below 2^-11 of h, so the bounds differ once in a thousand
//         // times.
// right:  h + c * (1 + 2^-21) is the same, and the exponents of b * b and of the result are in their windows
//         // Of NaN, infinity, zero or a subnormal a the result is none of the window.
// then:   a zero, as below; or by integers
constexpr uint32_t kInverseHalfUlps = 4;
/// How far off, in units of 2^-precision, a result is at most that is promised within so many halves of an
/// ULP: places from the nearest number (lower/relation.cpp, moved()), and half of one for that.
constexpr uint32_t units_of(uint32_t half_ulps) { return 2 * ((half_ulps + 1) / 2) + 1; }
constexpr uint32_t kQuotientUnits = 8;
static_assert(2 * kQuotientUnits >= 2 * units_of(kInverseHalfUlps) + 1 + 2 + 2);
struct QuotientOfHalves {
  Attempt sum;
  Value divisor_outside, outside;
};
QuotientOfHalves quotient_by_bounds(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  const auto raw = [&](RawOp op, Value a, Value b) { return r.raw(op, {a, b}); };
  const Value square = raw(RawOp::FMul, x.b, x.b);
  const Value y = raw(RawOp::Xor, r.raw(RawOp::FInverseSqrt, {square}), mask(r, x.b, f.sign_bit()));
  const Value h = nearest_half(r, f, raw(RawOp::FMul, x.a, y));
  const Value high = mask(r, x.b, half_mask(f));
  const Value low = raw(RawOp::FSub, x.b, high);
  const Value most = raw(RawOp::FSub, x.a, raw(RawOp::FMul, h, high));
  const Value rest = raw(RawOp::FSub, most, raw(RawOp::FMul, h, low));
  const Value c = raw(RawOp::FMul, rest, y);
  const Attempt sum = between_bounds(r, h,
                                     {raw(RawOp::FMul, c, less_than_one(r, f, kQuotientUnits)),
                                      raw(RawOp::FMul, c, more_than_one(r, f, kQuotientUnits))});
  return {sum, from_window(r, f, square, middle(f)), from_window(r, f, sum.result, window(f))};
}
Attempt quotient_of_halves(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  const QuotientOfHalves q = quotient_by_bounds(r, f, x);
  const Value outside = either(r, q.divisor_outside, q.outside);
  return {q.sum.result, either(r, q.sum.doubt, mask(r, outside, window_bit(f)))};
}
// In a line: a zero is divided at once, for there are many.
Attempt quotient_or_zero(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  const QuotientOfHalves q = quotient_by_bounds(r, f, x);
  const Value zero = is_zero(r, magnitude(r, f, x.a));
  const Value outside = either(r, q.divisor_outside, choose(r, zero, r.constant(0), q.outside));
  const Value differs = choose(r, zero, r.constant(0), q.sum.doubt);
  return {choose(r, zero, product_sign(r, f, x), q.sum.result),
          either(r, differs, mask(r, outside, window_bit(f)))};
}

// match:  fdiv(a, b)
// result: A, B: the significands; less = ult.raw(A, B); guess = fdiv.raw(A, B as numbers of [1, 2))
//         Q = guess + (less << F) - one half                    // a whole number near A << (F + less) / B
//         left = (A << (F + less)) - Q * B
//         size = guess + slt.raw(B, 2 left) - slt.raw(2 left, -B) + |a| - A - (|b| - B)
//         size | sign(a ^ b)
//         // guess is a number of (1/2, 2), Q its word as a whole number: neighbours are 1 apart. So far
//         // below 1 or above 2 as a guess may be, Q is at most twice as far off, and `left` is what it is
//         // modulo 2^32. The right quotient Q + n, a number of [2^F, 2^(F + 1)), is that for which
//         // |2 (left - n B)| < B; n = 0, 1, -1 are tried. No tie: (2 Q + 1) B = A << (F + 1 + less) wants B
//         // to be a multiple of 2^(F + 1), which it is below.
// right:  a, b and size are normal, |2 left| < 3 B
// then:   a is zero, and b neither zero nor NaN: a zero
Attempt quotient_by_integers(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  const Value half = r.constant(one_half(f));
  const Value a = significand(r, f, x.a), b = significand(r, f, x.b);
  const Value guess = r.raw(RawOp::FDiv, {add(r, a, half), add(r, b, half)});
  const Value smaller = less(r, a, b);
  const Value q = sub(r, add(r, guess, left(r, smaller, f.fraction_bits)), half);
  const Value shift = add(r, smaller, r.constant(f.fraction_bits));
  const Value rest = sub(r, r.raw(RawOp::Shl, {a, shift}), mul(r, q, b));
  const Value twice = add(r, rest, rest);
  const Value up = r.raw(RawOp::SLt, {b, twice});
  const Value down = right(r, add(r, twice, b), 31);
  const Value number = add(r, guess, sub(r, up, down));
  const Value size_a = magnitude(r, f, x.a), size_b = magnitude(r, f, x.b);
  const Value scale = sub(r, sub(r, size_a, a), sub(r, size_b, b));
  const Value size = add(r, number, scale);
  const Value far = less(r, mul(r, b, r.constant(6)), add(r, twice, mul(r, b, r.constant(3))));
  const Value odd_operand = either(r, is_not_normal(r, f, size_a), is_not_normal(r, f, size_b));
  const Value odd_result = either(r, is_not_normal(r, f, size), far);
  return {either(r, size, product_sign(r, f, x)), either(r, odd_operand, odd_result)};
}
Attempt quotient_of_zero(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  const Value wrong_b = is_outside(r, magnitude(r, f, x.b), 1, f.infinity());
  return {product_sign(r, f, x), either(r, non_zero(r, magnitude(r, f, x.a)), wrong_b)};
}

// match:  fsqrt(a), where sums and products are rounded right
// result: s = finverse_sqrt.raw(a); h: a * s rounded to 12 digits; rest = a - h * h
//         t = s * (1/2 - 10 / 2^25); e = rest * t; c = e + e * (e * t)
//         h + c                                                 // all fadd.raw, fsub.raw, fmul.raw
//         // The root is h + rest / (h + root). With d = (root - h) / root, at most 2^-12 and a
//         // little, rest is root^2 d (2 - d): so rest * s / 2 is root d (1 - d/2), its product with s / 2 is
//         // d/2 (1 - d/2), and c is root d (1 - d^2 / 2 + ...), but for 10 units of 2^-24 that it shall be
//         // below. It is off by half a unit for that, 5 for s as above, and 1 for each rounding of t, of e
//         // and of c: 8.5.
//         // Between c and c (1 + 20 / 2^24), which is rounded too, are 8.5 units on both sides.
// right:  h + c * (1 + 20 / 2^24) is the same, a is positive and its exponent in the middle half
// then:   a is zero: a; or by integers
constexpr uint32_t kRootUnits = 10;
static_assert(2 * kRootUnits >= 2 * units_of(kInverseHalfUlps) + 1 + 6 + 2);
Attempt root_of_halves(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  const auto raw = [&](RawOp op, Value a, Value b) { return r.raw(op, {a, b}); };
  const Value s = r.raw(RawOp::FInverseSqrt, {x.a});
  const Value h = nearest_half(r, f, raw(RawOp::FMul, x.a, s));
  const Value rest = raw(RawOp::FSub, x.a, raw(RawOp::FMul, h, h));
  const Value t = raw(RawOp::FMul, s, r.constant(f.one() - f.least_normal() - kRootUnits));
  const Value e = raw(RawOp::FMul, rest, t);
  const Value c = raw(RawOp::FAdd, e, raw(RawOp::FMul, e, raw(RawOp::FMul, e, t)));
  const Value above = raw(RawOp::FMul, c, more_than_one(r, f, 2 * kRootUnits));
  const Attempt sum = between_bounds(r, h, {c, above});
  const Value outside = mask(r, from_window(r, f, x.a, middle(f)), f.sign_bit() | window_bit(f));
  return {sum.result, either(r, sum.doubt, outside)};
}

// match:  fsqrt(a)
// result: t = (a + least) >> (F + 1)                           // a's exponent field and one, halved
//         m = a - (t << (F + 1)) + (bias + 1 << F)             // of [1, 4), times a power of 4 it is a
//         guess = fsqrt.raw(m); Q = guess - one half; odd = m >= 2
//         left = (m's significand << (F + odd)) - Q * Q
//         guess + slt.raw(Q, left) - sle.raw(left, -Q) + (t << F) - ((bias + 1) / 2 << F)
//         // As for fdiv: Q + n is right where (Q + n)^2 - (Q + n) < N <= (Q + n)^2 + (Q + n), and
//         // N = Q * Q + left; the root of a whole number is no half. So n = 0: -Q < left <= Q; n = 1: up to
//         // 3 Q + 2; n = -1: from 3 - 3 Q on.
// right:  a is positive and normal, 3 - 3 Q <= left <= 3 Q + 2
// then:   a is zero: a
Attempt root_by_integers(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  const uint32_t digits = f.fraction_bits, unit = uint32_t(f.bias() + 1) << digits;
  const Value t = right(r, add(r, x.a, r.constant(f.least_normal())), digits + 1);
  const Value m = add(r, sub(r, x.a, left(r, t, digits + 1)), r.constant(unit));
  const Value guess = r.raw(RawOp::FSqrt, {m});
  const Value odd = right(r, m, digits + f.exponent_bits - 1);
  const Value n = r.raw(RawOp::Shl, {significand(r, f, m), add(r, odd, r.constant(digits))});
  const Value q = sub(r, guess, r.constant(one_half(f)));
  const Value rest = sub(r, n, mul(r, q, q));
  const Value up = r.raw(RawOp::SLt, {q, rest});
  const Value down = r.raw(RawOp::SLt, {add(r, rest, q), r.constant(1)});
  const Value number = add(r, guess, sub(r, up, down));
  const Value scale = sub(r, left(r, t, digits), r.constant(unit / 2));
  const Value from_least = sub(r, add(r, rest, mul(r, q, r.constant(3))), r.constant(3));
  const Value far = r.raw(RawOp::ULe, {mul(r, q, r.constant(6)), from_least});
  return {add(r, number, scale), either(r, is_not_normal(r, f, x.a), far)};
}
Attempt root_of_zero(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  return {x.a, non_zero(r, magnitude(r, f, x.a))};
}

// match:  fmul_add(a, b, c)
// result: fwide_mul_add.raw(a, b, c)
// right:  |a|, |b|, |c| are in [2^-63, 2^65), |result| >= 2^-125, and the 29 bits of the wide sum that f32
//         has no room for are no half of a unit
//         // The product is exact in f64, where nothing is subnormal: products are multiples of 2^-298. The
//         // sum is rounded to f64, then to f32. Halves of units of f32 are numbers of f64, and rounding
//         // keeps order: so only a sum that became such a half can be on the wrong side of it. Overflow
//         // begins at such a half too. One test of exponents does for all three, for it is of one bit.
// then:   product and c are zero: (a ^ b) & c; or each of a, b, c is normal or zero, and the rest of
//         the above
Value is_half_of_a_unit(Rewriter& r, const GuardedFormat& format, const FloatOperands& x) {
  const uint32_t dropped = format.wide_fraction_bits - format.narrow.fraction_bits;
  const Value low = r.raw(RawOp::FWideLow, {x.a, x.b, x.c});
  return r.raw(RawOp::Eq, {mask(r, low, (1u << dropped) - 1), r.constant(1u << (dropped - 1))});
}
Attempt mul_add(Rewriter& r, const GuardedFormat& format, const FloatOperands& x) {
  const FloatFormat f = format.narrow;
  const Value result = r.raw(RawOp::FWideMulAdd, {x.a, x.b, x.c});
  const Value quarter = r.constant(f.sign_bit() / 4);
  const Value product = both(r, add(r, x.a, quarter), add(r, x.b, quarter));
  const Value moderate = mask(r, both(r, product, add(r, x.c, quarter)), f.sign_bit() / 2);
  const Value small = less(r, magnitude(r, f, result), r.constant(2 * f.least_normal()));
  const Value unsure = either(r, small, is_half_of_a_unit(r, format, x));
  return {result, either(r, is_zero(r, moderate), unsure)};
}
Attempt mul_add_of_others(Rewriter& r, const GuardedFormat& format, const FloatOperands& x, Value first) {
  const FloatFormat f = format.narrow;
  const auto odd = [&](Value a) {
    const Value size = magnitude(r, f, a);
    return both(r, non_zero(r, size), is_not_normal(r, f, size));
  };
  const Attempt zero = product_of_zero(r, f, x);
  const Value not_zero = either(r, zero.doubt, non_zero(r, magnitude(r, f, x.c)));
  const Value outside = is_outside(r, magnitude(r, f, first), 2 * f.least_normal(), f.infinity());
  const Value unsure = either(r, outside, is_half_of_a_unit(r, format, x));
  const Value doubt = either(r, either(r, odd(x.a), odd(x.b)), either(r, odd(x.c), unsure));
  return {choose(r, not_zero, first, both(r, zero.result, x.c)), both(r, not_zero, doubt)};
}

// match:  fmul_add(a, b, c), where the device's is promised to be fused
// result: fmul_add.raw(a, b, c)
// right:  none of a, b, c is subnormal, |result| >= 2^-125
//         // Then nothing was flushed on the way in, and on the way out neither.
// then:   product and c are zero: (a ^ b) & c
Attempt fused_mul_add(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  const Value result = r.raw(RawOp::FMulAdd, {x.a, x.b, x.c});
  const auto subnormal = [&](Value a) { return is_below(r, f, a, f.min_exponent()); };
  const Value small = less(r, magnitude(r, f, result), r.constant(2 * f.least_normal()));
  const Value odd = either(r, either(r, subnormal(x.a), subnormal(x.b)), either(r, subnormal(x.c), small));
  return {result, odd};
}
Attempt mul_add_of_zeros(Rewriter& r, FloatFormat f, const FloatOperands& x) {
  const auto some = [&](Value a) { return non_zero(r, magnitude(r, f, a)); };  // infinities were in no doubt
  return {both(r, product_sign(r, f, x), x.c), either(r, both(r, some(x.a), some(x.b)), some(x.c))};
}

bool sound(const Promise& p) { return rounds_right(p) && !p.only_normal; }
bool is_guess(const Promise& p, uint32_t half_ulps) { return p.given && p.half_ulps <= half_ulps; }
/// Whether the forms by bounds hold under these promises.
bool bounds(const FloatPromises& p) {
  const bool exact = sound(p[RawOp::FAdd]) && sound(p[RawOp::FSub]) && sound(p[RawOp::FMul]);
  return exact && is_guess(p[RawOp::FInverseSqrt], kInverseHalfUlps);
}

/// What is tried in turn, each where the one before it, which gave `before`, is in doubt.
using Attempts = std::vector<std::function<Attempt(Value before)>>;
Attempts attempts(Rewriter& r, const GuardedFormat& format, Op op, const FloatOperands& x) {
  const FloatFormat f = format.narrow;
  const auto with = [&r, f, &x](auto form) { return [&r, f, &x, form](Value) { return form(r, f, x); }; };
  const bool by_bounds = has_bounds(f) && bounds(r.target().floats);
  Attempts out;
  if (op == Op::FAdd || op == Op::FSub) {
    out.push_back(
        [&r, f, op, &x](Value) { return sum(r, f, op == Op::FAdd ? RawOp::FAdd : RawOp::FSub, x); });
    out.push_back([&r, f, op, &x](Value) { return sum_of_zeros(r, f, op, x); });
  } else if (op == Op::FMul) {
    out = {with(product), with(product_of_zero)};
  } else if (op == Op::FDiv && by_bounds) {
    out = {with(quotient_of_halves), with(quotient_of_zero), with(quotient_by_integers)};
  } else if (op == Op::FDiv) {
    out = {with(quotient_by_integers), with(quotient_of_zero)};
  } else if (op == Op::FSqrt && by_bounds) {
    out = {with(root_of_halves), with(root_of_zero), with(root_by_integers)};
  } else if (op == Op::FSqrt) {
    out = {with(root_by_integers), with(root_of_zero)};
  } else if (sound(r.target().floats[RawOp::FMulAdd])) {
    out = {with(fused_mul_add), with(mul_add_of_zeros)};
  } else {
    out.push_back([&](Value) { return mul_add(r, format, x); });
    out.push_back([&](Value before) { return mul_add_of_others(r, format, x, before); });
  }
  return out;
}

}  // namespace

uint32_t sum_threshold(FloatFormat f) { return std::bit_ceil(f.fraction_bits + 3); }

bool has_guarded_form(Op op, const FloatPromises& p) {
  if (op == Op::FAdd) return sound(p[RawOp::FAdd]);
  if (op == Op::FSub) return sound(p[RawOp::FSub]);
  if (op == Op::FMul) return sound(p[RawOp::FMul]);
  if (op == Op::FDiv) return is_guess(p[RawOp::FDiv], kGuessHalfUlps);
  if (op == Op::FSqrt) return is_guess(p[RawOp::FSqrt], kGuessHalfUlps);
  if (op != Op::FMulAdd) return false;
  return sound(p[RawOp::FMulAdd]) || (sound(p[RawOp::FWideMulAdd]) && sound(p[RawOp::FWideLow]));
}

bool has_line_form(Op op, FloatFormat f, const FloatPromises& p) {
  if (!has_guarded_form(op, p)) return false;
  return (op != Op::FDiv && op != Op::FSqrt) || (has_bounds(f) && bounds(p));
}

// A sum or a product is what the device says where no operand is subnormal and the exact result is none: the
// line knows that. What else can be wrong is the rest of the guarded form's test.
Attempt in_line(Rewriter& r, const GuardedFormat& format, Op op, const FloatOperands& x) {
  const FloatFormat f = format.narrow;
  if (op == Op::FAdd) return {r.raw(RawOp::FAdd, {x.a, x.b}), {}};
  if (op == Op::FSub) return {r.raw(RawOp::FSub, {x.a, x.b}), {}};
  if (op == Op::FMul) return {r.raw(RawOp::FMul, {x.a, x.b}), {}};
  if (op == Op::FDiv) return quotient_or_zero(r, f, x);
  if (op == Op::FSqrt) return root_of_halves(r, f, x);
  if (sound(r.target().floats[RawOp::FMulAdd])) return {r.raw(RawOp::FMulAdd, {x.a, x.b, x.c}), {}};
  return {r.raw(RawOp::FWideMulAdd, {x.a, x.b, x.c}), is_half_of_a_unit(r, format, x)};
}
bool doubts_itself(Op op, const FloatPromises& p) {
  return op == Op::FDiv || op == Op::FSqrt || (op == Op::FMulAdd && !sound(p[RawOp::FMulAdd]));
}

int32_t quotient_exponent(FloatFormat f) { return int32_t(window(f)) - f.bias(); }
int32_t root_operand_exponent(FloatFormat f) { return int32_t(middle(f)) - f.bias(); }

Value guarded(Rewriter& r, const GuardedFormat& format, Op op, const FloatOperands& x,
              const GuardedEnds& ends) {
  const Attempts all = attempts(r, format, op, x);
  const Variable out = r.variable("guarded");
  const std::function<void(size_t, Value)> try_from = [&](size_t n, Value before) {
    if (n == all.size()) return r.set(out[0], ends.composed());
    const Attempt attempt = all[n](before);
    r.set(out[0], ends.narrowed(attempt.result));
    r.if_(attempt.doubt, [&] { try_from(n + 1, attempt.result); });
  };
  try_from(0, {});
  return r.get(out[0]);
}

}  // namespace vyre::lower
