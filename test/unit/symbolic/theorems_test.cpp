// Composition theorems: each proved by two solvers for all functions, each refutation shown by evaluation,
// and no premise that is not needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "oracle.h"
#include "symbolic/theorems.h"

VYRE_ORACLE(SpecificationTable, "symbolic/theorems.def: each statement, and the structure that refutes it");

namespace vyre::symbolic {
namespace {

TEST(Theorems, AreProvedByBothSolvers) {
  const std::vector<TheoremProof> proofs = prove_theorems({.seconds = 60});
  ASSERT_EQ(proofs.size(), theorems().size());
  for (size_t i = 0; i < proofs.size(); ++i) {
    EXPECT_EQ(proofs[i].outcome, solver::Outcome::Proved) << theorems()[i].text << ": " << proofs[i].reason;
    EXPECT_TRUE(proofs[i].solver.starts_with("z3 ")) << proofs[i].solver << " (./dev build installs Z3)";
    EXPECT_TRUE(proofs[i].confirmed.starts_with("cvc5 "))
        << proofs[i].confirmed << " (./dev build installs cvc5)";
  }
}

TEST(Theorems, FalseOnesAreRefutedByTheirStructures) {
  EXPECT_GE(refutations().size(), 40u);
  for (const Refutation& r : refutations())
    EXPECT_TRUE(refutes(r.witness, r.statement)) << r.statement.text << " by " << to_string(r.witness);
}

// The stored structures are the first ones, where a search reaches them.
TEST(Theorems, StructuresAreTheSmallest) {
  for (const Refutation& r : refutations()) {
    const auto found = find_structure(r.statement);
    if (found) {
      EXPECT_EQ(to_string(*found), to_string(r.witness)) << r.statement.text;
    } else {
      EXPECT_EQ(r.statement.name,
                "pair_projection");  // three functions on three elements are too many to try
    }
  }
}

// What a solver cannot prove of all functions a few small ones refute; so a table that proves anything at all
// would be seen here.
TEST(Theorems, NoQuestionOfARefutedStatementIsUnsatisfiable) {
  auto z3 = solver::open(solver::Which::Z3);
  ASSERT_TRUE(z3) << z3.error() << " (./dev build installs it)";
  for (const Refutation& r : refutations()) {
    EXPECT_EQ((*z3)->check(question(r.statement), {}).answer, solver::Answer::Satisfiable)
        << r.statement.text;
  }
}

TEST(Theorems, NeedEveryPremise) {
  // On finite sets a function with an inverse on one side has it on both: only infinite ones need both.
  const std::set<std::string_view> infinite = {"conjugate_identity", "left_operand_left_identity"};
  for (const Theorem& theorem : theorems()) {
    for (size_t i = 0; i < theorem.premises.size(); ++i) {
      if (infinite.contains(theorem.name) && theorem.premises[i].kind == spec::LawKind::RoundTrip) continue;
      Theorem without = theorem;
      without.premises.erase(without.premises.begin() + long(i));
      EXPECT_TRUE(find_structure(without)) << theorem.text << " holds without " << theorem.premises[i].text;
    }
  }
}

TEST(Theorems, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Theorem& theorem : theorems()) EXPECT_TRUE(names.insert(theorem.name).second) << theorem.name;
  for (const Refutation& r : refutations())
    EXPECT_TRUE(names.insert(r.statement.name).second) << r.statement.name;
}

// Negation of four numbers read as tables, by hand: 0 1 is a structure in which swapping the two is an
// involution, and swapping after the lesser of two is not associative.
TEST(Theorems, StructuresAreEvaluatedAsTheyRead) {
  const auto found = std::ranges::find(refutations(), "involution_after_associative",
                                       [](const Refutation& r) { return r.statement.name; });
  ASSERT_NE(found, refutations().end());
  const Structure nand{.size = 2, .f = {1, 0}, .g = {0, 0, 0, 1}};
  EXPECT_TRUE(refutes(nand, found->statement));  // (0 nand 0) nand 1 is 0, 0 nand (0 nand 1) is 1
  const Structure exclusive{.size = 2, .f = {1, 0}, .g = {0, 1, 1, 0}};
  EXPECT_FALSE(refutes(exclusive, found->statement));  // equality of bits is associative
  const Structure not_involution{.size = 2, .f = {0, 0}, .g = {0, 0, 0, 1}};
  EXPECT_FALSE(refutes(not_involution, found->statement));
  const Structure too_short{.size = 2, .f = {1, 0}, .g = {0, 0, 0}};
  EXPECT_FALSE(refutes(too_short, found->statement));
}

}  // namespace
}  // namespace vyre::symbolic
