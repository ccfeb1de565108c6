// Engines as subjects of certificates: a right backend reaches L3, each of the wrong ones is refused with a
// case that replays, and nothing can be left out.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/native/native.h"
#include "certify/certificate.h"
#include "certify/console.h"
#include "engine_faults.h"
#include "oracle.h"
#include "suite/replay.h"
#include "suite/suite.h"

VYRE_ORACLE(Property, "engine_faults.def: what is wrong with each backend is said where it is planted");

namespace vyre::suite {
namespace {

using certify::Certificate;
using certify::Level;
using faults::EngineFault;

std::unique_ptr<backend::Backend> native() { return backend::make_native({.threads = 1}).value(); }

Certificate certified(backend::Backend& backend, std::string_view selection) {
  Plan plan;
  plan.strength = verify::Strength::Quick;
  plan.selection = selection;
  plan.family_selection = "none";
  auto run = suite::run(backend, plan, {}, nullptr);
  EXPECT_TRUE(run) << run.error().message;
  return std::move(run->certificate);
}

TEST(Engines, OfARightBackendReachL3) {
  const auto right = native();
  for (const std::string_view engine : {"engine.prefix", "engine.generated"}) {
    const Certificate c = certified(*right, engine);
    EXPECT_TRUE(c.passed()) << c.level_line();
    EXPECT_EQ(c.level(), Level::L3) << certify::report(c, {});
    EXPECT_TRUE(expect_complete(c));
    const auto again = certify::parse(certify::print(c));
    ASSERT_FALSE(c.verdicts.empty());
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->verdicts, c.verdicts);
    const auto refused = [&](auto change) {
      Certificate other = c;
      change(other.verdicts.at(0));
      return !expect_complete(other);
    };
    EXPECT_TRUE(refused([](verify::Verdict& v) { v.invariants.pop_back(); }));
    EXPECT_TRUE(refused([](verify::Verdict& v) { v.invariants[0].invariant = "Idempotent"; }));
    EXPECT_TRUE(refused([](verify::Verdict& v) { --v.invariants[0].cases.planned; }));
    EXPECT_TRUE(refused([](verify::Verdict& v) { v.kind = verify::SubjectKind::BufferOperation; }));
  }
}

/// An engine that shows it: with a repeat of a few turns where there must be one, as a wrong word makes those
/// of a graph take as many as it has vertices.
std::string_view engine_of(EngineFault fault) {
  if (fault == EngineFault::TurnMissing || fault == EngineFault::WordIgnored ||
      fault == EngineFault::WorkgroupLost)
    return "engine.scatter_gather";
  if (fault == EngineFault::HistoryInScratch) return "engine.tokens";  // counts in scratch
  // Other engines take bounds of loops from buffers, and go on for long with those of another run.
  return fault == EngineFault::StaleArguments ? "engine.prefix" : "engine.sort";
}

class AWrongBackend : public testing::TestWithParam<faults::EngineFaultInfo> {};

// covers: LV-09
TEST_P(AWrongBackend, IsRefused) {
  const auto wrong = faults::make_engine_fault(GetParam().fault, native());
  const auto right = native();
  const Certificate c = certified(*wrong, engine_of(GetParam().fault));
  EXPECT_FALSE(c.passed()) << GetParam().meaning;
  bool replayed = false;
  for (const verify::Failure& failure : c.verdicts.at(0).failures) {
    if (replayed) break;
    const auto on_wrong = replay(failure.token, *wrong), on_right = replay(failure.token, *right);
    ASSERT_TRUE(on_wrong && on_right) << failure.token;
    EXPECT_FALSE(on_right->fails) << failure.token;
    replayed = on_wrong->fails;
  }
  // What shows once in a thousand dispatches need not show again in eight.
  if (GetParam().fault != EngineFault::DispatchSkipped) EXPECT_TRUE(replayed);
}

INSTANTIATE_TEST_SUITE_P(Ledger, AWrongBackend, testing::ValuesIn(faults::kEngineFaults),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Engines, TokensOfWhatThereIsNotAreRefused) {
  const auto right = native();
  for (const char* token : {"engine.prefix@1:Termination-3:1:0", "engine.prefix@1:Sorted:1:0",
                            "engine.prefix@1:Ordered-x:1:0", "engine.nothing@1:Ordered:1:0",
                            "engine.generated@1:Ordered:1:0", "engine.generated@1:Ordered-3-k99:1:0"})
    EXPECT_FALSE(replay(token, *right)) << token;
}

}  // namespace
}  // namespace vyre::suite
