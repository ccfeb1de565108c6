// Quotients and square roots in f64 by sums and products alone: not every target divides and takes roots
// right, and a GPU takes as long for either as for a whole form.
//
// A first guess comes from the pattern of the number as an integer, which is nearly its logarithm; each step
// of Newton's or of third order makes the error its square or its cube. What has to be exact is a product of
// a number that was cut to 26 bits with one of at most 27, with or without a fused multiply-add.
#pragma once

#include "lower/fast/machine.h"

namespace vyre::lower::fast {

/// -1 / d, relative error below 2^-34: 0.0506 at first, then three times its square. Domain: |d| in [2^-900,
/// 2^900].
template <class M>
Wide<M> negative_reciprocal(Wide<M> d) {
  Wide<M> z = wide_of(d.m, 0u, 0xffde6238u - high(d));
  for (int i = 0; i < 3; ++i) z = z * mul_add(d, z, 2.0);
  return z;
}

/// Cut to 26 bits.
template <class M>
Wide<M> cut(Wide<M> a) {
  return wide_of(a.m, low(a) & 0xfc000000u, high(a));
}

/// - (n + n_low) / (d + d_low), rounded once but for 2^-58 or so. Domain: n_low, d_low at most as great as n,
/// d.
template <class M>
Wide<M> negative_quotient(Wide<M> n, Wide<M> n_low, Wide<M> d, Wide<M> d_low) {
  const Wide<M> dividend = n + n_low, divisor = d + d_low;
  const Wide<M> dividend_rest = n_low - (dividend - n);
  const Wide<M> divisor_head = cut(divisor), divisor_rest = (d - divisor_head) + d_low;
  const Wide<M> r = negative_reciprocal(divisor);
  const Wide<M> q = cut(dividend * r);
  const Wide<M> rest = mul_add(q, divisor_rest, mul_add(q, divisor_head, dividend) + dividend_rest);
  return q + rest * r;
}

/// The root of z, of which it is given the negative too, within 2^-51. Domain: z is 0 or in [2^-900, 2^900].
template <class M>
Wide<M> root(Wide<M> z, Wide<M> minus_z) {
  Wide<M> y = wide_of(z.m, 0u, 0x5fe6eb50u - (high(z) >> 1u));  // 1 / root, within 0.035
  for (int i = 0; i < 2; ++i) {
    const Wide<M> h = mul_add(z * y, y, -1.0);
    y = mul_add(y * h, mul_add(h, 0.375, -0.5), y);
  }
  const Wide<M> s = z * y;
  return mul_add(mul_add(s, s, minus_z), y * -0.5, s);
}

}  // namespace vyre::lower::fast
