#include "generate/cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/bytes.h"
#include "base/digest.h"
#include "generate/values.h"
#include "oracle.h"

VYRE_ORACLE(
    SpecificationTable,
    "semantics and the vyre specification's list of GPU failure modes; domains as sets, counted by hand");

namespace vyre::generate {
namespace {

using spec::DataType;
using Tuple = std::array<uint32_t, kMaxOperands>;

ops::Operation operation(std::vector<DataType> inputs) {
  ops::Operation out;
  out.id = "test.anything";
  out.signature.inputs = std::move(inputs);
  out.rows = {{{7, 8}, 15, "r", "s"}, {{1, 2}, 3, "r", "s"}};
  out.boundaries = {{{0xffffffff, 1}, "wraps"}};
  out.classes = {{"all", nullptr, {3, 4}}};
  return out;
}

TEST(Edge256, HasWhatTheSpecificationNames) {
  // Semantics, "Laws and evidence": 256 structured values, among them 0, 1, powers of two and their
  // neighbours, alternating patterns, MIN and MAX.
  const auto words = edge256();
  const std::set<uint32_t> set(words.begin(), words.end());
  EXPECT_EQ(set.size(), 256u);
  EXPECT_TRUE(std::ranges::is_sorted(words));
  for (uint32_t k = 0; k < 32; ++k) {
    const uint32_t power = uint32_t{1} << k;
    for (uint32_t word : {power, power - 1, power + 1}) EXPECT_TRUE(set.contains(word)) << word;
  }
  for (uint32_t word : {0x55555555u, 0xaaaaaaaau, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    EXPECT_TRUE(set.contains(word)) << word;
  }
}

// They are named by certificates, so a change is a fault of this project even where every other test passes.
TEST(Edge256, NeverChanges) {
  VYRE_ORACLE(Regression, "the digest recorded when the values were fixed");
  EXPECT_EQ(sha256(std::as_bytes(edge256())).short_hex(), "3f35820fe626f601");
}

TEST(Cases, SizesOfTheGrids) {
  EXPECT_EQ(Cases("x", std::vector{DataType::U32}, Strategy::Exhaustive8, 0).size(), 256u);
  EXPECT_EQ(Cases("x", std::vector{DataType::U32, DataType::U32}, Strategy::Edge256, 0).size(), 65'536u);
  EXPECT_EQ(Cases("x", std::vector(3, DataType::U32), Strategy::Exhaustive8, 0).size(), 16'777'216u);
  EXPECT_EQ(Cases("x", std::vector{DataType::Bool, DataType::U32}, Strategy::Exhaustive8, 0).size(), 512u);
  EXPECT_EQ(Cases("x", std::vector{DataType::U32}, Strategy::Random, 0).size(), UINT64_MAX);
  EXPECT_EQ(Cases("x", std::vector{DataType::U32}, Strategy::Rows, 0).size(), 0u);
}

TEST(Cases, ExhaustiveIsEveryPairOnce) {
  const Cases cases("x", std::vector(2, DataType::U32), Strategy::Exhaustive8, 0);
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (uint64_t k = 0; k < cases.size(); ++k) {
    const Tuple t = cases.at(k);
    ASSERT_LT(t[0], 256u);
    ASSERT_LT(t[1], 256u);
    seen.insert({t[0], t[1]});
  }
  EXPECT_EQ(seen.size(), 65'536u);
}

TEST(Cases, ExhaustiveI32IsSignExtended) {
  const Cases cases("x", std::vector{DataType::I32}, Strategy::Exhaustive8, 0);
  std::set<int32_t> seen;
  for (uint64_t k = 0; k < cases.size(); ++k) seen.insert(int32_t(cases.at(k)[0]));
  EXPECT_EQ(*seen.begin(), -128);
  EXPECT_EQ(*seen.rbegin(), 127);
  EXPECT_EQ(seen.size(), 256u);
}

TEST(Cases, FillEqualsAtWhereverItStarts) {
  VYRE_ORACLE(Property, "at(k), which computes each case by itself");
  const ops::Operation two = operation({DataType::U32, DataType::U32});
  for (const StrategyInfo& s : kStrategies) {
    const Cases cases(two, s.strategy, 5);
    for (const uint64_t first : {uint64_t{0}, uint64_t{1}, uint64_t{255}, uint64_t{300}, uint64_t{65'000}}) {
      if (first >= cases.size()) continue;
      const size_t count = size_t(std::min<uint64_t>(777, cases.size() - first));
      std::vector<uint32_t> a(count), b(count);
      uint32_t* const columns[] = {a.data(), b.data()};
      cases.fill(first, count, columns);
      for (size_t i = 0; i < count; ++i) {
        const Tuple t = cases.at(first + i);
        ASSERT_EQ(a[i], t[0]) << s.text << " case " << first + i;
        ASSERT_EQ(b[i], t[1]) << s.text << " case " << first + i;
      }
    }
  }
}

TEST(Cases, FillEqualsAtForEveryTypeAndStride) {
  VYRE_ORACLE(Property, "at(k), which computes each case by itself");
  // More than a block of the columns at once, and three operands of which one is masked.
  const ops::Operation three = operation({DataType::U32, DataType::Bool, DataType::I32});
  constexpr size_t kCount = 3000;
  for (const StrategyInfo& s : kStrategies) {
    const Cases cases(three, s.strategy, 5);
    for (const uint64_t stride : {uint64_t{1}, uint64_t{2}, uint64_t{255}, uint64_t{257}, uint64_t{70'001}}) {
      for (const uint64_t first : {uint64_t{0}, uint64_t{511}, uint64_t{1} << 40}) {
        if (first >= cases.size()) continue;
        const size_t count = size_t(std::min<uint64_t>(kCount, (cases.size() - first + stride - 1) / stride));
        std::vector<std::vector<uint32_t>> words(3, std::vector<uint32_t>(count));
        uint32_t* const columns[] = {words[0].data(), words[1].data(), words[2].data()};
        cases.fill(first, count, columns, stride);
        for (size_t i = 0; i < count; ++i) {
          ASSERT_EQ((Tuple{words[0][i], words[1][i], words[2][i]}), cases.at(first + i * stride))
              << s.text << " case " << first + i * stride;
        }
      }
    }
  }
}

TEST(Cases, TablesComeInTheirOrder) {
  const ops::Operation two = operation({DataType::U32, DataType::U32});
  const Cases rows(two, Strategy::Rows, 0);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.at(1), (Tuple{1, 2, 0}));
  EXPECT_EQ(Cases(two, Strategy::Boundary, 0).at(0), (Tuple{0xffffffff, 1, 0}));
  EXPECT_EQ(Cases(two, Strategy::Equivalence, 0).at(0), (Tuple{3, 4, 0}));
}

TEST(Cases, RandomDependsOnSeedOperationAndNumberAlone) {
  VYRE_ORACLE(Property, "independence of the seed, the operation and the number, as the design asks");
  const std::vector<DataType> types(2, DataType::U32);
  const Cases a("one", types, Strategy::Random, 1), again("one", types, Strategy::Random, 1);
  const Cases other("two", types, Strategy::Random, 1), seeded("one", types, Strategy::Random, 2);
  uint32_t same_other = 0, same_seeded = 0;
  for (uint64_t k = 0; k < 1000; ++k) {
    const uint64_t far = k * 0x0123'4567'89ab'cdefu;
    EXPECT_EQ(a.at(far), again.at(far));
    same_other += a.at(far) == other.at(far);
    same_seeded += a.at(far) == seeded.at(far);
  }
  EXPECT_LT(same_other, 20u);
  EXPECT_LT(same_seeded, 20u);
}

TEST(Cases, RandomNeverChanges) {
  VYRE_ORACLE(
      Regression,
      "the tuple recorded when the generator was fixed: a replay token must mean the same input for ever");
  const Cases cases("pinned", std::vector(3, DataType::U32), Strategy::Random, 42);
  std::vector<uint32_t> words;
  for (uint64_t k = 0; k < 4096; ++k) {
    const Tuple t = cases.at(k << 40 | k);
    words.insert(words.end(), t.begin(), t.end());
  }
  EXPECT_EQ(sha256(std::as_bytes(std::span(words))).short_hex(), "078edf709a0f07ec");
}

TEST(Cases, RandomReachesWhatUniformBitsDoNot) {
  VYRE_ORACLE(
      Property,
      "what each distribution is for; a generator that lost one of them would miss whole classes of faults");
  const Cases cases("spread", std::vector(2, DataType::U32), Strategy::Random, 9);
  uint32_t small = 0, equal = 0, one_bit_apart = 0, zero_second = 0, wide = 0;
  constexpr uint32_t kCases = 20'000;
  for (uint64_t k = 0; k < kCases; ++k) {
    const Tuple t = cases.at(k);
    small += t[0] < 256;
    equal += t[0] == t[1];
    one_bit_apart += std::popcount(t[0] ^ t[1]) == 1;
    zero_second += t[1] == 0;
    wide += t[0] > 0xffff && t[1] > 0xffff;
  }
  EXPECT_GT(small, kCases / 50);
  EXPECT_GT(equal, kCases / 1000);
  EXPECT_GT(one_bit_apart, kCases / 50);
  EXPECT_GT(zero_second, kCases / 1000);
  EXPECT_GT(wide, kCases / 3);
}

TEST(Cases, AdversarialHasTheFailureModes) {
  // The list of GPU failure modes in the specification (shift by 32, division by 0, u32::MAX), and MIN / -1.
  const Cases cases("x", std::vector(2, DataType::U32), Strategy::Adversarial, 0);
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (uint64_t k = 0; k < cases.size(); ++k) seen.insert({cases.at(k)[0], cases.at(k)[1]});
  for (const std::pair<uint32_t, uint32_t> wanted : {std::pair{1u, 32u},
                                                     {1u, 33u},
                                                     {7u + 24u, 0u},
                                                     {0x80000000u, 0xffffffffu},
                                                     {0xffffffffu, 0xffffffffu},
                                                     {0x7fffffffu, 1u},
                                                     {0xffffu, 0x10000u},
                                                     {0x80000000u, 0x80000001u}}) {
    EXPECT_TRUE(seen.contains(wanted)) << wanted.first << " " << wanted.second;
  }
}

TEST(Cases, BoolOperandsAreTruthValues) {
  for (const Strategy s :
       {Strategy::Exhaustive8, Strategy::Edge256, Strategy::Adversarial, Strategy::Random}) {
    const Cases cases("x", std::vector{DataType::U32, DataType::Bool}, s, 3);
    bool seen[2] = {false, false};
    for (uint64_t k = 0; k < std::min<uint64_t>(cases.size(), 5000); ++k) {
      ASSERT_LE(cases.at(k)[1], 1u);
      seen[cases.at(k)[1]] = true;
    }
    EXPECT_TRUE(seen[0] && seen[1]);
  }
}

TEST(Strategies, AreFoundByTheirText) {
  VYRE_ORACLE(Property, "the ledger");
  for (const StrategyInfo& s : kStrategies) EXPECT_EQ(find_strategy(s.text), s.strategy);
  EXPECT_EQ(find_strategy("randum"), std::nullopt);
}

}  // namespace
}  // namespace vyre::generate
