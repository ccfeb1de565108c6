// The detector and the exploration of schedules, each against something simpler.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "base/random.h"
#include "oracle.h"
#include "random/race_programs.h"
#include "ref/explore.h"
#include "ref/schedules.h"
#include "run_text.h"

VYRE_ORACLE(SpecificationTable, "semantics, \"Memory\"; orders counted by hand");

namespace vyre::ref {
namespace {

struct Seen {
  Toucher who;
  uint32_t epoch;
};
bool race(const Seen& a, const Seen& b) {
  if (a.who.workgroup == b.who.workgroup && a.who.local == b.who.local) return false;
  if (!conflict(a.who.kind, b.who.kind)) return false;
  return a.who.workgroup != b.who.workgroup || a.epoch == b.epoch;
}

// Histories of one word, of at most three workgroups with three invocations each, whose epochs go up.
TEST(RaceDetector, IsExactOnEveryHistory) {
  uint32_t racy = 0;
  for (uint64_t n = 0; n < 20'000; ++n) {
    RandomStream random(1, n);
    std::vector<Seen> history;
    std::array<uint32_t, 3> epochs{};
    // Kinds are drawn with a leaning, so that long histories without a race are met as well.
    const uint32_t leaning = random.next() % 4, length = 2 + random.next() % 7;
    for (uint32_t i = 0; i < length; ++i) {
      const uint32_t workgroup = random.next() % (1 + n % 3);
      epochs[workgroup] += random.next() % 3 == 0;
      const auto kind = leaning < 3 && random.next() % 6 != 0 ? leaning : random.next() % 3;
      history.push_back(
          {{workgroup, random.next() % 3, static_cast<AccessKind>(kind), {i, i + 1}}, epochs[workgroup]});
    }
    RaceDetector detector;
    bool expected = false;
    for (size_t i = 0; i < history.size() && !expected; ++i) {
      detector.access(BufferId{0}, 0, DataType::U32, false, history[i].epoch, history[i].who);
      for (size_t j = 0; j < i; ++j) expected |= race(history[i], history[j]);
      ASSERT_EQ(!detector.races().empty(), expected) << "history " << n << ", access " << i;
    }
    racy += expected;
    for (const Race& found : detector.races()) {
      EXPECT_TRUE(race(history[found.first.span.begin], history[found.second.span.begin])) << n;
    }
  }
  EXPECT_GT(racy, 5'000u);
  EXPECT_LT(racy, 18'000u);
}

TEST(RaceDetector, WordsOfWideElementsAndElementsOfHalves) {
  // Semantics, "Memory": a word of 32 bits, of 16-bit elements the element.
  const auto races = [](DataType type, uint64_t first, uint64_t second) {
    RaceDetector detector;
    detector.access(BufferId{0}, first, type, false, 0, {0, 0, AccessKind::Write, {1, 2}});
    detector.access(BufferId{0}, second, type, false, 0, {0, 1, AccessKind::Write, {3, 4}});
    return detector.races().size();
  };
  for (const DataType type : {DataType::F16, DataType::BF16, DataType::U32, DataType::Bool, DataType::U64,
                              DataType::Vec4U32, DataType::U128}) {
    EXPECT_EQ(races(type, 0, 1), 0u) << spec::text(type);
    EXPECT_EQ(races(type, 1, 1), 1u) << spec::text(type);
  }
}

struct Dispatch {
  check::Checked program;
  std::vector<Bytes> bytes;
  layout::Groups groups;

  Dispatch(std::string_view text, std::vector<size_t> words, layout::Groups the_groups = {1, 1, 1})
      : program(checked(text, {})), groups(the_groups) {
    for (const size_t n : words) bytes.emplace_back(n * 4);
  }
  std::vector<std::span<std::byte>> host() { return {bytes.begin(), bytes.end()}; }
  Exploration explored(const ExploreLimits& limits = {}) {
    const auto spans = host();
    auto out = explore(program, spans, groups, {}, limits);
    EXPECT_TRUE(out) << out.error().message;
    return *std::move(out);
  }
  /// Contents of the last buffer at the end, as words.
  std::set<Words> outcomes(bool* complete = nullptr) {
    const Exploration all = explored();
    EXPECT_TRUE(all.complete) << all.why_not;
    if (complete != nullptr) *complete = all.complete;
    std::set<Words> out;
    for (const auto& outcome : all.outcomes) {
      Words words(outcome.back().size() / 4);
      std::memcpy(words.data(), outcome.back().data(), outcome.back().size());
      out.insert(words);
    }
    return out;
  }
};

TEST(Explore, StoreBufferingHasItsFourOutcomes) {
  Dispatch dispatch(
      R"(program sb(read_write x: u32 @0, read_write y: u32 @1, read_write o: u32 @2) workgroup(2, 1, 1) {
  if (local_id.x == 0) {
    let w = atomic_exchange(x[0], 1);
    o[0] = atomic_or(y[0], 0);
  } else {
    let w = atomic_exchange(y[0], 1);
    o[1] = atomic_or(x[0], 0);
  }
})",
      {1, 1, 2});
  EXPECT_EQ(dispatch.outcomes(), (std::set<Words>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(Explore, MessagesMayBeSeenBeforeWhatTheyAnnounce) {
  constexpr std::string_view kText =
      R"(program mp(read_write x: u32 @0, read_write o: u32 @1) workgroup(2, 1, 1) {{
  if (local_id.x == 0) {{
    let d = atomic_exchange(x[1], 1);
    let f = atomic_exchange(x[0], 1);
  }}
  {}
  if (local_id.x == 1) {{
    o[0] = atomic_or(x[0], 0);
    o[1] = atomic_or(x[1], 0);
  }}
}})";
  EXPECT_EQ(Dispatch(fmt::format(kText, ""), {2, 2}).outcomes(),
            (std::set<Words>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(Dispatch(fmt::format(kText, "barrier;"), {2, 2}).outcomes(), (std::set<Words>{{1, 1}}));
}

TEST(Explore, IndependentReadersMayDisagree) {
  // Semantics, "Memory": each reader has four answers, and all sixteen are possible.
  Dispatch dispatch(
      R"(program iriw(read_write x: u32 @0, read_write y: u32 @1, read_write o: u32 @2) workgroup(4, 1, 1) {
  let l = local_id.x;
  if (l == 0) {
    let w = atomic_exchange(x[0], 1);
  }
  if (l == 1) {
    let w = atomic_exchange(y[0], 1);
  }
  if (l == 2) {
    o[0] = atomic_or(x[0], 0);
    o[1] = atomic_or(y[0], 0);
  }
  if (l == 3) {
    o[2] = atomic_or(y[0], 0);
    o[3] = atomic_or(x[0], 0);
  }
})",
      {1, 1, 4});
  const auto outcomes = dispatch.outcomes();
  EXPECT_EQ(outcomes.size(), 16u);
  EXPECT_TRUE(outcomes.contains({1, 0, 1, 0}));
}

TEST(Explore, OneWordHasOneOrder) {
  Dispatch dispatch(R"(program coherence(read_write x: u32 @0, read_write o: u32 @1) workgroup(2, 1, 1) {
  if (local_id.x == 0) {
    let a = atomic_exchange(x[0], 1);
    let b = atomic_exchange(x[0], 2);
  } else {
    o[0] = atomic_or(x[0], 0);
    o[1] = atomic_or(x[0], 0);
  }
})",
                    {1, 2});
  EXPECT_EQ(dispatch.outcomes(), (std::set<Words>{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}));
}

