// Linear systems: what is called infeasible has no solution among all points of a box, and most of what has
// none is called so.
#include "races/linear.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "by hand: 640 y + x = 640 y' + x' with x, x' < 640 and x < x' is impossible; x = 0, y = 1 and x "
            "= 1, y = 2 are solutions; 2 x + 1 = 0 has none; 2^30 (2^31 + 1) x is not 0 for x = 1, so that "
            "it is at least 1 has a solution");

namespace vyre::races {
namespace {

constexpr int64_t kMost = 5;
constexpr uint32_t kVariables = 4;

struct Row {
  std::array<int64_t, kVariables> factors{};
  int64_t constant = 0;
  bool equal = false;
  bool holds(const std::array<int64_t, kVariables>& at) const {
    int64_t sum = constant;
    for (uint32_t v = 0; v < kVariables; ++v) sum += factors[v] * at[v];
    return equal ? sum == 0 : sum >= 0;
  }
};

bool has_point(const std::vector<Row>& rows) {
  std::array<int64_t, kVariables> at{};
  for (;;) {
    bool all = true;
    for (const Row& row : rows) all = all && row.holds(at);
    if (all) return true;
    uint32_t v = 0;
    while (v < kVariables && at[v] == kMost) at[v++] = 0;
    if (v == kVariables) return false;
    ++at[v];
  }
}

LinearSystem system_of(const std::vector<Row>& rows) {
  LinearSystem out;
  for (uint32_t v = 0; v < kVariables; ++v) {
    out.at_least_zero(LinearSum::variable(v));
    out.at_most(LinearSum::variable(v), LinearSum::of(kMost));
  }
  for (const Row& row : rows) {
    LinearSum sum = LinearSum::of(row.constant);
    for (uint32_t v = 0; v < kVariables; ++v) sum = plus(sum, LinearSum::variable(v), row.factors[v]);
    row.equal ? out.equal_zero(sum) : out.at_least_zero(sum);
  }
  return out;
}

TEST(LinearSystem, WhatIsInfeasibleHasNoPoint) {
  VYRE_ORACLE(Property, "all points of the box, tried one by one");
  size_t without = 0, found = 0;
  for (uint64_t k = 0; k < 20'000; ++k) {
    RandomStream random(3, k);
    std::vector<Row> rows(1 + random.below(5));
    for (Row& row : rows) {
      constexpr std::array<int64_t, 10> kFactors = {0, 0, 1, -1, 2, -3, 6, -6, 16, -1};
      for (int64_t& factor : row.factors) factor = kFactors[random.below(10)];
      row.constant = int64_t(random.below(41)) - 20;
      row.equal = random.below(4) == 0;
    }
    const bool none = !has_point(rows);
    const bool infeasible = system_of(rows).is_infeasible();
    ASSERT_TRUE(!infeasible || none) << k;
    without += none;
    found += infeasible;
  }
  EXPECT_GT(found * 100, without * 90) << "of " << without;
}

TEST(LinearSystem, IndicesOfRowsAndColumns) {
  const LinearSum x = LinearSum::variable(0), y = LinearSum::variable(1), x2 = LinearSum::variable(2),
                  y2 = LinearSum::variable(3);
  for (const int64_t width : {639, 640, 641}) {
    LinearSystem system;
    for (uint32_t v = 0; v < 4; ++v) system.at_least_zero(LinearSum::variable(v));
    for (const LinearSum& column : {x, x2}) system.at_most(column, LinearSum::of(639));
    system.equal_zero(plus(plus(x, y, width), plus(x2, y2, width), -1));
    system.at_most(plus(x, LinearSum::of(1)), x2);
    EXPECT_EQ(system.is_infeasible(), width >= 640) << width;
  }
}

TEST(LinearSystem, HugeFactorsProveNothing) {
  const int64_t huge = (int64_t{1} << 59) - 1;
  LinearSystem system;
  const LinearSum x = LinearSum::variable(0), y = LinearSum::variable(1);
  system.at_least_zero(plus(plus(LinearSum::of(huge), x, huge), y, -huge + 1));
  system.at_least_zero(plus(plus(LinearSum::of(-huge + 7), x, -huge), y, huge));
  EXPECT_FALSE(system.is_infeasible());
  LinearSystem contradiction;
  contradiction.equal_zero(plus(LinearSum::of(1), x, 2));
  EXPECT_TRUE(contradiction.is_infeasible());
}

TEST(LinearSystem, ASumThatDoesNotFitIsLostAndNotZero) {
  const LinearSum x = LinearSum::variable(0);
  const int64_t factor = int64_t{1} << 30;
  const LinearSum product = plus(LinearSum::of(0), plus(LinearSum::of(0), x, factor), 2 * factor + 1);
  EXPECT_TRUE(product.lost);
  EXPECT_FALSE(product.is_constant());
  EXPECT_TRUE(plus(product, x).lost);
  EXPECT_TRUE(plus(x, product, 0).lost);
  LinearSystem system;
  system.at_most(LinearSum::of(1), product);
  system.at_least_zero(plus(product, LinearSum::of(1), -1));
  EXPECT_FALSE(system.is_infeasible());
}

}  // namespace
}  // namespace vyre::races
