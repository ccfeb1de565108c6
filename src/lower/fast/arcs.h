// atan, asin, acos of f32 in f64.
//
// atan a, a = |x|, is atan t + 0, pi/4 or pi/2 with t = a, (a - 1) / (a + 1) or -1 / a, so that |t| <=
// tan(pi/8). asin a is asin t with t = a up to 1/2, and pi/2 - 2 asin t with t = sqrt((1 - a) / 2) beyond, so
// that t <= 1/2. Where the result is near 0, nothing is added to t but a small term; 1 - a is exact, and so
// acos is right near 1.
#pragma once

#include "lower/fast/angles.h"

namespace vyre::lower::fast {

inline constexpr double kQuarterTurn = 0x1.921fb54442d18p0;  // pi / 2, and what it lacks, as a share of it:
inline constexpr double kQuarterTurnLacks = 0x1.678afae35cdd1p-55;

template <class M>
Word<M> atan(Word<M> x) {
  static constexpr double c[] = {-0x1.5555555555555p-2, 0x1.9999999999815p-3,  -0x1.2492492481cb9p-3,
                                 0x1.c71c71bca8866p-4,  -0x1.745d1567ee976p-4, 0x1.3b137c20cbacdp-4,
                                 -0x1.110d2ed968dacp-4, 0x1.e17f36a18054p-5,   -0x1.abcc0e19b45f3p-5,
                                 0x1.7215bbf5b189ap-5,  -0x1.14bb282f37d62p-5, 0x1.fb7745345b315p-7};
  static constexpr Exception exceptions[] = {{0x3d8d6b23, 0x3d8d31c3}};
  M* m = x.m;
  const Word<M> size = magnitude(x);
  const Wide<M> a = widen(size);
  const Word<M> small = size < 0x3ed413cdu, large = 0x401a827au <= size;  // tan(pi/8), tan(3 pi/8)
  const Wide<M> minus_n = wide_select(small, 0.0 - a, wide_select(large, 1.0, 1.0 - a));
  const Wide<M> d = wide_select(small, 1.0, wide_select(large, a, 1.0 + a));
  const Word<M> base_high = select(small, 0u, select(large, 0x3ff921fbu, 0x3fe921fbu));
  const Wide<M> base = wide_of(m, select(small, 0u, 0x54442d18u), base_high);
  const Wide<M> r = negative_reciprocal(d);
  const Wide<M> head = cut(minus_n * r);
  const Wide<M> rest = mul_add(head, d, minus_n) * r;
  const Wide<M> t = head + rest, z = t * t;
  const Wide<M> tail = mul_add(t * z, polynomial(z, c), mul_add(base, kQuarterTurnLacks, rest));
  const Word<M> finite = put_right(size, narrow(base + (head + tail)), exceptions);
  const Word<M> result = select(size == kInfinity, 0x3fc90fdbu, finite);
  return select(is_nan(size), kNaN, select(size < kTiny, x, result ^ (x & kSign)));
}

/// What asin and acos have in common: asin t.
template <class M>
struct Arc {
  Word<M> small;  // t is |x|
  Wide<M> angle;
};
template <class M>
Arc<M> arc(Word<M> size) {
  static constexpr double c[] = {0x1.5555555555555p-3,  0x1.33333333334b8p-4, 0x1.6db6db6d9654cp-5,
                                 0x1.f1c71c85ed4a1p-6,  0x1.6e8b9f6713decp-6, 0x1.1c4f265ba4bcdp-6,
                                 0x1.c98b913036391p-7,  0x1.7b398f2a661dcp-7, 0x1.39adf837f793ep-7,
                                 0x1.39bb9ce6010c3p-7,  0x1.1927dfeda6ac9p-9, 0x1.622dd15012138p-6,
                                 -0x1.689b26f12d5aep-6, 0x1.0018f0228d4bdp-5};
  const Wide<M> a = widen(size);
  const Word<M> small = size < 0x3f000000u;
  const Wide<M> half = mul_add(a, -0.5, 0.5);
  const Wide<M> z = wide_select(small, a * a, half);
  const Wide<M> t = wide_select(small, a, root(half, mul_add(a, 0.5, -0.5)));
  return {small, mul_add(t * z, polynomial(z, c), t)};
}

template <class M>
Word<M> asin(Word<M> x) {
  const Word<M> size = magnitude(x);
  const auto [small, angle] = arc(size);
  const Wide<M> result = wide_select(small, angle, mul_add(angle, -2.0, kQuarterTurn));
  return select(kOne < size, kNaN, select(size < kTiny, x, narrow(result) ^ (x & kSign)));
}

// Of small |x|: pi/2 - asin x; else 2 asin t, or pi less that.
template <class M>
Word<M> acos(Word<M> x) {
  static constexpr Exception exceptions[] = {{0x328885a3, 0x3fc90fdb}, {0x39826222, 0x3fc907b5}};
  M* m = x.m;
  const auto [small, angle] = arc(magnitude(x));
  const Word<M> negative = x >> 31u;
  const Wide<M> factor = wide_of(m, 0u, select(small, 0xbff00000u, 0x40000000u) ^ (x & kSign));
  const Word<M> base_high = select(small, 0x3ff921fbu, select(negative, 0x400921fbu, 0u));
  const Wide<M> base = wide_of(m, select(small | negative, 0x54442d18u, 0u), base_high);
  const Word<M> result = put_right(x, narrow(mul_add(angle, factor, base)), exceptions);
  return select(kOne < magnitude(x), kNaN, result);
}

}  // namespace vyre::lower::fast
