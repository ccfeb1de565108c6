// The symbolic engine's counterexample is the smallest there is: on 200 planted violations at 8 bits it is
// what a plain loop finds.
#include "unit/algebra/violations.h"

#include <gtest/gtest.h>

#include "oracle.h"
#include "symbolic/laws.h"

VYRE_ORACLE(CpuReference, "a plain loop in the order of SEMANTICS, Laws and evidence");

namespace vyre::symbolic {
namespace {

namespace planted = algebra::planted;

/// Holds the prover to a plant.
void expect_smallest(solver::Prover& prover, size_t i) {
  const planted::Plant& plant = planted::violations()[i];
  const ops::Operation operation = planted::operation_of(i);
  const auto bound = algebra::bind(plant.law, operation, planted::find_plain);
  ASSERT_TRUE(bound.has_value()) << bound.error();
  smt::Pool pool;
  const auto said = claim(pool, *bound, Subject::Spec, 8);
  ASSERT_TRUE(said.has_value()) << said.error();
  const solver::Proof proof = prover.prove(pool, said->holds, said->variables);
  ASSERT_EQ(proof.outcome, solver::Outcome::Refuted) << spec::to_string(plant.law) << " of " << operation.id
                                                     << " " << proof.reason << "; ./dev installs the solvers";
  std::vector<uint32_t> witness;
  for (const smt::Assigned& a : proof.witness) witness.push_back(uint32_t(a.value));
  EXPECT_EQ(witness, *planted::smallest_failure(plant, 0xff));
  EXPECT_TRUE(proof.smallest);
}

TEST(Violations, TheProverFindsTheSmallestCounterexample) {
  ASSERT_EQ(planted::violations().size(), planted::kViolations);
  // No solver is waited for long: where one has no answer, as of a product that distributes over a sum, there
  // are 2^24 tuples to be tried.
  solver::Prover prover({.limits = {.seconds = 1}, .minimising = {.seconds = 1}, .trying = 200});
  for (size_t i = 0; i < planted::kViolations; ++i) {
    SCOPED_TRACE(i);
    expect_smallest(prover, i);
  }
}

// Where what is small is not tried first, solvers find the same, by questions. Of three variables they are
// slow: those are left out.
TEST(Violations, ASolverAloneFindsTheSmallestCounterexample) {
  solver::Prover prover({.limits = {.seconds = 60}, .minimising = {.seconds = 60}, .trying = 0});
  size_t asked = 0;
  for (size_t i = 0; i < planted::kViolations; i += 10) {
    const planted::Plant& plant = planted::violations()[i];
    if (plant.variables() > 2) continue;
    ++asked;
    SCOPED_TRACE(i);
    expect_smallest(prover, i);
  }
  EXPECT_GE(asked, 15u);
}

}  // namespace
}  // namespace vyre::symbolic
