// Litmus tests: which outcomes the judge allows is what the literature and the memory model say, outcome by
// outcome; and what no order of atomics could leave is named.
#include "verify/litmus.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "backend/backend.h"
#include "base/bytes.h"
#include "oracle.h"
#include "spec/ops.h"
#include "verify/families.h"
#include "verify/program_parity.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Memory\": one order for each word, and nothing orders two words; by hand");

namespace vyre::verify {
namespace {

using spec::Op;
using Outcomes = std::set<std::vector<uint32_t>>;

const LitmusTest& test_named(std::string_view name) {
  for (const LitmusTest& test : litmus_tests()) {
    if (test.name == name) return test;
  }
  throw std::runtime_error("no litmus test " + std::string(name));
}

bool changes_nothing(const LitmusAccess& a) { return a.op == Op::AtomicAdd && a.value == 0; }

/// What the reads of a test may see, over everything that writes may have seen and left. Values are 0 to 3.
Outcomes reads(const LitmusTest& test) {
  const size_t n = test.accesses(), words = test.words(), all = n + words;
  std::vector<bool> shown;
  for (const auto& role : test.roles) {
    for (const LitmusAccess& a : role) shown.push_back(changes_nothing(a));
  }
  Outcomes out;
  std::vector<uint32_t> values(all, 0);
  for (uint64_t code = 0; code < uint64_t{1} << (2 * all); ++code) {
    for (size_t k = 0; k < all; ++k) values[k] = code >> (2 * k) & 3;
    const std::span<const uint32_t> s(values);
    if (!forbids(test, s.first(n), s.subspan(n)).empty()) continue;
    std::vector<uint32_t> seen;
    for (size_t k = 0; k < n; ++k) {
      if (shown[k]) seen.push_back(values[k]);
    }
    out.insert(seen);
  }
  return out;
}

// covers: AT-02
TEST(Litmus, AllowsWhatTheModelAllows) {
  const Outcomes any_pair = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const std::map<std::string, Outcomes> allowed = {
      {"mp", any_pair},
      {"sb", any_pair},
      {"lb", any_pair},
      // A second read never goes back.
      {"co_rr", {{0, 0}, {0, 1}, {1, 1}}},
      {"co_ww", {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}},
      // After the own write its value or a later one.
      {"co_wr", {{1}, {2}}},
      // Before the own write never the own value.
      {"co_rw", {{0}, {2}}},
  };
  for (const auto& [name, outcomes] : allowed) EXPECT_EQ(reads(test_named(name)), outcomes) << name;
  EXPECT_EQ(reads(test_named("iriw")).size(), 16u);
  EXPECT_EQ(reads(test_named("wrc")).size(), 8u);
  // Two readers of two writers: each sees some of 0, first, second, in one order that is the same for both.
  Outcomes agree;
  for (const auto& order : {std::vector<uint32_t>{0, 1, 2}, std::vector<uint32_t>{0, 2, 1}}) {
    for (size_t a = 0; a < 3; ++a) {
      for (size_t b = a; b < 3; ++b) {
        for (size_t c = 0; c < 3; ++c) {
          for (size_t d = c; d < 3; ++d) agree.insert({order[a], order[b], order[c], order[d]});
        }
      }
    }
  }
  EXPECT_EQ(reads(test_named("co_rr_2")), agree);
}

TEST(Litmus, CrossedWritesMayEndEitherWay) {
  const LitmusTest& test = test_named("two_plus_two_w");
  // Accesses: x := 1, y := 2 and y := 1, x := 2. Each of the four ends, with what the writes then saw.
  for (const uint32_t x : {1u, 2u}) {
    for (const uint32_t y : {1u, 2u}) {
      const uint32_t saw[] = {x == 1 ? 2u : 0u, y == 2 ? 1u : 0u, y == 1 ? 2u : 0u, x == 2 ? 1u : 0u};
      const uint32_t left[] = {x, y};
      EXPECT_EQ(forbids(test, saw, left), "") << x << y;
      const uint32_t other[] = {3 - x, y};
      EXPECT_NE(forbids(test, saw, other), "") << x << y;
    }
  }
}

TEST(Litmus, EveryShapeIsJudged) {
  VYRE_ORACLE(ReferenceInterpreter,
              "the reference's runs are allowed; with one bit of them turned they are not");
  const auto reference = backend::make_reference();
  for (uint64_t k = 0; k < shapes(Family::Litmus); ++k) {
    const generate::ProgramCase c = family_case(Family::Litmus, 1, k);
    ASSERT_NE(c.outcome, nullptr);
    const auto checked = check::check(c.program, ops::op_table());
    ASSERT_TRUE(checked);
    auto pipeline = reference->compile(*checked);
    std::vector<Bytes> left = c.buffers;
    std::vector<std::span<std::byte>> host(left.begin(), left.end());
    ASSERT_TRUE((*pipeline)->dispatch(host, c.groups));
    ASSERT_EQ(c.outcome(c, left), "") << shape_name(Family::Litmus, k);
    // The first word of memory is of an instance or history that was run.
    std::vector<Bytes> wrong = left;
    wrong[0][0] ^= std::byte{64};
    EXPECT_NE(c.outcome(c, wrong), "") << shape_name(Family::Litmus, k);
    // And so is what the first invocation saw.
    wrong = left;
    wrong.back()[3] ^= std::byte{1};
    EXPECT_NE(c.outcome(c, wrong), "") << shape_name(Family::Litmus, k);
    // Zeros for what was allowed, so that equal verdicts are equal bytes.
    const auto run = run_on(**pipeline, c);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->forbidden, "");
    for (const Bytes& buffer : run->buffers) EXPECT_EQ(buffer, Bytes(buffer.size()));
  }
}

}  // namespace
}  // namespace vyre::verify
