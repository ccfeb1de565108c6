// The engine's counterexample is the smallest there is: on 200 planted violations it is what a plain loop
// finds.
#include "violations.h"

#include <gtest/gtest.h>

#include <set>

#include "algebra/engine.h"
#include "oracle.h"

VYRE_ORACLE(CpuReference, "a plain loop in the order of SEMANTICS, Laws and evidence");

namespace vyre::algebra::planted {
namespace {

TEST(Violations, AreTwoHundredAndOfEveryKind) {
  VYRE_ORACLE(Property, "the ledger of laws: every kind can be violated");
  ASSERT_EQ(violations().size(), kViolations);
  std::set<spec::LawKind> kinds;
  for (const Plant& plant : violations()) kinds.insert(plant.law.kind);
  for (const spec::LawInfo& info : spec::kLaws) EXPECT_TRUE(kinds.contains(info.kind)) << info.name;
}

TEST(Violations, TheEngineFindsTheSmallestCounterexample) {
  ASSERT_EQ(violations().size(), kViolations);
  SpecEvaluator evaluator;
  EngineOptions options;
  options.edge256 = false;
  options.witnessed = 0;
  for (size_t i = 0; i < kViolations; ++i) {
    const Plant& plant = violations()[i];
    const ops::Operation operation = operation_of(i);
    const auto verdict = check_law(plant.law, operation, evaluator, options, find_plain);
    ASSERT_TRUE(verdict.has_value());
    ASSERT_EQ(verdict->outcome, Outcome::Refuted)
        << i << ": " << spec::to_string(plant.law) << " of " << operation.id << verdict->reason;
    EXPECT_EQ(verdict->counterexample->values, *smallest_failure(plant, 0xffffffff)) << i;
    EXPECT_TRUE(verdict->counterexample->smallest) << i;
  }
}

}  // namespace
}  // namespace vyre::algebra::planted
