// exp, exp2, exp10 of f32 in f64: 2^(n + f), n an integer and |f| at most 1/2.
//
// x log2(base) is x (high + low): high has 29 bits, so that its product with the 24 of x is exact, and so is
// what is left of that without n; low adds at most 2^-22. 2^f is a polynomial of relative error 2^-57, and
// 2^n goes into its exponent field. All that is rounded adds up to less than 2 units of 2^-53, which decides
// nearly every input: those that it does not are exceptions.
#pragma once

#include "lower/fast/machine.h"

namespace vyre::lower::fast {

struct Exponential {
  double high, low;  // log2 of the base; low is 0 where there is none
  uint32_t infinite,
      zero;  // the least magnitudes of a positive x with an infinite, a negative one with no result
};

/// 2^f for |f| <= 1/2.
template <class M>
Wide<M> power_of_two(Wide<M> f) {
  static constexpr double c[] = {0x1p0,
                                 0x1.62e42fefa39efp-1,
                                 0x1.ebfbdff82c5a6p-3,
                                 0x1.c6b08d704a12cp-5,
                                 0x1.3b2ab6fb9fda6p-7,
                                 0x1.5d87fe789e96fp-10,
                                 0x1.4309130f6cbdbp-13,
                                 0x1.ffcbfc6685ee5p-17,
                                 0x1.62bfc6596be6ap-20,
                                 0x1.b52522bc20bcdp-24,
                                 0x1.e61d4332035bap-28,
                                 0x1.e9731780488cp-32};
  return polynomial(f, c);
}

template <class M>
Word<M> exponential(Word<M> x, const Exponential& of) {
  M* m = x.m;
  const Word<M> size = magnitude(x), negative = x >> 31;
  const Word<M> beyond = select(negative, of.zero, of.infinite) <= size;
  const Wide<M> a = widen(select(beyond, 0u, x));
  const Wide<M> product = of.high == 1 ? a : a * of.high;
  const Wide<M> shifted = product + kToInteger;
  Wide<M> f = product - (shifted - kToInteger);
  if (of.low != 0) f = mul_add(a, of.low, f);
  const Wide<M> power = power_of_two(f);
  const Wide<M> result = wide_of(m, low(power), high(power) + (low(shifted) << 20));
  const Word<M> end = select(negative, 0u, kInfinity);
  return select(is_nan(size), kNaN, select(beyond, end, narrow_all(result)));
}

template <class M>
Word<M> exp(Word<M> x) {
  static constexpr Exponential of = {0x1.7154765p0, 0x1.5c17f0bbbe88p-31, 0x42b17218, 0x42cff1b5};
  return exponential(x, of);
}
template <class M>
Word<M> exp2(Word<M> x) {
  static constexpr Exponential of = {1, 0, 0x43000000, 0x43160000};
  static constexpr Exception exceptions[] = {{0x3b429d37, 0x3f804385}, {0xbcf3a937, 0x3f7ac6b1}};
  return put_right(x, exponential(x, of), exceptions);
}
template <class M>
Word<M> exp10(Word<M> x) {
  static constexpr Exponential of = {0x1.a934f09p1, 0x1.e68dc57f2496p-29, 0x421a209b, 0x42349e36};
  return exponential(x, of);
}

}  // namespace vyre::lower::fast
