// The functions of num/float.h beside MPFR's of the same name, as tables for tests to go through.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "mpfr_float.h"
#include "num/float.h"

namespace vyre::num::test {

struct Unary {
  const char* name;
  uint32_t (*num)(FloatFormat, uint32_t);
  void (*columns)(FloatFormat, Column, Results);
  uint32_t (Mpfr::*mpfr)(uint32_t);
};
struct Binary {
  const char* name;
  uint32_t (*num)(FloatFormat, uint32_t, uint32_t);
  void (*columns)(FloatFormat, Column, Column, Results);
  uint32_t (Mpfr::*mpfr)(uint32_t, uint32_t);
};

/// A predicate as the 0 or 1 that columns hold.
template <bool (*kPredicate)(FloatFormat, uint32_t, uint32_t)>
uint32_t as_word(FloatFormat f, uint32_t a, uint32_t b) {
  return kPredicate(f, a, b) ? 1 : 0;
}

inline constexpr Unary kUnary[] = {{"sqrt", sqrt, sqrt, &Mpfr::sqrt}};
inline constexpr Binary kBinary[] = {
    {"add", add, add, &Mpfr::add},
    {"sub", sub, sub, &Mpfr::sub},
    {"mul", mul, mul, &Mpfr::mul},
    {"div", div, div, &Mpfr::div},
    {"min", min, min, &Mpfr::min},
    {"max", max, max, &Mpfr::max},
    {"equal", as_word<equal>, equal, &Mpfr::equal},
    {"less", as_word<less>, less, &Mpfr::less},
    {"less_equal", as_word<less_equal>, less_equal, &Mpfr::less_equal},
};

inline std::string describe(FloatFormat f) {
  return fmt::format("1-{}-{}", f.exponent_bits, f.fraction_bits);
}

/// Counts what differs and shows the first few.
class Differences {
 public:
  explicit Differences(std::string what) : what_(std::move(what)) {}
  ~Differences() { EXPECT_EQ(count_, 0u) << what_ << ", of " << cases_ << " cases"; }
  Differences(const Differences&) = delete;
  Differences& operator=(const Differences&) = delete;

  template <class... Operands>
  void expect(uint32_t got, uint32_t wanted, Operands... operands) {
    ++cases_;
    if (got == wanted) return;
    if (++count_ > 3) return;
    std::string row;
    ((row += fmt::format(" {:x}", operands)), ...);
    ADD_FAILURE() << what_ << row << fmt::format(": {:x}, expected {:x}", got, wanted);
  }
  uint64_t cases() const { return cases_; }

 private:
  std::string what_;
  uint64_t count_ = 0;
  uint64_t cases_ = 0;
};

}  // namespace vyre::num::test
