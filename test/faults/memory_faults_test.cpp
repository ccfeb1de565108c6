// Planted faults of memory: a certification at its quick strength refuses each, by the family that is there
// for it, and names a case that shows the fault again.
#include "memory_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certify/level.h"
#include "oracle.h"
#include "suite/replay.h"
#include "suite/suite.h"

VYRE_ORACLE(SpecificationTable,
            "memory_faults.def: what was planted contradicts the specification's sentence");

namespace vyre::faults {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using verify::Family;

/// What `vyre-conform certify --strength quick` runs of the two families, beside one operation.
suite::Plan plan() {
  suite::Plan out;
  out.strength = verify::Strength::Quick;
  out.selection = "primitive.bitwise.not";
  out.families = {Family::Synchronization, Family::Litmus};
  out.operation_plan = verify::operation_plan(out.strength);
  out.operation_plan->laws = false;
  return out;
}

/// The verdict on a family of a run.
const verify::Verdict& verdict_on(const suite::Run& run, Family family) {
  for (const verify::Verdict& v : run.certificate.verdicts) {
    if (v.subject == verify::info(family).text) return v;
  }
  static const verify::Verdict missing;
  ADD_FAILURE() << "no verdict on " << verify::info(family).text;
  return missing;
}

class AMemoryFault : public testing::TestWithParam<MemoryFaultInfo> {};

TEST_P(AMemoryFault, IsRefusedByCertification) {
  const MemoryFaultInfo& fault = GetParam();
  Forgetful wrong(fault.fault);
  const auto run = suite::run(wrong, plan(), {}, nullptr);
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_EQ(certify::level_of(verify::Track::Integer, run->certificate.verdicts, verify::Strength::Quick, 2),
            certify::Level::None);
  const verify::Verdict& verdict = verdict_on(*run, fault.family);
  EXPECT_EQ(verdict.error, "") << "refused for another reason than its answers";
  ASSERT_GT(verdict.failure_count, 0u) << fault.meaning;
  const verify::Failure& first = verdict.failures.front();
  EXPECT_EQ(first.fault, verify::Fault::WrongValue);
  EXPECT_THAT(first.token, StartsWith(std::string(verdict.subject)));
  if (fault.family == Family::Litmus) {
    EXPECT_THAT(first.note, HasSubstr("not allowed"));
  }
  const auto again = suite::replay(first.token, wrong);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->fails) << again->report;
  Forgetful right(MemoryFault::None);
  const auto passes = suite::replay(first.token, right);
  ASSERT_TRUE(passes) << passes.error().message;
  EXPECT_FALSE(passes->fails) << passes->report;
}

INSTANTIATE_TEST_SUITE_P(Ledger, AMemoryFault, testing::ValuesIn(kMemoryFaults),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(NoMemoryFault, IsCertified) {
  VYRE_ORACLE(Property, "without a fault the backend is the reference's evaluator");
  Forgetful right(MemoryFault::None);
  const auto run = suite::run(right, plan(), {}, nullptr);
  ASSERT_TRUE(run.has_value()) << run.error().message;
  for (const Family family : {Family::Synchronization, Family::Litmus}) {
    const verify::Verdict& verdict = verdict_on(*run, family);
    EXPECT_EQ(verdict.error, "");
    EXPECT_EQ(verdict.failure_count, 0u) << verdict.failures.front().note;
    ASSERT_FALSE(verdict.parity.empty());
    EXPECT_TRUE(verdict.parity.front().tally.whole());
    EXPECT_TRUE(verdict.determinism.whole());
  }
}

}  // namespace
}  // namespace vyre::faults
