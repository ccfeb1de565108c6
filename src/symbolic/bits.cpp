#include "symbolic/bits.h"

namespace vyre::symbolic {
namespace {

using smt::Pool;
using smt::Term;

/// The sum of bits low .. low + bits - 1, in just as many bits as it needs.
Term sum_of_bits(Pool& pool, Term a, uint32_t low, uint32_t bits) {
  if (bits == 1) return pool.extract(a, low, 1);
  const Term lower = sum_of_bits(pool, a, low, bits / 2);
  const Term upper = sum_of_bits(pool, a, low + bits / 2, bits / 2);
  const uint32_t width = pool.width(lower) + 1;
  return pool.add(pool.zero_extend(lower, width), pool.zero_extend(upper, width));
}

/// Zeros from one end of bits low .. low + bits - 1, in `width` bits; `bits` where there is no one.
Term zeros(Pool& pool, Term a, uint32_t low, uint32_t bits, uint32_t width, bool from_top) {
  if (bits == 1) return pool.zero_extend(pool.bit_not(pool.extract(a, low, 1)), width);
  const uint32_t half = bits / 2;
  const uint32_t first = from_top ? low + half : low, second = from_top ? low : low + half;
  const Term more = pool.add(pool.constant(width, half), zeros(pool, a, second, half, width, from_top));
  return pool.ite(pool.is_zero(pool.extract(a, first, half)), more,
                  zeros(pool, a, first, half, width, from_top));
}

}  // namespace

Term count_bits(Pool& pool, Term a) {
  return pool.resize(sum_of_bits(pool, a, 0, pool.width(a)), pool.width(a));
}

Term count_leading_zeros(Pool& pool, Term a) { return zeros(pool, a, 0, pool.width(a), pool.width(a), true); }

Term count_trailing_zeros(Pool& pool, Term a) {
  return zeros(pool, a, 0, pool.width(a), pool.width(a), false);
}

Term reverse(Pool& pool, Term a) {
  Term out = pool.extract(a, 0, 1);
  for (uint32_t bit = 1; bit < pool.width(a); ++bit) out = pool.concat(out, pool.extract(a, bit, 1));
  return out;
}

Term swap_bytes(Pool& pool, Term a) {
  Term out = pool.extract(a, 0, 8);
  for (uint32_t bit = 8; bit < pool.width(a); bit += 8) out = pool.concat(out, pool.extract(a, bit, 8));
  return out;
}

}  // namespace vyre::symbolic
