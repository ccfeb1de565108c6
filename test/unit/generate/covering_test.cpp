// Covering arrays: every tuple that some allowed row has is in a row, counted by trying all rows.
#include "generate/covering.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "oracle.h"

VYRE_ORACLE(
    SpecificationTable,
    "by hand: ten factors of four levels need sixteen rows for pairs at least; AETG takes under thirty");

namespace vyre::generate {
namespace {

/// Five factors; the third goes with one level of the first, the fourth with the others; some pairs and a
/// triple are not allowed.
Factors small_system() {
  Factors out;
  out.levels = {3, 4, 3, 2, 5};
  out.with = {7, 7, 1, 6, 7};
  out.allows = [](std::span<const uint8_t> row) {
    if (row[1] == 3 && row[4] == 4) return false;
    if (row[2] == 2 && row[1] == 0) return false;
    return !(row[0] == 1 && row[1] == 2 && row[3] == 1);
  };
  return out;
}

/// Every allowed row, by trying all of them.
std::vector<Row> all_rows(const Factors& f) {
  std::vector<Row> out;
  Row row(f.levels.size(), 0);
  const std::function<void(size_t)> go = [&](size_t at) {
    if (at == row.size()) {
      if (!f.allows || f.allows(row)) out.push_back(row);
      return;
    }
    if (at != 0 && !f.applies(at, row[0])) {
      row[at] = kAbsent;
      return go(at + 1);
    }
    for (uint8_t level = 0; level < f.levels[at]; ++level) {
      row[at] = level;
      go(at + 1);
    }
  };
  go(0);
  return out;
}

using Choice = std::vector<std::pair<size_t, uint8_t>>;
/// The tuples of some rows, as sets of (factor, level).
std::set<Choice> tuples_of(const std::vector<Row>& rows, size_t strength) {
  std::set<Choice> out;
  Choice chosen;
  for (const Row& row : rows) {
    const std::function<void(size_t)> go = [&](size_t from) {
      if (chosen.size() == strength) {
        out.insert(chosen);
        return;
      }
      for (size_t f = from; f < row.size(); ++f) {
        if (row[f] >= kAbsent) continue;
        chosen.emplace_back(f, row[f]);
        go(f + 1);
        chosen.pop_back();
      }
    };
    go(0);
  }
  return out;
}

TEST(Covering, HasEveryFeasibleTupleAndNoOther) {
  VYRE_ORACLE(Property, "by brute force: every allowed row, and every tuple that one of them has");
  const Factors factors = small_system();
  const std::vector<Row> all = all_rows(factors);
  const std::set<Row> allowed(all.begin(), all.end());
  for (uint32_t strength = 1; strength <= 4; ++strength) {
    const std::set<Choice> feasible = tuples_of(all, strength);
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const Covering covering = cover(factors, strength, seed);
      EXPECT_EQ(tuples_of(covering.rows, strength), feasible) << strength << " of seed " << seed;
      EXPECT_EQ(covering.feasible, feasible.size());
      EXPECT_EQ(count_tuples(covering.rows, strength), feasible.size());
      for (const Row& row : covering.rows) EXPECT_TRUE(allowed.contains(row));
      if (strength < 4) EXPECT_LT(covering.rows.size(), all.size()) << "four levels are a whole row";
    }
  }
  EXPECT_GT(cover(factors, 3, 1).infeasible, 0u);
}

TEST(Covering, IsAFunctionOfItsSeedAndSmall) {
  Factors factors;
  factors.levels.assign(10, 4);
  factors.with.assign(10, 15);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Covering covering = cover(factors, 2, seed);
    EXPECT_EQ(covering.rows, cover(factors, 2, seed).rows);
    EXPECT_NE(covering.rows, cover(factors, 2, seed + 1).rows);
    EXPECT_GE(covering.rows.size(), 16u);
    EXPECT_LE(covering.rows.size(), 32u);
    EXPECT_EQ(covering.feasible, 45u * 16u);
    EXPECT_EQ(covering.infeasible, 0u);
  }
}

}  // namespace
}  // namespace vyre::generate
