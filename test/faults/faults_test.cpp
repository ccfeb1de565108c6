// Who is attributed: each mode of the fault-injecting backend, certified in workers and, where a fault cannot
// take the process along, in this process. What is expected stands in the table below and follows from what
// the backend does (modes.def, faults.h), never from what a judge said.
#include "faults.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "generate/cases.h"
#include "oracle.h"
#include "suite/suite.h"
#include "support.h"
#include "verify/verdict.h"
#include "worker/worker.h"

VYRE_ORACLE(SpecificationTable,
            "modes.def and faults.h: the fault that was planted, and the case that it strikes");

namespace vyre::faults {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::ElementsAreArray;
using verify::Failure;
using verify::Fault;
using verify::Verdict;

/// Who is the culprit, by construction.
enum class Culprit : uint8_t {
  None,      // and the backend reaches L2
  Trigger,   // the one case whose operands are the trigger
  Everyone,  // all cases are answered wrong
  Logged,    // whom the backend says that it struck
  Claim,     // no case: what the backend says of itself
};

struct Expectation {
  Mode mode;
  Culprit culprit;
  Fault fault = Fault::WrongValue;
  /// What is said of it without a process of its own, where the tool survives that and can say it: without
  /// fresh starts it is not known what an answer owes to what ran before.
  std::optional<Fault> in_process = fault;
};

constexpr auto kExpectations = std::to_array<Expectation>({
    {Mode::None, Culprit::None},
    {Mode::Segfault, Culprit::Trigger, Fault::Crashed, {}},
    {Mode::Abort, Culprit::Trigger, Fault::Crashed, {}},
    {Mode::Hang, Culprit::Trigger, Fault::Hung, {}},
    {Mode::DeviceLost, Culprit::Trigger, Fault::LostDevice, {}},
    {Mode::OutOfMemory, Culprit::Trigger, Fault::Refused, {}},
    {Mode::Crowded, Culprit::None, Fault::WrongValue, {}},
    {Mode::WrongSize, Culprit::Trigger, Fault::BrokeContract, {}},
    {Mode::PartialWrite, Culprit::Trigger, Fault::NotWritten},
    {Mode::Stale, Culprit::Trigger, Fault::OrderDependent, {}},
    {Mode::Flaky, Culprit::Logged, Fault::Flaky},
    {Mode::Neighbour, Culprit::Trigger, Fault::OrderDependent},
    {Mode::Garbage, Culprit::Trigger, Fault::WrongValue},
    {Mode::LateWrite, Culprit::Trigger, Fault::LateWrite, {}},
    {Mode::FalseClaim, Culprit::Claim, Fault::FalseClaim},
    {Mode::FalseWorkgroup, Culprit::Claim, Fault::FalseClaim, {}},
    {Mode::LawsNotValues, Culprit::Everyone, Fault::WrongValue},
    {Mode::WrongValue, Culprit::Trigger, Fault::WrongValue},
    {Mode::WritesOutside, Culprit::Trigger, Fault::WroteOutside},
});
static_assert([] {
  if (kExpectations.size() != kModes.size()) return false;
  for (size_t k = 0; k < kModes.size(); ++k) {
    if (kExpectations[k].mode != kModes[k].mode) return false;
  }
  return true;
}());

suite::Plan plan_of(const Expectation& expectation) {
  suite::Plan plan;
  plan.strength = verify::Strength::Quick;
  plan.selection = std::string(kOperation);
  plan.families.emplace();
  if (expectation.mode == Mode::FalseClaim) plan.families = {verify::Family::Subgroups};
  if (expectation.mode == Mode::Flaky) {
    // So many that, with those of laws, missing it has odds of e^-16.
    plan.operation_plan = verify::operation_plan(plan.strength);
    plan.operation_plan->repeated_evaluations = 12'000'000;
  }
  return plan;
}

/// Processes of this one that are left, zombies among them.
std::vector<int> children() {
  std::vector<int> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(entry.path() / "children");
    for (int pid = 0; list >> pid;) out.push_back(pid);
  }
  return out;
}

std::set<std::vector<uint32_t>> logged(const std::filesystem::path& path) {
  std::set<std::vector<uint32_t>> out;
  std::ifstream file(path);
  for (uint32_t a = 0, b = 0; file >> a >> b;) out.insert({a, b});
  return out;
}

std::string describe(const Verdict& verdict) {
  std::string out = verdict.subject + ": " + verdict.error;
  for (const Failure& f : verdict.failures) {
    out += "\n  " + std::string(text(f.fault)) + " " + f.token + " (" + f.note + ")";
    for (const std::string& token : f.history) out += " after " + token;
  }
  return out;
}