TEST(Explore, CountsSchedules) {
  // Binomials: two times two accesses that all touch go in 6 orders, apart in one.
  const auto executions = [](std::string_view index, bool all) {
    Dispatch dispatch(
        fmt::format("program p(read_write a: u32 @0) workgroup(2, 1, 1) {{\n  a[{0}] = 1;\n  a[{0}] = "
                    "2;\n}}",
                    index),
        {2});
    return dispatch.explored({.all_orders = all}).executions;
  };
  EXPECT_EQ(executions("0", true), 6u);
  EXPECT_EQ(executions("0", false), 6u);
  EXPECT_EQ(executions("local_id.x", true), 6u);
  EXPECT_EQ(executions("local_id.x", false), 1u);
}

TEST(Explore, TheReductionLosesNothing) {
  VYRE_ORACLE(Property, "every order of accesses, tried without the reduction");
  uint64_t fewer = 0, compared = 0;
  for (uint64_t n = 0; n < 400; ++n) {
    const test::RaceProgram program = test::racy_program(7, n);
    Dispatch dispatch(program.text, {3}, program.groups);
    const Exploration all = dispatch.explored({.all_orders = true});
    if (!all.complete) continue;
    ++compared;
    const Exploration reduced = dispatch.explored();
    ASSERT_TRUE(reduced.complete) << program.text;
    EXPECT_EQ(reduced.outcomes, all.outcomes) << program.text;
    const auto places = [](const Exploration& e) {
      std::set<std::pair<uint32_t, uint32_t>> out;
      for (const Race& r : e.races) out.insert(std::minmax(r.first.span.begin, r.second.span.begin));
      return out;
    };
    EXPECT_EQ(places(reduced), places(all)) << program.text;
    fewer += reduced.executions < all.executions;
  }
  EXPECT_GT(compared, 200u);
  EXPECT_GT(fewer, compared / 2);
}

