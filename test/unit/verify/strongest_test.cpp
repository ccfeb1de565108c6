// The choice of an oracle.
#include "verify/strongest.h"

#include <gtest/gtest.h>

#include "oracle.h"

VYRE_ORACLE(
    SpecificationTable,
    "docs/oracles.md: its table, and \"How to pick the oracle for your test\": seven questions, in order");

namespace vyre::verify {
namespace {

using spec::Oracle;

// covers: OR-02
TEST(Strongest, IsTheFirstThatApplies) {
  // Each with everything weaker beside it, and alone.
  const std::pair<Oracle, Applicable> cases[] = {
      {Oracle::Law, {true, true, true, true, true, true}},
      {Oracle::Law, {.law = true}},
      {Oracle::SpecificationTable, {false, true, true, true, true, true}},
      {Oracle::SpecificationTable, {.row = true}},
      {Oracle::ReferenceInterpreter, {false, false, true, true, true, true}},
      {Oracle::ReferenceInterpreter, {.program = true}},
      {Oracle::CpuReference, {false, false, false, true, true, true}},
      {Oracle::CpuReference, {.operation = true}},
      {Oracle::CompositionTheorem, {false, false, false, false, true, true}},
      {Oracle::CompositionTheorem, {.theorem = true}},
      {Oracle::ExternalCorpus, {.corpus = true}},
      {Oracle::Property, {}},
  };
  for (const auto& [expected, there] : cases) EXPECT_EQ(strongest(there), expected) << spec::text(expected);
}

// covers: OR-01
TEST(Strongest, NamesOfOraclesAreForEver) {
  const char* names[] = {"law",
                         "specification table",
                         "reference interpreter",
                         "cpu reference function",
                         "composition theorem",
                         "external corpus",
                         "property",
                         "regression"};
  for (size_t i = 0; i < std::size(names); ++i) {
    EXPECT_EQ(spec::text(static_cast<Oracle>(i)), names[i]);
    EXPECT_EQ(spec::find_oracle(names[i]), static_cast<Oracle>(i));
  }
  EXPECT_EQ(spec::kOracleNames.size(), std::size(names));
  EXPECT_FALSE(spec::find_oracle("Law"));
  EXPECT_LT(Oracle::Law, Oracle::Property);  // the stronger first
}

}  // namespace
}  // namespace vyre::verify
