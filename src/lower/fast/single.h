// The approximate forms: sin, cos, tan, exp, exp2, exp10, log, log2, log10 of f32 in f32, by sums and
// products alone.
//
// They take what they need from Cephes (Moshier, 1989: sinf.c, logf.c, log2f.c, log10f.c) and are good to a
// few ULP, not to the last bit: nothing here is put right. What they want of a target is that sums and
// products are rounded to nearest and keep subnormals; no f64, no fused multiply-add, no quotient. So they
// run where the fast forms do not (machine.h), and take a quarter of the instructions where those do. Bounds:
// spec/approximations.def; they were run against the oracle by test/sweep/approximate_sweep.
//
// A machine has what machine.h names for them.
#pragma once

#include "lower/fast/machine.h"

namespace vyre::lower::fast {

template <class M>
Word<M> pattern(Single<M> a) {
  return {a.m, a.v};
}
template <class M>
Single<M> number(Word<M> a) {
  return {a.m, a.v};
}

/// c[0] + x (c[1] + x (c[2] + ...)).
template <class M, size_t n>
Single<M> polynomial(Single<M> x, const float (&c)[n]) {
  Single<M> out = x * c[n - 1] + c[n - 2];
  for (size_t i = n - 2; i-- > 0;) out = out * x + c[i];
  return out;
}

/// What is added to bring a number's nearest integer, of at most 22 bits, into its last bits.
inline constexpr float kToShortInteger = 0x1.8p23f;
inline constexpr uint32_t kToShortIntegerBits = 0x4b400000;
/// 2^23, whose last bit weighs one.
inline constexpr uint32_t kOfShortCount = 0x4b000000;

// --- Exponentials: of a = n log(2) + r, |r| at most half of log(2), both to the base: base^r is a
// polynomial, and 2^n goes on in two factors, so that neither of them overflows and a subnormal result is
// rounded once.

struct ShortExponential {
  float inverse;            // of the logarithm of 2 to the base
  float high, low;          // that logarithm: few enough bits that n times them are exact, and the rest
  uint32_t infinite, zero;  // as Exponential has them
  float c[6];               // of base^r - 1, from r on
};

template <class M>
Word<M> short_exponential(Word<M> x, const ShortExponential& of) {
  const Word<M> size = magnitude(x), negative = x >> 31u;
  const Word<M> beyond = select(negative, of.zero, of.infinite) <= size;
  const Single<M> a = number(select(beyond, 0u, x));
  const Single<M> shifted = (of.inverse == 1 ? a : a * of.inverse) + kToShortInteger;
  const Single<M> n = shifted - kToShortInteger;
  Single<M> r = of.high == 1 ? a - n : a - n * of.high;
  if (of.low != 0) r = r - n * of.low;
  const Single<M> power = polynomial(r, of.c) * r + 1.0f;
  const Word<M> count = pattern(shifted) - kToShortIntegerBits;
  const Word<M> half = ashr(count, 1);
  const auto scale = [](Word<M> k) { return number((k + 127u) << 23u); };
  const Word<M> normal = pattern(power * scale(half) * scale(count - half));
  // A subnormal result is a count of 2^-149, which the last bits of 2^23 weigh.
  const Word<M> above_one = kOne <= pattern(power);
  const Word<M> tiny = (count + above_one + 125u) >> 31u;
  const Word<M> few = pattern(power * scale(select(tiny, count + 149u, 0u)) + 0x1p23f) - kOfShortCount;
  const Word<M> result = select(tiny, few, normal);
  return select(is_nan(size), kNaN, select(beyond, select(negative, 0u, kInfinity), result));
}

template <class M>
Word<M> short_exp(Word<M> x) {
  static constexpr ShortExponential of = {
      0x1.715476p0f,   0x1.62e4p-1f,
      0x1.7f7d1cp-20f, 0x42b17218,
      0x42cff1b5,      {1.0f, 0.5f, 0x1.5554dcp-3f, 0x1.555518p-5f, 0x1.120be2p-7f, 0x1.6d117cp-10f}};
  return short_exponential(x, of);
}
template <class M>
Word<M> short_exp2(Word<M> x) {
  static constexpr ShortExponential of = {
      1.0f,
      1.0f,
      0.0f,
      0x43000000,
      0x43160000,
      {0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6afecp-5f, 0x1.3b2a8p-7f, 0x1.5ec90cp-10f, 0x1.43e788p-13f}};
  return short_exponential(x, of);
}
template <class M>
Word<M> short_exp10(Word<M> x) {
  static constexpr ShortExponential of = {
      0x1.a934fp1f,
      0x1.344p-2f,
      0x1.3509f8p-18f,
      0x421a209b,
      0x42349e36,
      {0x1.26bb1cp1f, 0x1.53524cp1f, 0x1.046ffcp1f, 0x1.2bd72cp0f, 0x1.1527a8p-1f, 0x1.a91162p-3f}};
  return short_exponential(x, of);
}

// --- Logarithms: of x = 2^e (1 + f), 1 + f in [sqrt(1/2), sqrt(2)): log(1 + f) = f - f^2 / 2 + f^3 p(f).

template <class M>
struct ShortLogarithm {
  Single<M> e, f;
  Single<M> rest;  // of log(1 + f), without f
};
/// Domain: x is a positive number; of others, anything.
template <class M>
ShortLogarithm<M> short_logarithm(Word<M> x) {
  static constexpr float c[] = {3.3333331174e-1f,  -2.4999993993e-1f, 2.0000714765e-1f,
                                -1.6668057665e-1f, 1.4249322787e-1f,  -1.2420140846e-1f,
                                1.1676998740e-1f,  -1.1514610310e-1f, 7.0376836292e-2f};
  constexpr uint32_t kRootOfHalf = 0x3f3504f3;
  const Word<M> subnormal = x < kLeastNormal;
  const Word<M> normal = select(subnormal, pattern(number(x + kOfShortCount) - 0x1p23f), x);
  const Word<M> from_root = normal - kRootOfHalf;
  const Word<M> count = ashr(from_root, 23);
  const Single<M> f = number(normal - (count << 23u)) - 1.0f;
  const Single<M> exponent = number(count - select(subnormal, 149u, 0u) + kToShortIntegerBits);
  const Single<M> square = f * f;
  return {exponent - kToShortInteger, f, f * square * polynomial(f, c) - square * 0.5f};
}
/// The result, but at the edges of the domain.
template <class M>
Word<M> with_edges_of_logarithm(Word<M> x, Single<M> result) {
  const Word<M> edge = select(x << 1u == 0u, kInfinity | kSign, select(x == kInfinity, kInfinity, kNaN));
  return select(kInfinity - 1 <= x - 1u, edge, pattern(result));
}
template <class M>
Word<M> short_log(Word<M> x) {
  const auto [e, f, rest] = short_logarithm(x);
  return with_edges_of_logarithm(x, e * 0x1.63p-1f + (f + (rest - e * 2.12194440e-4f)));
}
template <class M>
Word<M> short_log2(Word<M> x) {
  constexpr float kMore = 0.44269504088896340736f;  // log2(e) less 1
  const auto [e, f, rest] = short_logarithm(x);
  return with_edges_of_logarithm(x, e + (f + (rest + (f * kMore + rest * kMore))));
}
template <class M>
Word<M> short_log10(Word<M> x) {
  constexpr float kHigh = 4.3359375e-1f, kLow = 7.00731903251827651129e-4f;        // log10(e)
  constexpr float kTwoHigh = 3.0078125e-1f, kTwoLow = 2.48745663981195213739e-4f;  // log10(2)
  const auto [e, f, rest] = short_logarithm(x);
  const Single<M> low = (rest * kLow + f * kLow) + e * kTwoLow;
  return with_edges_of_logarithm(x, ((low + rest * kHigh) + f * kHigh) + e * kTwoHigh);
}

// --- Angles: of |x| = n pi/2 + r. Where |x| is 2^13 or more, or r is so small that what pi/2 lacks would
// show, the caller takes the strict form: that is `hard`.

/// Below, sin x and tan x round to x.
inline constexpr uint32_t kShortTiny = 0x39800000;  // 2^-12

template <class M>
struct ShortAngle {
  Word<M> hard;
  Word<M> turns;           // n, modulo 4
  Single<M> sine, cosine;  // of r
};
template <class M>
ShortAngle<M> short_angle(Word<M> size) {
  constexpr uint32_t kLarge = 0x46000000, kSmall = 0x3a800000;  // 2^13, 2^-10
  const Word<M> large = kLarge <= size;
  const Single<M> a = number(select(large, 0u, size));
  const Single<M> shifted = a * 0x1.45f306p-1f + kToShortInteger;
  const Single<M> n = shifted - kToShortInteger;
  const Word<M> count = pattern(shifted) - kToShortIntegerBits;
  const Single<M> r = ((a - n * 0x1.92p0f) - n * 0x1.fb4p-12f) - n * 0x1.4442d2p-24f;
  const Word<M> small = (magnitude(pattern(r)) < kSmall) & (0u < count);
  const Single<M> z = r * r;
  const Single<M> sine = ((z * -1.9515295891e-4f + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * r + r;
  const Single<M> cosine =
      ((z * 2.443315711809948e-5f - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * (z * z) - z * 0.5f +
      1.0f;
  return {large | small, count & 3u, sine, cosine};
}
template <class M>
Word<M> sine_or_cosine(const ShortAngle<M>& angle, Word<M> turns) {
  const Word<M> result = select(turns & 1u, pattern(angle.cosine), pattern(angle.sine));
  return result ^ ((turns >> 1u) & 1u) << 31u;
}
/// strict(): the strict result, for what is hard.
template <class M, class Strict>
Word<M> short_sin(Word<M> x, Strict strict) {
  const ShortAngle<M> angle = short_angle(magnitude(x));
  const Word<M> result =
      select(magnitude(x) < kShortTiny, x, sine_or_cosine(angle, angle.turns) ^ (x & kSign));
  return x.m->where(angle.hard, std::array{result}, [&] { return std::array{strict()}; })[0];
}
template <class M, class Strict>
Word<M> short_cos(Word<M> x, Strict strict) {
  const ShortAngle<M> angle = short_angle(magnitude(x));
  const Word<M> result = sine_or_cosine(angle, angle.turns + 1u);
  return x.m->where(angle.hard, std::array{result}, [&] { return std::array{strict()}; })[0];
}
template <class M, class Strict>
Word<M> short_tan(Word<M> x, Strict strict) {
  const ShortAngle<M> angle = short_angle(magnitude(x));
  const Word<M> odd = angle.turns & 1u;
  const Word<M> above = select(odd, pattern(angle.cosine), pattern(angle.sine));
  const Single<M> below = number(select(odd, pattern(angle.sine), pattern(angle.cosine)));
  // 1 / below, from its pattern as an integer, which is nearly its logarithm; each of Newton's steps squares
  // the error.
  const Word<M> sign = pattern(below) & kSign;
  const Single<M> size = number(magnitude(pattern(below)));
  Single<M> inverse = number(0x7ef311c3u - pattern(size));
  for (int i = 0; i < 3; ++i) inverse = inverse * (2.0f - size * inverse);
  const Word<M> quotient = pattern(number(above) * inverse) ^ sign ^ (odd << 31u);
  const Word<M> result = select(magnitude(x) < kShortTiny, x, quotient ^ (x & kSign));
  return x.m->where(angle.hard, std::array{result}, [&] { return std::array{strict()}; })[0];
}

}  // namespace vyre::lower::fast
