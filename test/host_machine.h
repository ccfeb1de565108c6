// The machine that computes a fast form at once, with the host's own arithmetic, instead of writing it.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "lower/fast/machine.h"

namespace vyre::lower::fast {

/// fuses: a multiply-add rounds once. flushes: an f32 that is subnormal is a zero to conversions.
template <bool fuses, bool flushes = false>
struct HostMachine {
  using Word = uint32_t;
  using Wide = double;

  double last = 0;  // what was narrowed last

  static constexpr bool fused() { return fuses; }
  static constexpr bool flushes_operands() { return flushes; }
  static constexpr bool flushes_results() { return flushes; }

  Word constant(uint32_t a) { return a; }
  Wide wide(double a) { return a; }
  Word add(Word a, Word b) { return a + b; }
  Word sub(Word a, Word b) { return a - b; }
  Word mul(Word a, Word b) { return a * b; }
  Word umul_hi(Word a, Word b) { return Word(uint64_t{a} * b >> 32); }
  Word bit_and(Word a, Word b) { return a & b; }
  Word bit_or(Word a, Word b) { return a | b; }
  Word bit_xor(Word a, Word b) { return a ^ b; }
  Word shl(Word a, Word b) { return a << (b & 31); }
  Word lshr(Word a, Word b) { return a >> (b & 31); }
  Word ashr(Word a, Word b) { return Word(int32_t(a) >> (b & 31)); }
  Word clz(Word a) { return Word(std::countl_zero(a)); }
  Word eq(Word a, Word b) { return a == b; }
  Word ult(Word a, Word b) { return a < b; }
  Word ule(Word a, Word b) { return a <= b; }
  Word select(Word c, Word a, Word b) { return c != 0 ? a : b; }
  Wide wide_of(Word low, Word high) { return std::bit_cast<double>(uint64_t{high} << 32 | low); }
  Word wide_low(Wide a) { return Word(std::bit_cast<uint64_t>(a)); }
  Word wide_high(Wide a) { return Word(std::bit_cast<uint64_t>(a) >> 32); }
  Wide wide_select(Word c, Wide a, Wide b) { return c != 0 ? a : b; }
  Wide wide_from(Word a) { return double(std::bit_cast<float>(flushed(a))); }
  Word wide_to(Wide a) {
    last = a;
    return flushed(std::bit_cast<Word>(float(a)));
  }
  Wide wide_add(Wide a, Wide b) { return a + b; }
  Wide wide_sub(Wide a, Wide b) { return a - b; }
  Wide wide_mul(Wide a, Wide b) { return a * b; }
  Wide wide_mul_add(Wide a, Wide b, Wide c) {
    if constexpr (fuses) return std::fma(a, b, c);
    return wide_mul(a, b) + c;
  }
  Word fadd(Word a, Word b) {
    return of_floats(a, b, [](float x, float y) { return x + y; });
  }
  Word fsub(Word a, Word b) {
    return of_floats(a, b, [](float x, float y) { return x - y; });
  }
  Word fmul(Word a, Word b) {
    return of_floats(a, b, [](float x, float y) { return x * y; });
  }
  template <size_t n, class Body>
  std::array<fast::Word<HostMachine>, n> where(fast::Word<HostMachine> condition,
                                               const std::array<fast::Word<HostMachine>, n>& words,
                                               Body body) {
    return condition.v != 0 ? body() : words;
  }

 private:
  template <class F>
  static Word of_floats(Word a, Word b, F f) {
    return std::bit_cast<Word>(f(std::bit_cast<float>(a), std::bit_cast<float>(b)));
  }
  static Word flushed(Word a) {
    if constexpr (flushes) return (a & ~kSign) < kLeastNormal ? a & kSign : a;
    return a;
  }
};

}  // namespace vyre::lower::fast
