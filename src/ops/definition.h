// Words that definitions by formula are written with.
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
/// The word whose bit i is of(i).
inline smt::Term word_of(smt::Pool& pool, uint32_t width, const std::function<smt::Term(uint32_t)>& of) {
  smt::Term out = pool.word(of(0), 1);
  for (uint32_t i = 1; i < width; ++i) out = pool.concat(pool.word(of(i), 1), out);
  return out;
}

}  // namespace vyre::ops::formula
