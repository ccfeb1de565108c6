// The functions of num/float.h beside MPFR's, as lists for tests to go through.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "float_operators.h"
#include "mpfr_float.h"
#include "num/float.h"

namespace vyre::num::test {

using vyre::test::FloatOperands;

/// An operator of one or two operands but no elementary function, of which functions_opinions.h has more.
struct Unary {
  const char* name;
  const vyre::test::FloatOperator* row;
  uint32_t num(FloatFormat f, uint32_t a) const { return row->value(f, {a}); }
  uint32_t mpfr(Mpfr& second, uint32_t a) const { return row->second(second, {a}); }
};
struct Binary {
  const char* name;
  const vyre::test::FloatOperator* row;
  uint32_t num(FloatFormat f, uint32_t a, uint32_t b) const { return row->value(f, {a, b}); }
  void columns(FloatFormat f, Column a, Column b, Results out) const {
    const Column columns[] = {a, b};
    row->columns(f, columns, out);
  }
  uint32_t mpfr(Mpfr& second, uint32_t a, uint32_t b) const { return row->second(second, {a, b}); }
};
template <class Operator>
std::vector<Operator> operators_of(uint32_t arity) {
  std::vector<Operator> out;
  for (const auto& row : vyre::test::kFloatOperatorRows) {
    if (spec::is_elementary(row.key) || spec::operand_count(row.key) != arity) continue;
    out.push_back({spec::mnemonic(row.key).data(), &row.value});
  }
  return out;
}
inline const std::vector<Unary> kUnary = operators_of<Unary>(1);
inline const std::vector<Binary> kBinary = operators_of<Binary>(2);

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
