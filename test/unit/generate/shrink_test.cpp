#include "generate/shrink.h"

#include <gtest/gtest.h>

#include <bit>

#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "semantics, \"Order of counterexamples\", by hand");

namespace vyre::generate {
namespace {

using Words = std::vector<uint32_t>;

TEST(Shrink, OrderOfCounterexamples) {
  EXPECT_TRUE(simpler(Words{5, 5}, Words{0, 6}));              // 5 < 6, whatever stands beside
  EXPECT_TRUE(simpler(Words{0, 6}, Words{6, 0}));              // same largest: left to right
  EXPECT_TRUE(simpler(Words{0x7fffffff}, Words{0x80000000}));  // unsigned
  EXPECT_FALSE(simpler(Words{3, 3}, Words{3, 3}));
}

TEST(Shrink, FindsTheSmallestSmallTuple) {
  // The first tuple in that order with a + b >= 10 is (5, 5).
  const auto fails = [](std::span<const uint32_t> v) { return uint64_t(v[0]) + v[1] >= 10; };
  EXPECT_EQ(shrink({0xdeadbeef, 0x12345678}, fails), (Words{5, 5}));
}

TEST(Shrink, ClearsWhatDoesNotMatter) {
  // The least word with the top bit set is 80000000.
  const auto top = [](std::span<const uint32_t> v) { return (v[0] >> 31) != 0; };
  EXPECT_EQ(shrink({0xdeadbeef}, top), (Words{0x80000000}));
  const auto sum_wraps = [](std::span<const uint32_t> v) { return uint64_t(v[0]) + v[1] > 0xffffffff; };
  EXPECT_EQ(shrink({0xffffffff, 0xfffffff0}, sum_wraps), (Words{0x80000000, 0x80000000}));
}

TEST(Shrink, KeepsRelations) {
  // The failure hangs on a relation, so operands must move together.
  const auto equal_and_large = [](std::span<const uint32_t> v) { return v[0] == v[1] && v[0] >= 1000; };
  EXPECT_EQ(shrink({0x12345678, 0x12345678}, equal_and_large), (Words{1000, 1000}));
}

TEST(Shrink, NeverGetsWorseAndStaysFailing) {
  VYRE_ORACLE(Property,
              "the contract: the result fails and is never worse than the start, however small the budget");
  const auto odd = [](std::span<const uint32_t> v) { return std::popcount(v[0]) == 17 && v[1] % 3 == 1; };
  const Words start = {0xffff8000, 0x80000002};
  ASSERT_TRUE(odd(start));
  for (size_t budget : {0, 1, 10, 100, 1000, 20000}) {
    const Words end = shrink(start, odd, budget);
    EXPECT_TRUE(odd(end));
    EXPECT_FALSE(simpler(start, end));
  }
  EXPECT_EQ(shrink(start, odd), shrink(start, odd));
}

}  // namespace
}  // namespace vyre::generate
