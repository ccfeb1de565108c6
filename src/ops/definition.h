// Helpers for writing `.define`, the meaning of an operation as a term of bit vectors.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>

#include "smt/term.h"

namespace vyre::ops::formula {

/// Bit i, as a truth value.
inline smt::Term bit(smt::Pool& pool, smt::Term a, uint32_t i) {
  return pool.eq(pool.extract(a, i, 1), pool.constant(1, 1));
}
/// How many bits say a place in a word of this width: 5 of 32. Domain: a power of two.
inline uint32_t place_bits(uint32_t width) { return uint32_t(std::countr_zero(width)); }
/// `count` bits from `low` on as a word of the same width: the low five bits of an amount are its rest by 32.
inline smt::Term field(smt::Pool& pool, smt::Term a, uint32_t low, uint32_t count) {
  return pool.zero_extend(pool.extract(a, low, count), pool.width(a));
}
inline smt::Term amount(smt::Pool& pool, smt::Term a) { return field(pool, a, 0, place_bits(pool.width(a))); }
/// How many bits are set. Counted in as many bits as the count needs: a wider sum is the same, and beyond
/// what solvers like.
inline smt::Term ones(smt::Pool& pool, smt::Term a) {
  const uint32_t width = pool.width(a), bits = place_bits(width) + 1;
  smt::Term sum = pool.constant(bits, 0);
  for (uint32_t i = 0; i < width; ++i) sum = pool.add(sum, pool.zero_extend(pool.extract(a, i, 1), bits));
  return pool.zero_extend(sum, width);
}
/// The word whose bit i is of(i).
inline smt::Term word_of(smt::Pool& pool, uint32_t width, const std::function<smt::Term(uint32_t)>& of) {
  smt::Term out = pool.word(of(0), 1);
  for (uint32_t i = 1; i < width; ++i) out = pool.concat(pool.word(of(i), 1), out);
  return out;
}

}  // namespace vyre::ops::formula
