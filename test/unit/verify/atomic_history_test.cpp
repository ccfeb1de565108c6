// Histories of atomics: Euler's walk says what trying every order says, and each property that the
// specification lists follows.
#include "verify/atomic_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <optional>
#include <random>

#include "atomic_orders.h"
#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(Property,
            "all orders of up to 6 events, tried one by one with the specification's table; a history made "
            "by doing the events one after the other can have happened");

namespace vyre::verify {
namespace {

using spec::Op;

struct Tried {
  uint64_t histories = 0, ordered = 0;
};

void compare(const AtomicHistory& h, Tried& tried) {
  const AtomicOrder answer = order_of(h);
  ASSERT_NE(answer.ordered, Ordered::Undecided) << answer.reason;
  const bool possible = by_trying(h);
  ASSERT_EQ(answer.ordered == Ordered::Yes, possible) << answer.reason;
  if (possible) {
    ASSERT_TRUE(explains(h, answer));
  } else {
    ASSERT_FALSE(answer.reason.empty());
  }
  ++tried.histories;
  tried.ordered += possible;
}

/// Every history of exactly n of these events, between all pairs of ends.
void compare_all(std::span<const AtomicEvent> letters, uint32_t n, uint32_t values, Tried& tried) {
  for_all_multisets(letters, n, [&](std::span<const AtomicEvent> events) {
    for (uint32_t first = 0; first < values; ++first) {
      for (uint32_t last = 0; last < values; ++last) {
        compare({first, last, events}, tried);
        if (testing::Test::HasFatalFailure()) return false;
      }
    }
    return true;
  });
}

constexpr Op kAtomics[] = {Op::AtomicAdd, Op::AtomicOr,  Op::AtomicAnd,      Op::AtomicXor,
                           Op::AtomicMin, Op::AtomicMax, Op::AtomicExchange, Op::AtomicCompareExchange};

TEST(AtomicHistory, EveryOperatorAloneAgreesWithTryingAllOrders) {
  for (const Op op : kAtomics) {
    std::vector<AtomicEvent> letters;
    for (uint32_t saw = 0; saw < 3; ++saw) {
      for (uint32_t value = 0; value < 3; ++value) {
        for (uint32_t expected = 0; expected < (op == Op::AtomicCompareExchange ? 2u : 1u); ++expected)
          letters.push_back({op, saw, value, expected, 0});
      }
    }
    Tried tried;
    const uint32_t most = op == Op::AtomicCompareExchange ? 4 : 6;
    for (uint32_t n = 0; n <= most; ++n) compare_all(letters, n, 3, tried);
    EXPECT_GT(tried.ordered, 100u);
    EXPECT_GT(tried.histories, 4 * tried.ordered);
  }
}

TEST(AtomicHistory, MixturesAgreeWithTryingAllOrders) {
  std::vector<AtomicEvent> few, all;
  for (uint32_t saw = 0; saw < 4; ++saw) {
    few.push_back({Op::AtomicAdd, saw, 1});
    few.push_back({Op::AtomicExchange, saw, 1});
    few.push_back({Op::AtomicCompareExchange, saw, 2, 1});
    for (const Op op : kAtomics) all.push_back({op, saw, 2, 1});
  }
  Tried tried;
  for (uint32_t n = 0; n <= 6; ++n) compare_all(few, n, 4, tried);
  for (uint32_t n = 1; n <= 3; ++n) compare_all(all, n, 4, tried);
  EXPECT_GT(tried.ordered, 1000u);
}

TEST(AtomicHistory, ProgramOrderAgreesWithTryingAllOrders) {
  // How many events each invocation has.
  const std::vector<std::vector<uint32_t>> shapes = {{6},       {5, 1},    {4, 2}, {3, 3},
                                                     {2, 2, 2}, {3, 2, 1}, {2, 2}};
  const AtomicEvent letters[] = {{Op::AtomicAdd, 0, 1}, {Op::AtomicAdd, 1, 1},
                                 {Op::AtomicXor, 1, 1}, {Op::AtomicExchange, 2, 0},
                                 {Op::AtomicMax, 1, 1}, {Op::AtomicCompareExchange, 0, 2, 0}};
  Tried tried;
  for (const auto& shape : shapes) {
    const uint32_t n = std::accumulate(shape.begin(), shape.end(), 0u);
    std::vector<uint32_t> owner;
    for (uint32_t i = 0; i < shape.size(); ++i) owner.insert(owner.end(), shape[i], i);
    uint64_t count = 1;
    for (uint32_t k = 0; k < n; ++k) count *= std::size(letters);
    std::vector<AtomicEvent> events(n);
    for (uint64_t number = 0; number < count; ++number) {
      uint64_t rest = number;
      for (uint32_t k = 0; k < n; ++k, rest /= std::size(letters)) {
        events[k] = letters[rest % std::size(letters)];
        events[k].invocation = owner[k];
      }
      // One last value that the events can leave, and one that they cannot.
      for (const uint32_t last : {0u, 2u}) {
        compare({0, last, events}, tried);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(tried.ordered, 300u);
}

// covers: AT-02
TEST(AtomicHistory, TheListedPropertiesFollow) {
  VYRE_ORACLE(SpecificationTable,
              "vyre-conform-spec, Atomic Operations: the observable properties, one by one");
  const auto ordered = [](uint32_t first, uint32_t last, std::vector<AtomicEvent> events) {
    for (uint32_t k = 0; k < events.size(); ++k) events[k].invocation = k;
    return order_of({first, last, events}).ordered == Ordered::Yes;
  };
  // Add: a consecutive permutation, and the sum of all at the end.
  EXPECT_TRUE(ordered(5, 8, {{Op::AtomicAdd, 7, 1}, {Op::AtomicAdd, 5, 1}, {Op::AtomicAdd, 6, 1}}));
  EXPECT_FALSE(ordered(5, 8, {{Op::AtomicAdd, 6, 1}, {Op::AtomicAdd, 5, 1}, {Op::AtomicAdd, 6, 1}}));
  EXPECT_FALSE(ordered(5, 7, {{Op::AtomicAdd, 7, 1}, {Op::AtomicAdd, 5, 1}, {Op::AtomicAdd, 6, 1}}));
  EXPECT_TRUE(ordered(UINT32_MAX, 2, {{Op::AtomicAdd, 1, 1}, {Op::AtomicAdd, UINT32_MAX, 2}}));
  // CompareExchange: one success for a value that changes.
  EXPECT_TRUE(ordered(0, 3, {{Op::AtomicCompareExchange, 3, 4, 0}, {Op::AtomicCompareExchange, 0, 3, 0}}));
  EXPECT_FALSE(ordered(0, 3, {{Op::AtomicCompareExchange, 0, 3, 0}, {Op::AtomicCompareExchange, 0, 3, 0}}));
  // Where it changes nothing any number may succeed.
  EXPECT_TRUE(ordered(0, 0, {{Op::AtomicCompareExchange, 0, 0, 0}, {Op::AtomicCompareExchange, 0, 0, 0}}));
  // Bitwise: one order of them.
  EXPECT_TRUE(ordered(0, 7, {{Op::AtomicOr, 1, 6}, {Op::AtomicOr, 0, 1}}));
  EXPECT_FALSE(ordered(0, 7, {{Op::AtomicOr, 0, 6}, {Op::AtomicOr, 0, 1}}));
  EXPECT_FALSE(ordered(7, 0, {{Op::AtomicAnd, 7, 3}, {Op::AtomicAnd, 1, 0}}));
  EXPECT_TRUE(ordered(5, 5, {{Op::AtomicXor, 5, 3}, {Op::AtomicXor, 6, 3}}));
  // Min and max: towards the last value only.
  EXPECT_TRUE(ordered(9, 2, {{Op::AtomicMin, 4, 2}, {Op::AtomicMin, 9, 4}, {Op::AtomicMin, 2, 8}}));
  EXPECT_FALSE(ordered(9, 4, {{Op::AtomicMin, 9, 2}, {Op::AtomicMin, 2, 4}}));
  EXPECT_FALSE(ordered(1, 6, {{Op::AtomicMax, 6, 3}, {Op::AtomicMax, 1, 3}}));
  // Exchange: a chain that ends in what is left.
  EXPECT_TRUE(ordered(1, 4, {{Op::AtomicExchange, 3, 4}, {Op::AtomicExchange, 1, 3}}));
  EXPECT_FALSE(ordered(1, 3, {{Op::AtomicExchange, 3, 4}, {Op::AtomicExchange, 1, 3}}));
  EXPECT_FALSE(ordered(1, 4, {{Op::AtomicExchange, 1, 4}, {Op::AtomicExchange, 1, 3}}));
  // A circle of its own, that balances everywhere and that nothing leads to.
  EXPECT_FALSE(
      ordered(0, 1, {{Op::AtomicExchange, 0, 1}, {Op::AtomicExchange, 5, 6}, {Op::AtomicExchange, 6, 5}}));
}

/// A history as it happened, shuffled: invocation k makes the events k, k + invocations, ...
std::vector<AtomicEvent> happened(uint32_t n, uint32_t invocations, Op op, uint32_t& word) {
  std::mt19937 random(7);
  std::vector<AtomicEvent> events(n);
  for (uint32_t k = 0; k < n; ++k) {
    AtomicEvent& e = events[k];
    e = {op, word, op == Op::AtomicAdd ? 1 + (k & 7) : uint32_t(random()), 0, k % invocations};
    if (op == Op::AtomicCompareExchange) e.expected = k % 3 == 0 ? word : word + 1;
    word = after(e, word);
  }
  if (invocations == n) std::ranges::shuffle(events, random);
  return events;
}

TEST(AtomicHistory, AMillionEventsAreDecided) {
  for (const Op op : kAtomics) {
    constexpr uint32_t n = 1'000'000;
    for (const uint32_t invocations : {n, 1024u}) {
      const bool unique = op == Op::AtomicAdd || op == Op::AtomicExchange || op == Op::AtomicCompareExchange;
      if (invocations != n && !unique) continue;
      uint32_t word = 12345;
      std::vector<AtomicEvent> events = happened(n, invocations, op, word);
      const std::clock_t begin = std::clock();
      const AtomicOrder answer = order_of({12345, word, events});
      const double took = double(std::clock() - begin) / CLOCKS_PER_SEC;
      // With program order an exchange that meets a value again may be beyond the search.
      if (invocations == n || op == Op::AtomicAdd) {
        ASSERT_EQ(answer.ordered, Ordered::Yes) << answer.reason;
        EXPECT_EQ(answer.order.size(), n);
      }
      ASSERT_NE(answer.ordered, Ordered::No) << answer.reason;
      RecordProperty(std::string(spec::info(op).mnemonic) + (invocations == n ? "_ms" : "_in_order_ms"),
                     int(took * 1000));
      // One that was lost is noticed.
      if (op == Op::AtomicAdd) {
        events[500'000].saw = events[500'001].saw;
        EXPECT_EQ(order_of({12345, word, events}).ordered, Ordered::No);
      }
    }
  }
}

TEST(AtomicHistory, WhatIsTooMuchToSearchIsUndecided) {
  // No budget, no answer: and neither yes nor no is guessed.
  // Two invocations whose walk depends on who goes first at 0.
  const AtomicEvent events[] = {{Op::AtomicXor, 0, 1, 0, 0},
                                {Op::AtomicXor, 0, 2, 0, 0},
                                {Op::AtomicXor, 2, 2, 0, 1},
                                {Op::AtomicXor, 1, 1, 0, 1}};
  const AtomicHistory h{0, 0, events};
  EXPECT_EQ(order_of(h, 0).ordered, Ordered::Undecided);
  EXPECT_EQ(order_of(h).ordered == Ordered::Yes, by_trying(h));
}

}  // namespace
}  // namespace vyre::verify
