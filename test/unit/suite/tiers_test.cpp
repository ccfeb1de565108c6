// Tiers: the plans of the three strengths against the sentence that promises them.
#include <gtest/gtest.h>

#include "certify/level.h"
#include "ops/registry.h"
#include "oracle.h"
#include "verify/operation.h"
#include "verify/parity.h"

VYRE_ORACLE(SpecificationTable, "semantics, \"Laws and evidence\": the tiers");

namespace vyre::verify {
namespace {

/// Cases of parity that the plan of a strength has for an operation, beside its rows.
uint64_t planned_cases(const ops::Operation& operation, Strength strength) {
  uint64_t sum = 0;
  for (const Task& task : tasks_of(operation, operation_plan(strength), 1)) {
    if (task.kind == Task::Kind::Cases) sum += task.count;
  }
  return sum;
}

// "quick keeps the full law verification and cuts parity to 10^4 cases an operation; standard runs >= 10^6;
// full
// >= 10^8 in all, and every domain of at most 2^32 inputs whole."
TEST(Tiers, QuickCutsParityAndNoLaw) {
  for (const ops::Operation& op : ops::all_operations())
    EXPECT_EQ(planned_cases(op, Strength::Quick), 10'000u) << op.id;
  const OperationPlan quick = operation_plan(Strength::Quick), standard = operation_plan(Strength::Standard);
  EXPECT_TRUE(quick.laws);
  EXPECT_EQ(quick.witnessed, standard.witnessed);
  EXPECT_GE(quick.witnessed, 1'000'000u);
}

TEST(Tiers, StandardHasAMillionCasesAnOperation) {
  for (const ops::Operation& op : ops::all_operations())
    EXPECT_GE(planned_cases(op, Strength::Standard), 1'000'000u) << op.id;
}

TEST(Tiers, FullHasAHundredMillionAndSmallDomainsWhole) {
  uint64_t all = 0, whole = 0;
  for (const ops::Operation& op : ops::all_operations()) {
    const uint64_t cases = planned_cases(op, Strength::Full);
    all += cases;
    uint32_t bits = 0;  // of the operands together: 2^bits inputs
    for (const spec::DataType type : op.signature.inputs) bits += spec::value_bits(type);
    if (bits > 32) continue;
    ++whole;
    EXPECT_GE(cases, uint64_t{1} << bits) << op.id;
  }
  EXPECT_GE(all, 100'000'000u);
  EXPECT_GT(whole, 0u);
}

TEST(Tiers, ACertificateIsHeldToThem) {
  EXPECT_EQ(certify::parity_cases(Strength::Quick), 10'000u);
  EXPECT_EQ(certify::parity_cases(Strength::Standard), 1'000'000u);
  EXPECT_GE(certify::parity_cases(Strength::Full) * ops::all_operations().size(), 100'000'000u);
}

}  // namespace
}  // namespace vyre::verify
