// a, b, c are patterns of the format at hand, |a| is a without its sign, `least` is the least normal number
// and F the number of fraction bits. Of f32, literals: least = 00800000, F = 23.
//
// Zeros are settled by integers: some drivers take x + 0 for x and x * 0 for 0, whatever modes are asked for.
#include "lower/guarded.h"

#include <bit>

#include "lower/float_rules.h"

namespace vyre::lower {
namespace {

using spec::FloatFormat;
using spec::Op;

/// The most, in half units, that a guess at a quotient or a root may be off. What it leaves over is then
/// below 2^31: at most 2 * 19 / 2 neighbours away (below a power of two they are half as far), each of them
/// weighing less than 2^25.
constexpr uint32_t kGuessHalfUlps = 19;

/// A result and a truth: whether it may be another than the right one.
struct Attempt {
  Value result{};
  Value doubt{};
};

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
//         2^-125,
//         // or so large that nothing cancelled. 2^-95, because its field is a power of two: then one test of
//         // a | b does for both.
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

// match:  fdiv(a, b)
// result: A, B: the significands; less = ult.raw(A, B); guess = fdiv.raw(A, B as numbers of [1, 2))
//         Q = guess + (less << F) - one half                   // a whole number near A << (F + less) / B
//         left = (A << (F + less)) - Q * B
//         size = guess + slt.raw(B, 2 left) - slt.raw(2 left, -B) + |a| - A - (|b| - B)
//         size | sign(a ^ b)
//         // guess is a number of (1/2, 2), Q its word as a whole number: neighbours are 1 apart. So far
//         below
//         // 1 or above 2 as a guess may be, Q is at most twice as far off, and `left` is what it is modulo
//         // 2^32. The right quotient Q + n, a number of [2^F, 2^(F + 1)), is that for which |2 (left - n B)|
//         // < B; n = 0, 1, -1 are tried. No tie: (2 Q + 1) B = A << (F + 1 + less) wants B to be a multiple
//         of
//         // 2^(F + 1), which it is below.
// right:  a, b and size are normal, |2 left| < 3 B
// then:   a is zero, and b neither zero nor NaN: a zero
Attempt quotient(Rewriter& r, FloatFormat f, const FloatOperands& x) {
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

// match:  fsqrt(a)
// result: t = (a + least) >> (F + 1)                           // a's exponent field and one, halved
//         m = a - (t << (F + 1)) + (bias + 1 << F)             // a number of [1, 4), times a power of 4 it
//         is a guess = fsqrt.raw(m); Q = guess - one half; odd = m >= 2 left = (m's significand << (F + odd))
//         - Q * Q guess + slt.raw(Q, left) - sle.raw(left, -Q) + (t << F) - ((bias + 1) / 2 << F)
//         // As for fdiv: Q + n is right where (Q + n)^2 - (Q + n) < N <= (Q + n)^2 + (Q + n), N = Q * Q +
//         left,
//         // and the root of a whole number is no half. So n = 0: -Q < left <= Q; n = 1: up to 3 Q + 2;
//         // n = -1: from 3 - 3 Q on.
// right:  a is positive and normal, 3 - 3 Q <= left <= 3 Q + 2
// then:   a is zero: a
Attempt root(Rewriter& r, FloatFormat f, const FloatOperands& x) {
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
// has
//         no room for are no half of a unit
//         // The product is exact in f64, where nothing is subnormal: products are multiples of 2^-298. The
//         // sum is rounded to f64, then to f32. Halves of units of f32 are numbers of f64, and rounding
//         keeps
//         // order: so only a sum that became such a half can be on the wrong side of it. Overflow begins at
//         // such a half too. One test of exponents does for all three, for it is of one bit.
// then:   product and c are zero: (a ^ b) & c; or each of a, b, c is normal or zero, and the rest of the
// above
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

Attempt first_attempt(Rewriter& r, const GuardedFormat& format, Op op, const FloatOperands& x) {
  if (op == Op::FAdd) return sum(r, format.narrow, RawOp::FAdd, x);
  if (op == Op::FSub) return sum(r, format.narrow, RawOp::FSub, x);
  if (op == Op::FMul) return product(r, format.narrow, x);
  if (op == Op::FDiv) return quotient(r, format.narrow, x);
  if (op == Op::FSqrt) return root(r, format.narrow, x);
  return mul_add(r, format, x);
}
/// Where the first one, which gave `first`, is in doubt.
Attempt second_attempt(Rewriter& r, const GuardedFormat& format, Op op, const FloatOperands& x, Value first) {
  if (op == Op::FMul) return product_of_zero(r, format.narrow, x);
  if (op == Op::FDiv) return quotient_of_zero(r, format.narrow, x);
  if (op == Op::FSqrt) return root_of_zero(r, format.narrow, x);
  if (op == Op::FMulAdd) return mul_add_of_others(r, format, x, first);
  return sum_of_zeros(r, format.narrow, op, x);
}

bool is_guess(const Promise& p) { return p.given && p.half_ulps <= kGuessHalfUlps; }

}  // namespace

uint32_t sum_threshold(FloatFormat f) { return std::bit_ceil(f.fraction_bits + 3); }

bool has_guarded_form(Op op, const FloatPromises& p) {
  const auto sound = [&](RawOp raw) { return rounds_right(p[raw]) && !p[raw].only_normal; };
  if (op == Op::FAdd) return sound(RawOp::FAdd);
  if (op == Op::FSub) return sound(RawOp::FSub);
  if (op == Op::FMul) return sound(RawOp::FMul);
  if (op == Op::FDiv) return is_guess(p[RawOp::FDiv]);
  if (op == Op::FSqrt) return is_guess(p[RawOp::FSqrt]);
  return op == Op::FMulAdd && sound(RawOp::FWideMulAdd) && sound(RawOp::FWideLow);
}

Value guarded(Rewriter& r, const GuardedFormat& format, Op op, const FloatOperands& x,
              const GuardedEnds& ends) {
  const Attempt first = first_attempt(r, format, op, x);
  const Variable out = r.variable("guarded");
  r.set(out[0], ends.narrowed(first.result));
  r.if_(first.doubt, [&] {
    const Attempt second = second_attempt(r, format, op, x, first.result);
    r.set(out[0], ends.narrowed(second.result));
    r.if_(second.doubt, [&] { r.set(out[0], ends.composed()); });
  });
  return r.get(out[0]);
}

}  // namespace vyre::lower