TEST(Explore, SaysWhyItIsNotComplete) {
  Dispatch dispatch(
      "program p(read_write a: u32 @0) workgroup(8, 1, 1) {\n  a[0] = local_id.x;\n  a[0] = 1;\n}", {1});
  const Exploration some = dispatch.explored({.max_executions = 10});
  EXPECT_FALSE(some.complete);
  EXPECT_EQ(some.why_not, "more than 10 executions");
}

TEST(Races, DetectorAndExplorationAgree) {
  VYRE_ORACLE(Property, "the exploration: two that stand before conflicting accesses in some state");
  uint32_t racy = 0, in_order = 0;
  for (uint64_t n = 0; n < 500; ++n) {
    const test::RaceProgram program = test::racy_program(9, n);
    Dispatch dispatch(program.text, {3}, program.groups);
    const Exploration all = dispatch.explored({.max_executions = 2'000});
    const auto host = dispatch.host();
    if (all.races.empty()) continue;
    ++racy;
    // In the schedule that leads there the detector finds it, whatever it finds in others.
    const auto watched = replay(dispatch.program, host, dispatch.groups, {}, all.witness);
    ASSERT_TRUE(watched);
    EXPECT_FALSE(watched->races().empty()) << program.text;
    RaceDetector detector;
    ASSERT_TRUE(run_scheduled(dispatch.program, host, dispatch.groups, {}, {}, &detector));
    in_order += !detector.races().empty();
  }
  EXPECT_GT(racy, 150u);
  EXPECT_GT(in_order * 10, racy * 9);
}

TEST(Races, NoFalseAlarm) {
  VYRE_ORACLE(Property, "programs that cannot race by construction");
  for (uint64_t n = 0; n < 40; ++n) {
    const test::RaceProgram program = test::race_free_program(5, n);
    Dispatch dispatch(program.text, {12, 2}, program.groups);
    const auto host = dispatch.host();
    const auto found = find_races(dispatch.program, host, dispatch.groups, {});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(found->races.empty()) << program.text;
    EXPECT_FALSE(found->dependence) << program.text;
  }
}

TEST(Schedules, AllGiveWhatTheReferenceGives) {
  VYRE_ORACLE(ReferenceInterpreter, "ref::run(), of programs that cannot race");
  for (uint64_t n = 0; n < 200; ++n) {
    const test::RaceProgram program = test::race_free_program(6, n);
    Dispatch expected(program.text, {12, 2}, program.groups);
    ASSERT_TRUE(run(expected.program, expected.host(), expected.groups));
    using Kind = Schedule::Kind;
    for (const Schedule& schedule :
         {Schedule{Kind::InOrder}, Schedule{Kind::Reversed}, Schedule{Kind::Random, n}}) {
      Dispatch actual(program.text, {12, 2}, program.groups);
      ASSERT_TRUE(run_scheduled(actual.program, actual.host(), actual.groups, {}, schedule, nullptr));
      EXPECT_EQ(actual.bytes, expected.bytes) << program.text;
    }
  }
}

}  // namespace
}  // namespace vyre::ref