class FaultTest : public testing::TestWithParam<Expectation> {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "faults_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    setenv("VYRE_FAULT_LOG", log().c_str(), 1);
    // A worker writes where drivers keep their caches, and nowhere else of the user's.
    setenv("CUDA_CACHE_PATH", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("VYRE_FAULT_LOG");
    unsetenv("CUDA_CACHE_PATH");
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::path log() const { return folder_ / "strikes"; }

  void judge(const suite::Opener& open, Fault fault) {
    const auto run = suite::run(open, 1, plan_of(GetParam()), {}, nullptr);
    ASSERT_TRUE(run) << run.error().message;
    expect_culprit(run->certificate, fault);
    EXPECT_THAT(children(), testing::IsEmpty());
    expect_replays(run->certificate);
    // Nothing was left behind, a core file for one.
    std::filesystem::remove(log());
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
  }

  void expect_culprit(const certify::Certificate& certificate, Fault fault) const {
    const Expectation& expected = GetParam();
    const Verdict& operation = certificate.verdicts.front();
    ASSERT_EQ(operation.subject, kSubject);
    uint64_t failures = 0;
    for (const Verdict& verdict : certificate.verdicts) {
      SCOPED_TRACE(describe(verdict));
      // Without its pipelines a subject ends.
      if (expected.mode != Mode::FalseWorkgroup) EXPECT_EQ(verdict.error, "");
      failures += verdict.failure_count;
      EXPECT_THAT(verdict.failures, Each(testing::Field(&Failure::fault, fault)));
    }
    EXPECT_EQ(failures == 0, expected.culprit == Culprit::None);
    // As if there were no other families than those of the plan.
    const auto families = uint32_t(certificate.verdicts.size() - 1);
    const certify::Level level =
        certify::level_of(verify::Track::Integer, certificate.verdicts, certificate.strength, families);
    EXPECT_EQ(level, expected.culprit == Culprit::None ? certify::Level::L2 : certify::Level::None);
    SCOPED_TRACE(describe(operation));
    switch (expected.culprit) {
      case Culprit::None:
      case Culprit::Claim: return;
      case Culprit::Trigger: expect_trigger(operation); return;
      case Culprit::Everyone: expect_laws_hold(operation); return;
      case Culprit::Logged:
        for (const Failure& f : operation.failures) {
          // A law's variables are not the operands of the case that was struck.
          if (f.check != verify::Check::Law) EXPECT_TRUE(logged(log()).contains(f.input));
        }
        return;
    }
  }

  /// Each token shows the failure again, in a process of its own, and none on native. One token a verdict is
  /// enough where every case is wrong.
  void expect_replays(const certify::Certificate& certificate) const {
    for (const Verdict& verdict : certificate.verdicts) {
      if (verdict.failures.empty()) continue;
      const std::string& token = verdict.failures.front().token;
      SCOPED_TRACE(token);
      EXPECT_EQ(replay(token, "native"), 0);
      const int again = replay(token, spec_of(GetParam().mode));
      if (GetParam().mode == Mode::Flaky) {
        EXPECT_THAT(again, AnyOf(0, 1));
      } else {
        EXPECT_EQ(again, 1);
      }
    }
  }

  /// The exit code of `vyre-conform replay`, run in the test's folder.
  int replay(const std::string& token, const std::string& backend) const {
    const double budget = worker_options(GetParam().mode).dispatch_seconds;
    const std::string command =
        fmt::format("cd '{}' && exec '{}' replay '{}' --backend '{}' --budget {} > /dev/null 2>&1",
                    folder_.string(), VYRE_CONFORM, token, backend, budget);
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  static void expect_trigger(const Verdict& verdict) {
    EXPECT_EQ(verdict.failure_count, 1u);
    ASSERT_EQ(verdict.failures.size(), 1u);
    EXPECT_THAT(verdict.failures[0].input, ElementsAreArray(kTrigger));
    EXPECT_EQ(verdict.failures[0].token.substr(0, kTriggerToken.size()), kTriggerToken);
    for (const auto& law : verdict.laws) {
      EXPECT_THAT(law.evidence, Each(testing::Field(&verify::Evidence::holds, true))) << law.law;
    }
  }

  static void expect_laws_hold(const Verdict& verdict) {
    EXPECT_FALSE(verdict.laws.empty());
    for (const auto& law : verdict.laws) {
      EXPECT_THAT(law.evidence, Each(testing::Field(&verify::Evidence::holds, true))) << law.law;
    }
    for (const Failure& f : verdict.failures) EXPECT_EQ(f.check, verify::Check::Parity);
  }

 private:
  std::filesystem::path folder_;
};

class FaultInAWorker : public FaultTest {};
TEST_P(FaultInAWorker, NamesItsCulpritAlone) {
  judge([] { return worker::make_worker(worker_options(GetParam().mode)); }, GetParam().fault);
}

class FaultInThisProcess : public FaultTest {};
TEST_P(FaultInThisProcess, NamesItsCulpritAlone) {
  judge([] { return backend::open(spec_of(GetParam().mode)); }, *GetParam().in_process);
}

std::string name_of(const testing::TestParamInfo<Expectation>& info) {
  return std::string(kModes[size_t(info.param.mode)].text);
}
std::vector<Expectation> in_this_process() {
  std::vector<Expectation> out;
  std::ranges::copy_if(kExpectations, std::back_inserter(out),
                       [](const Expectation& e) { return e.in_process.has_value(); });
  return out;
}
INSTANTIATE_TEST_SUITE_P(Modes, FaultInAWorker, testing::ValuesIn(kExpectations), name_of);
INSTANTIATE_TEST_SUITE_P(Modes, FaultInThisProcess, testing::ValuesIn(in_this_process()), name_of);

// The trigger is what its token says: else every test here would look for a case that is never run.
TEST(Trigger, IsTheCaseOfItsToken) {
  const auto operations = suite::select(kOperation);
  ASSERT_TRUE(operations);
  EXPECT_EQ(generate::Cases(*operations->operations.front(), generate::Strategy::Random, 1).at(137)[0],
            kTrigger[0]);
  EXPECT_EQ(generate::Cases(*operations->operations.front(), generate::Strategy::Random, 1).at(137)[1],
            kTrigger[1]);
}

}  // namespace
}  // namespace vyre::faults
