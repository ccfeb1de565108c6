// Tuples tried by evaluation: each once, in the order of counterexamples.
#include "solver/enumeration.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "oracle.h"

VYRE_ORACLE(
    SpecificationTable,
    "semantics, \"Laws and evidence\": largest operand first, then left to right; solver/enumeration.h");

namespace vyre::solver {
namespace {

using smt::Bits;
using smt::Pool;
using smt::Term;
using Found = Enumeration::Found;
using Tuple = std::vector<Bits>;

class Order : public testing::Test {
 protected:
  /// Every tuple, sorted by its largest value and then from left to right.
  std::vector<Tuple> sorted() const {
    std::vector<Tuple> out;
    for (Bits x = 0; x < 8; ++x) {
      for (Bits y = 0; y < 2; ++y) {
        for (Bits z = 0; z < 4; ++z) out.push_back({x, y, z});
      }
    }
    std::ranges::sort(out, [](const Tuple& x, const Tuple& y) {
      const Bits of_x = *std::ranges::max_element(x), of_y = *std::ranges::max_element(y);
      return of_x != of_y ? of_x < of_y : x < y;
    });
    return out;
  }
  Term is(const Tuple& x) {
    return p.and_(p.and_(p.eq(a, p.constant(3, x[0])), p.eq(t, p.truth(x[1] != 0))),
                  p.eq(b, p.constant(2, x[2])));
  }
  Pool p;
  Term a = p.variable("a", 3), t = p.variable("t", 0), b = p.variable("b", 2);
  std::vector<Term> variables = {a, t, b};
};

TEST_F(Order, TheFirstOfThoseThatFailIsFound) {
  const std::vector<Tuple> all = sorted();
  ASSERT_EQ(all.size(), 64u);
  Term fails = p.truth(false);
  for (size_t k = all.size(); k-- > 0;) {  // every one from k on fails
    fails = p.or_(fails, is(all[k]));
    Enumeration trial(p, p.not_(fails), variables);
    ASSERT_EQ(trial.up_to(trial.greatest(), 60), Found::Counterexample) << k;
    EXPECT_TRUE(trial.tuple() == all[k]) << k;
    EXPECT_FALSE(trial.exhausted());
  }
}

TEST_F(Order, GoesOnWhereItEnded) {
  Enumeration trial(p, p.not_(p.or_(is({3, 1, 2}), is({6, 0, 3}))), variables);
  EXPECT_EQ(trial.up_to(2, 60), Found::None);
  EXPECT_FALSE(trial.exhausted());
  EXPECT_EQ(trial.up_to(5, 60), Found::Counterexample);
  EXPECT_TRUE(trial.tuple() == (Tuple{3, 1, 2}));
  Enumeration true_one(p, p.not_(is({6, 0, 3})), variables);
  EXPECT_EQ(true_one.up_to(5, 60), Found::None);
  EXPECT_EQ(true_one.up_to(~Bits{0}, 60), Found::Counterexample);
  Enumeration holds(p, p.or_(t, p.not_(t)), variables);
  EXPECT_EQ(holds.up_to(holds.greatest(), 60), Found::None);
  EXPECT_TRUE(holds.exhausted());
}

TEST(Enumeration, StopsInTime) {
  Pool p;
  const Term a = p.variable("a", 64), b = p.variable("b", 64);
  Enumeration trial(p, p.eq(p.add(a, b), p.add(b, a)), std::vector{a, b});
  EXPECT_FALSE(trial.is_small());
  EXPECT_EQ(trial.up_to(trial.greatest(), 0), Found::OutOfTime);
  EXPECT_FALSE(trial.exhausted());
  EXPECT_EQ(trial.up_to(trial.small(), 60), Found::None);
  EXPECT_TRUE(trial.small() == 47);
}

TEST(Enumeration, FewBitsAreAllTried) {
  Pool p;
  const Term a = p.variable("a", 8), b = p.variable("b", 8), c = p.variable("c", 8), d = p.variable("d", 8);
  EXPECT_TRUE(Enumeration(p, p.eq(a, b), std::vector{a, b}).small() == 255);
  const Enumeration three(p, p.eq(a, b), std::vector{a, b, c});
  EXPECT_TRUE(three.small() == 11);
  EXPECT_TRUE(three.is_small());
  EXPECT_FALSE(Enumeration(p, p.eq(a, b), std::vector{a, b, c, d}).is_small());
}

}  // namespace
}  // namespace vyre::solver
