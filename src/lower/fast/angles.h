// sin, cos, tan of f32 in f64: of |x| less the nearest multiple of pi (cos: odd multiple of pi / 2; tan:
// multiple of pi / 2), the angle r, which is kept as a sum of two numbers.
//
// Below 2^20 the multiple n has at most 20 bits. pi is p1 + p2 + p3, of 33, 33 and 53 bits, so n p1 and n p2
// are exact, and so is |x| - n p1; what rounding |x| - n p1 - n p2 leaves is exact again and goes into the
// low part with n p3. From 2^20 on, in a branch, the fraction of x / pi is taken from 128 bits of 1 / pi by
// integers.
//
// sin r is an odd polynomial of relative error 2^-61 on [-pi/2, pi/2], so that neither sin nor cos has to
// choose between two. tan r is r (1 + z p(z)) / (1 + z q(z)), z = r^2, relative error 2^-62, or -1 over that.
#pragma once

#include "lower/fast/machine.h"
#include "lower/fast/quotient.h"

namespace vyre::lower::fast {

/// What angles are reduced by.
struct Period {
  double inverse, p1, p2, p3;
  uint32_t halvings;  // pi / 2^halvings
  bool odd_half;      // to odd multiples of its half, instead of multiples
};
inline constexpr Period kPi = {
    0x1.45f306dc9c883p-2, 0x1.921fb544p1, 0x1.0b4611a6p-33, 0x1.3198a2e037073p-68, 0, false};
inline constexpr Period kPiFromHalf = {kPi.inverse, kPi.p1, kPi.p2, kPi.p3, 0, true};
inline constexpr Period kHalfPi = {kPi.inverse * 2, kPi.p1 / 2, kPi.p2 / 2, kPi.p3 / 2, 1, false};

template <class M>
struct Reduced {
  Wide<M> high, low;
  Word<M> odd;  // of the multiple; with odd_half, of the one after it
};

/// 1 / pi in Q28, and as many words after it as any exponent needs.
inline constexpr uint32_t kInversePi[] = {0x0517cc1b, 0x727220a9, 0x4fe13abe, 0x8fa9a6ee,
                                          0x06db14ac, 0xc9e21c82, 0x0ff28b1d, 0x5ef5de2b};
/// 128 bits of them, from the one `places` to the right of the first. Domain: places < 128.
template <class M>
std::array<Word<M>, 4> window(Word<M> places) {
  M* m = places.m;
  const Word<M> first = places >> 5, shift = places & 31u;
  std::array<Word<M>, 5> words;
  for (uint32_t i = 0; i < 5; ++i) {
    words[i] = operand(m, kInversePi[i]);
    for (uint32_t n = 1; n < 4; ++n) words[i] = select(first == n, kInversePi[i + n], words[i]);
  }
  std::array<Word<M>, 4> out;
  for (uint32_t i = 0; i < 4; ++i) out[i] = shift_in(words[i], words[i + 1], shift);
  return out;
}

/// x / pi, or x / pi + 1/2, or 2 x / pi, modulo 2; the first bit weighs 1. Off by less than 2^-94.
/// Domain: 2^20 <= size.
template <class M>
std::array<Word<M>, 3> turns(Word<M> size, const Period& of) {
  constexpr uint32_t kOfTwentieth = 147;  // the field of 2^20
  const Word<M> significand = (size & (kLeastNormal - 1)) | kLeastNormal;
  const auto [a, b, c, d] = window((size >> 23u) - (kOfTwentieth - of.halvings));
  const Word<M> c_low = c * significand, third = c_low + umul_hi(d, significand);
  const Word<M> b_low = b * significand, second = b_low + (umul_hi(c, significand) + (third < c_low));
  const Word<M> first = a * significand + (umul_hi(b, significand) + (second < b_low));
  return {of.odd_half ? first + 0x40000000u : first, second, third};
}

/// The words of Reduced: low and high of `high`, of `low`, and odd. Domain: 2^20 <= size.
///
/// Turns less the nearest integer are a fraction in [-1/2, 1/2), whose first bit weighs -1/2. None of them
/// begins with 31 equal bits, as running all inputs shows, so 64 bits from its leading one on are right to
/// 2^-62; they times pi are the angle. A negative fraction is taken for its complement, which is the last
/// bit's weight off.
template <class M>
std::array<Word<M>, 5> reduce_large(Word<M> size, const Period& of) {
  M* m = size.m;
  const auto [first, second, third] = turns(size, of);
  const Word<M> negative = (first >> 30u) & 1u, complement = 0u - negative;
  const Word<M> odd = (first >> 31u) ^ negative;
  const Word<M> a = shift_in(first, second, operand(m, 1u)) ^ complement;
  const Word<M> b = shift_in(second, third, operand(m, 1u)) ^ complement;
  const Word<M> c = (third << 1u) ^ complement;
  const Word<M> zeros = clz(a | 1u);
  const Wide<M> count = from_count(shift_in(a, b, zeros));
  const Wide<M> rest = wide_of(m, shift_in(b, c, zeros), 0x41300000u) - 0x1p20;  // as a fraction of one
  const Wide<M> head = count * 0x1.921fbp1;                                      // of 21 bits: exact
  const Wide<M> tail = mul_add(count, 0x1.5110b4611a626p-21, rest * 0x1.921fb54442d18p1);
  const Wide<M> sum = head + tail;
  const Wide<M> scale = wide_of(m, 0u, (1023u - 32u - of.halvings - zeros) << 20u);
  const Wide<M> angle = sum * scale, left = (tail - (sum - head)) * scale;
  const Word<M> sign = negative << 31u;
  return {low(angle), high(angle) ^ sign, low(left), high(left) ^ sign, odd};
}

template <class M>
Reduced<M> reduce(Word<M> size, const Period& of) {
  constexpr uint32_t kTwentieth = 0x49800000;
  M* m = size.m;
  const Wide<M> x = widen(size);
  const Wide<M> shifted =
      of.odd_half ? mul_add(x, of.inverse, 0.5) + kToInteger : mul_add(x, of.inverse, kToInteger);
  const Wide<M> integer = shifted - kToInteger;
  const Wide<M> n = of.odd_half ? integer - 0.5 : integer;
  const Wide<M> first = mul_add(n, -of.p1, x);
  const Wide<M> second = n * of.p2;
  const Wide<M> angle = first - second;
  const Wide<M> left = mul_add(n, -of.p3, (first - angle) - second);
  const std::array words = {low(angle), high(angle), low(left), high(left), low(shifted) & 1u};
  const auto [al, ah, ll, lh, odd] =
      m->where(kTwentieth <= size, words, [&] { return reduce_large(size, of); });
  return {wide_of(m, al, ah), wide_of(m, ll, lh), odd};
}

/// sin(high + low) or, where odd, less than zero by as much. The low part counts cos(r) times, about 1 -
/// 0.39 z. The last digits are those with which no sine is an exception.
template <class M>
Word<M> sine(const Reduced<M>& angle) {
  static constexpr double c[] = {-0x1.555555555555fp-3,  0x1.1111111111125p-7,   -0x1.a01a01a014eb7p-13,
                                 0x1.71de3a52aacbep-19,  -0x1.ae6454d968ce3p-26, 0x1.6123ce53aa479p-33,
                                 -0x1.ae43dd5090616p-41, 0x1.883c30bac11ffp-49};
  const Wide<M> r = angle.high, z = r * r;
  const Wide<M> tail = mul_add(r * z, polynomial(z, c), angle.low * mul_add(z, -0.39, 1.0));
  return narrow(r + tail) ^ (angle.odd << 31u);
}

template <class M>
Word<M> sin(Word<M> x) {
  const Word<M> size = magnitude(x);
  const Word<M> result = sine(reduce(size, kPi)) ^ (x & kSign);
  return select(kInfinity <= size, kNaN, keep_tiny(x, result));
}
template <class M>
Word<M> cos(Word<M> x) {
  static constexpr Exception exceptions[] = {
      {0x5922aa80, 0x3f08aebf}, {0x5f18b878, 0x3f7f14bb}, {0x6115cb11, 0x3f78142f}, {0x7908cd73, 0x3f798bb5}};
  const Word<M> size = magnitude(x);
  const Word<M> result = put_right(size, sine(reduce(size, kPiFromHalf)), exceptions);
  return select(kInfinity <= size, kNaN, result);
}

// Numerator and denominator are 1 + d and r + n, or the other way round, each then a number and what rounding
// left. The low part of the angle counts (1 + tan^2 r) (1 + z q(z)) times, about 1 + 0.72 z.
template <class M>
Word<M> tan(Word<M> x) {
  static constexpr double p[] = {-0x1.1127ced94dbb5p-3, 0x1.c0cc846dddfbp-9, -0x1.2b702ff86ed1cp-16};
  static constexpr double q[] = {-0x1.dde93cc1fc33p-2, 0x1.a46cf6ba7449dp-6, -0x1.46d15d76f29cbp-12,
                                 0x1.0b1c6ee26a261p-21};
  const Word<M> size = magnitude(x);
  const Reduced<M> angle = reduce(size, kHalfPi);
  const Wide<M> r = angle.high, z = r * r;
  const Wide<M> n = mul_add(r * z, polynomial(z, p), angle.low * mul_add(z, 0.72, 1.0));
  const Wide<M> d = z * polynomial(z, q);
  const Wide<M> one = operand(x.m, 1.0);
  const Wide<M> minus = negative_quotient(wide_select(angle.odd, one, r), wide_select(angle.odd, d, n),
                                          wide_select(angle.odd, r, one), wide_select(angle.odd, n, d));
  const Word<M> result = narrow(minus) ^ ((angle.odd ^ 1u) << 31u);
  return select(kInfinity <= size, kNaN, select(size < kTiny, x, result ^ (x & kSign)));
}

}  // namespace vyre::lower::fast
