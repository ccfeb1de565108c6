// log, log2, log10 of f32 in f64: of x = 2^e m, m about [0.77, 1.54), the logarithms of 2^e, of 1 / r and of
// m r.
//
// r is one of four numbers of 21 bits near 1 / m, so that f = m r - 1 is exact and |f| < 0.096. They are
// chosen so that log(1 / r) is, within 2^-57, a number of few enough bits that its sum with e log 2 is exact
// too. log(1 + f) is f + f^2 q(f), over the base's logarithm. Near 1, where the result is near 0, e is 0 and
// r is 1, and everything is relative to f; elsewhere f is less than 1/8, so that what is rounded in its part
// is little beside the result. The last digits of log's own e_low are those with which fewest inputs are
// exceptions.
#pragma once

#include "lower/fast/machine.h"

namespace vyre::lower::fast {

struct ShortReciprocal {
  uint32_t from;  // the high word of the least m that it serves
  uint32_t high;  // the high word of r; the low one is 0
  double log;     // of 1 / r
};
struct Logarithm {
  double e_high, e_low;  // of two
  double f_high, f_low;  // 1 / ln(base), of which high has 29 bits; low is 0 for base e
  ShortReciprocal reciprocals[4];
  double q[12];
};

template <class M>
struct ChosenReciprocal {
  Wide<M> r, log;
};
/// `place` is the high word of m less that of the least m.
template <class M>
ChosenReciprocal<M> reciprocal_for(Word<M> place, const Logarithm& of) {
  M* m = place.m;
  const auto& rows = of.reciprocals;
  const auto words = [](double a) {
    const auto bits = std::bit_cast<uint64_t>(a);
    return std::array{uint32_t(bits), uint32_t(bits >> 32)};
  };
  Word<M> r = operand(m, rows[0].high);
  Word<M> log_low = operand(m, words(rows[0].log)[0]), log_high = operand(m, words(rows[0].log)[1]);
  for (size_t i = 1; i < std::size(rows); ++i) {
    const Word<M> here = rows[i].from - rows[0].from <= place;
    r = select(here, rows[i].high, r);
    log_low = select(here, words(rows[i].log)[0], log_low);
    log_high = select(here, words(rows[i].log)[1], log_high);
  }
  return {wide_of(m, 0u, r), wide_of(m, log_low, log_high)};
}

/// All that is rare stands in a branch: numbers that have no logarithm, and what lies so near the middle of
/// two numbers that the wide value is that middle or the last before it, as that of every exception is.
template <class M, size_t n = 0>
Word<M> logarithm(Word<M> x, const Logarithm& of, const std::array<Exception, n>& exceptions = {}) {
  M* m = x.m;
  const Wide<M> a = widen_all(x);
  const uint32_t least = of.reciprocals[0].from;
  const Word<M> from_least = high(a) - least;
  const Word<M> place = from_least & 0xfffffu;
  const auto [r, log] = reciprocal_for(place, of);
  const Wide<M> f = mul_add(wide_of(m, low(a), place + least), r, -1.0);
  const Wide<M> e = wide_of(m, ashr(from_least, 20) ^ kSign, 0x43300000u) - (0x1p52 + 0x1p31);
  const Wide<M> base = of.e_high == 1 ? e + log : mul_add(e, of.e_high, log);
  Wide<M> tail = polynomial(f, of.q) * (f * f);
  if (of.e_low != 0) tail = mul_add(e, of.e_low, tail);
  if (of.f_low != 0) tail = mul_add(f, of.f_low, tail);
  const Wide<M> head = of.f_high == 1 ? f : f * of.f_high;
  const Wide<M> value = base + (head + tail);
  const Word<M> result = narrow(value);
  const Word<M> at_edge = kInfinity - 1 <= x - 1u;  // of zeros, infinities, NaNs, negative numbers
  const auto rare = [&] {
    const Word<M> edge = select(x << 1 == 0u, kInfinity | kSign, select(x == kInfinity, kInfinity, kNaN));
    return std::array{select(at_edge, edge, put_right(x, result, exceptions))};
  };
  const Word<M> is_rare = n == 0 ? at_edge : at_edge | is_middle(value);
  return m->where(is_rare, std::array{result}, rare)[0];
}

template <class M>
Word<M> log(Word<M> x) {
  static constexpr Logarithm of = {
      0x1.62e42fefa3ap-1,
      -0x1.14p-49,
      1,
      0,
      {{0x3fe8ace5, 0x3ff30167, -0x1.608a29e27e4p-3},
       {0x3fed5818, 0x3ff00000, 0},
       {0x3ff172b8, 0x3feae764, 0x1.63420618024p-3},
       {0x3ff4bfda, 0x3fe6a33f, 0x1.626d5073e66p-2}},
      {-0x1p-1, 0x1.5555555555551p-2, -0x1.0000000000842p-2, 0x1.999999999f294p-3, -0x1.5555554f26751p-3,
       0x1.24924913d0d69p-3, -0x1.00000c16832bap-3, 0x1.c71c9dcde6465p-4, -0x1.9984f14f8a2e9p-4,
       0x1.7440a136e1774p-4, -0x1.5d56263050921p-4, 0x1.43f9bba5875edp-4}};
  static constexpr auto exceptions = std::to_array<Exception>(
      {{0x4c5d65a5, 0x418f034b}, {0x65d890d3, 0x4254d1f9}, {0x6f31a8ec, 0x42845a89}});
  return logarithm(x, of, exceptions);
}
template <class M>
Word<M> log2(Word<M> x) {
  static constexpr Logarithm of = {
      1,
      0,
      0x1.7154765p0,
      0x1.5c17f0bbbe88p-31,
      {{0x3fe8ace5, 0x3ff2eeea, -0x1.f15bc0feb5p-3},
       {0x3fed5818, 0x3ff00000, 0},
       {0x3ff172b8, 0x3fead0a3, 0x1.052732b612ap-2},
       {0x3ff4bfda, 0x3fe6bbf6, 0x1.f90b0ed6892p-2}},
      {-0x1.71547652b82fep-1, 0x1.ec709dc3a03f7p-2, -0x1.71547652b907ap-2, 0x1.2776c50efdd5ep-2,
       -0x1.ec709dba3c1abp-3, 0x1.a617628f38ad9p-3, -0x1.7154883928c97p-3, 0x1.484b33d741144p-3,
       -0x1.2767abd2ef1cdp-3, 0x1.0c85e545a680ep-3, -0x1.f80c2cee701a5p-4, 0x1.d36c9a0a5ed19p-4}};
  return logarithm(x, of);
}
template <class M>
Word<M> log10(Word<M> x) {
  static constexpr Logarithm of = {
      0x1.34413509f7ap-2,
      -0x1.0cee0ed4ca7e9p-54,
      0x1.bcb7b15p-2,
      0x1.37287195355bbp-33,
      {{0x3fe8ace5, 0x3ff2f8b2, -0x1.2f069b7c7b8p-4},
       {0x3fed5818, 0x3ff00000, 0},
       {0x3ff172b8, 0x3feb0a51, 0x1.2b9345e8418p-4},
       {0x3ff4bfda, 0x3fe68f80, 0x1.36e31ad122cp-3}},
      {-0x1.bcb7b1526e50ep-3, 0x1.287a7636f435bp-3, -0x1.bcb7b1526f6cap-4, 0x1.63c6277529e78p-4,
       -0x1.287a763113561p-4, 0x1.fc3fa5f7e33c1p-5, -0x1.bcb7c750ab0eep-5, 0x1.8b4e193e40cc1p-5,
       -0x1.63b3c91ab3495p-5, 0x1.435595ab3e3dp-5, -0x1.2f7f044783cefp-5, 0x1.19674fcf666b3p-5}};
  static constexpr auto exceptions = std::to_array<Exception>({{0x0efeee7a, 0xc1e99d23}});
  return logarithm(x, of, exceptions);
}

}  // namespace vyre::lower::fast
