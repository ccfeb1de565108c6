// Words and wide values with C++'s operators, over any machine that applies raw operators.
//
// A fast form is written once, as a template over the machine. A machine that writes raw instructions makes
// it a part of a kernel (lower/fast_forms.cpp); one that computes at once makes it a function of the host,
// and so each form was run on all 2^32 inputs, in both of its variants (docs/evidence/functions/fast).
//
// A machine M has handles M::Word and M::Wide, constant(uint32_t) and wide(double), a member for each raw
// operator that is used here, under the name of its method below, and
//   fused()            whether wide_mul_add rounds once
//   flushes_operands() whether wide_from may take a subnormal for a zero
//   flushes_results()  whether wide_to may give a zero for a subnormal
//   where(c, words, body)  the words that body() gives where c is 1, else `words`
// The approximate forms (lower/fast/single.h) want fadd, fsub and fmul of words that are patterns of f32
// instead of all that is wide.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace vyre::lower::fast {

template <class M>
struct Word {
  M* m;
  typename M::Word v;
};
/// A float of 64 bits.
template <class M>
struct Wide {
  M* m;
  typename M::Wide v;
};

/// A float of 32 bits.
template <class M>
struct Single {
  M* m;
  typename M::Word v;
};

// Numbers as operands are constants of the machine.
template <class M>
Word<M> operand(M* m, uint32_t a) {
  return {m, m->constant(a)};
}
template <class M>
Word<M> operand(M* /*m*/, Word<M> a) {
  return a;
}
template <class M>
Wide<M> operand(M* m, double a) {
  return {m, m->wide(a)};
}
template <class M>
Wide<M> operand(M* /*m*/, Wide<M> a) {
  return a;
}

template <class M>
Single<M> operand(M* m, float a) {
  return {m, m->constant(std::bit_cast<uint32_t>(a))};
}
template <class M>
Single<M> operand(M* /*m*/, Single<M> a) {
  return a;
}

#define VYRE_FAST_OPERATOR(Type, Number, op, method) \
  template <class M>                                 \
  Type<M> operator op(Type<M> a, Type<M> b) {        \
    return {a.m, a.m->method(a.v, b.v)};             \
  }                                                  \
  template <class M>                                 \
  Type<M> operator op(Type<M> a, Number b) {         \
    return a op operand(a.m, b);                     \
  }                                                  \
  template <class M>                                 \
  Type<M> operator op(Number a, Type<M> b) {         \
    return operand(b.m, a) op b;                     \
  }
VYRE_FAST_OPERATOR(Word, uint32_t, +, add)
VYRE_FAST_OPERATOR(Word, uint32_t, -, sub)
VYRE_FAST_OPERATOR(Word, uint32_t, *, mul)
VYRE_FAST_OPERATOR(Word, uint32_t, &, bit_and)
VYRE_FAST_OPERATOR(Word, uint32_t, |, bit_or)
VYRE_FAST_OPERATOR(Word, uint32_t, ^, bit_xor)
VYRE_FAST_OPERATOR(Word, uint32_t, <<, shl)
VYRE_FAST_OPERATOR(Word, uint32_t, >>, lshr)
VYRE_FAST_OPERATOR(Word, uint32_t, ==, eq)  // comparisons are of unsigned words and give 0 or 1
VYRE_FAST_OPERATOR(Word, uint32_t, <, ult)
VYRE_FAST_OPERATOR(Word, uint32_t, <=, ule)
VYRE_FAST_OPERATOR(Wide, double, +, wide_add)
VYRE_FAST_OPERATOR(Wide, double, -, wide_sub)
VYRE_FAST_OPERATOR(Wide, double, *, wide_mul)
VYRE_FAST_OPERATOR(Single, float, +, fadd)
VYRE_FAST_OPERATOR(Single, float, -, fsub)
VYRE_FAST_OPERATOR(Single, float, *, fmul)
#undef VYRE_FAST_OPERATOR

template <class M>
Word<M> umul_hi(Word<M> a, Word<M> b) {
  return {a.m, a.m->umul_hi(a.v, b.v)};
}
template <class M>
Word<M> ashr(Word<M> a, uint32_t by) {
  return {a.m, a.m->ashr(a.v, a.m->constant(by))};
}
/// high << by, filled up from low. Domain: by < 32.
template <class M>
Word<M> shift_in(Word<M> high, Word<M> low, Word<M> by) {
  return (high << by) | ((low >> 1u) >> (31u - by));
}
/// Domain: a is not zero.
template <class M>
Word<M> clz(Word<M> a) {
  return {a.m, a.m->clz(a.v)};
}
/// Domain of the condition, here and below: 0 or 1.
template <class M, class A, class B>
Word<M> select(Word<M> condition, A a, B b) {
  M* m = condition.m;
  return {m, m->select(condition.v, operand(m, a).v, operand(m, b).v)};
}

template <class M, class A, class B>
Wide<M> wide_select(Word<M> condition, A a, B b) {
  M* m = condition.m;
  return {m, m->wide_select(condition.v, operand(m, a).v, operand(m, b).v)};
}
/// a * b + c, rounded once or twice, as the machine has it.
template <class M, class A, class B, class C>
Wide<M> mul_add(M* m, A a, B b, C c) {
  return {m, m->wide_mul_add(operand(m, a).v, operand(m, b).v, operand(m, c).v)};
}
template <class M, class B, class C>
Wide<M> mul_add(Wide<M> a, B b, C c) {
  return mul_add(a.m, a, b, c);
}
template <class M, class L, class H>
Wide<M> wide_of(M* m, L low, H high) {
  return {m, m->wide_of(operand(m, low).v, operand(m, high).v)};
}
template <class M>
Word<M> low(Wide<M> a) {
  return {a.m, a.m->wide_low(a.v)};
}
template <class M>
Word<M> high(Wide<M> a) {
  return {a.m, a.m->wide_high(a.v)};
}
/// Of the pattern of an f32; a subnormal may become zero.
template <class M>
Wide<M> widen(Word<M> a) {
  return {a.m, a.m->wide_from(a.v)};
}
/// The pattern of the nearest f32; a subnormal may become zero.
template <class M>
Word<M> narrow(Wide<M> a) {
  return {a.m, a.m->wide_to(a.v)};
}

// The patterns of f32 that every form needs.
inline constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7f800000, kNaN = 0x7fc00000, kOne = 0x3f800000;
inline constexpr uint32_t kLeastNormal = 0x00800000;
template <class M>
Word<M> magnitude(Word<M> x) {
  return x & ~kSign;
}
template <class M>
Word<M> is_nan(Word<M> magnitude) {
  return kInfinity < magnitude;
}

/// The number that a word counts: 2^52 + a, less 2^52.
template <class M>
Wide<M> from_count(Word<M> a) {
  return wide_of(a.m, a, 0x43300000u) - 0x1p52;
}
/// As widen, where subnormals matter. Domain: not negative.
template <class M>
Wide<M> widen_all(Word<M> a) {
  if (!a.m->flushes_operands()) return widen(a);
  return wide_select(a < kLeastNormal, from_count(a) * 0x1p-149, widen(a));
}
/// As narrow, where subnormals matter. Domain: not negative. A subnormal number is a count of 2^-149, which
/// the last bits of 3/2 * 2^(52 - 149) weigh.
template <class M>
Word<M> narrow_all(Wide<M> a) {
  if (!a.m->flushes_results()) return narrow(a);
  constexpr uint32_t kLeastNormalHigh = 0x38100000;
  return select(high(a) < kLeastNormalHigh, low(a + 0x1.8p-97), narrow(a));
}

/// a + 3/2 * 2^52 is a's nearest integer in its low word, modulo 2^32, and as a number when as much is taken
/// off.
inline constexpr double kToInteger = 0x1.8p52;

/// c[0] + x (c[1] + x (c[2] + ...)).
template <class M, size_t n>
Wide<M> polynomial(Wide<M> x, const double (&c)[n]) {
  Wide<M> out = mul_add(x, c[n - 1], c[n - 2]);
  for (size_t i = n - 2; i-- > 0;) out = mul_add(out, x, c[i]);
  return out;
}

/// An input whose value lies so near the middle of two numbers that a form rounds it the wrong way.
struct Exception {
  uint32_t at, is;
};
template <class M, class Exceptions>
Word<M> put_right(Word<M> x, Word<M> result, const Exceptions& exceptions) {
  for (const auto [at, is] : exceptions) result = select(x == at, is, result);
  return result;
}
/// Below, sin x, tan x, asin x and atan x round to x.
inline constexpr uint32_t kTiny = 0x39800000;  // 2^-12
/// The result, but a tiny x itself where conversions lose subnormals.
template <class M>
Word<M> keep_tiny(Word<M> x, Word<M> result) {
  if (!x.m->flushes_operands() && !x.m->flushes_results()) return result;
  return select(magnitude(x) < kTiny, x, result);
}
/// Whether a wide value is the middle of two numbers of f32, or the last before it. Domain: its f32 is
/// normal.
template <class M>
Word<M> is_middle(Wide<M> a) {
  return (low(a) << 3u) - 0x7ffffff8u <= operand(a.m, 8u);
}

}  // namespace vyre::lower::fast
