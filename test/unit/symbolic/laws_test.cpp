#include "symbolic/laws.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <set>

#include "algebra/engine.h"
#include "oracle.h"
#include "symbolic/lemmas.h"
#include "symbolic/prove.h"

VYRE_ORACLE(SpecificationTable,
            "symbolic/prove.h and solver/solver.h; by hand, or planted, so known by construction");

namespace vyre::symbolic {
namespace {

using smt::Pool;
using smt::Term;
using solver::Outcome;
namespace laws = spec::laws;

constexpr uint32_t kA = 0x12345678, kB = 0x9abcdef0;

// Addition that is wrong at one pair of 2^64, in all three of its definitions.
uint32_t nearly_add(uint32_t a, uint32_t b) { return a + b + (a == kA && b == kB ? 1 : 0); }
Term nearly_add_formula(Pool& pool, std::span<const Term> x) {
  const Term there = pool.and_(pool.eq(x[0], pool.constant(pool.width(x[0]), kA)),
                               pool.eq(x[1], pool.constant(pool.width(x[0]), kB)));
  return pool.add(pool.add(x[0], x[1]), pool.word(there, pool.width(x[0])));
}
ir::Ex nearly_add_composition(ir::FunctionBuilder&, std::span<const ir::Ex> p) {
  return p[0] + p[1] + ((p[0] == kA) & (p[1] == kB));
}

ops::Operation nearly() {
  ops::Operation out;
  out.id = "t.nearly_add";
  out.signature = ops::words(2);
  out.parameter_names = {"a", "b"};
  out.reference = ops::reference_of<nearly_add>;
  out.compose = nearly_add_composition;
  out.define = nearly_add_formula;
  out.laws = {laws::commutative()};
  return out;
}

class SymbolicLaws : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(prover.about().find("no solver"), std::string::npos) << prover.about(); }
  solver::Prover prover{{.limits = {.seconds = 60}}};
};

TEST_F(SymbolicLaws, OnePairIn2To64IsRefutedAndEveryWitnessMissesIt) {
  // The planted pair: a = 12345678, b = 9abcdef0, the smaller order first.
  const ops::Operation op = nearly();
  const std::array operations = {&op};
  ProveOptions options;
  options.solver.limits.seconds = 60;
  const ProveReport report = prove(operations, options);
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].grade, Grade::Proved) << "the composition has the same fault";
  const Finding& law = report.findings[1];
  EXPECT_EQ(law.grade, Grade::Refuted);
  ASSERT_EQ(law.proof.witness.size(), 2u);
  // Both orders of the pair fail. The order of counterexamples takes the smaller first operand.
  EXPECT_TRUE(law.proof.witness[0].value == kA);
  EXPECT_TRUE(law.proof.witness[1].value == kB);
  EXPECT_TRUE(law.proof.smallest);
  EXPECT_EQ(law.evidence, "refuted(a=0x12345678, b=0x9abcdef0; smallest)");
  EXPECT_EQ(law.note, "the other engines: exhausted(u8^2) exhausted(edge256^2) witnessed(1000000, seed 1)");
  EXPECT_FALSE(report.good());
}

TEST_F(SymbolicLaws, SpeakOfTheCompositionToo) {
  const ops::Operation op = nearly();
  const auto bound = algebra::bind(op.laws[0], op);
  ASSERT_TRUE(bound.has_value());
  const auto proof = prove_law(prover, *bound, Subject::Composition);
  EXPECT_EQ(proof.outcome, Outcome::Refuted) << proof.reason;
}

TEST_F(SymbolicLaws, ACounterexampleThatTheOperationDoesNotHaveIsNone) {
  // A formula that is wrong where no byte reaches: nothing follows for the operation.
  ops::Operation op = nearly();
  op.reference = [](const uint32_t* x) { return x[0] + x[1]; };
  const auto bound = algebra::bind(op.laws[0], op);
  const auto proof = prove_law(prover, *bound, Subject::Spec);
  EXPECT_EQ(proof.outcome, Outcome::Open);
  EXPECT_EQ(proof.reason, "the counterexample is one of the formula and not of the operation");
}

TEST_F(SymbolicLaws, NothingIsProvedOfAFormulaThatIsNotTheReference) {
  ops::Operation op = nearly();
  op.reference = [](const uint32_t* x) { return x[0] - x[1]; };
  op.define = [](Pool& pool, std::span<const Term> x) { return pool.add(x[0], x[1]); };
  const auto bound = algebra::bind(op.laws[0], op);
  const auto proof = prove_law(prover, *bound, Subject::Spec);
  EXPECT_EQ(proof.outcome, Outcome::Open);
  EXPECT_NE(proof.reason.find("differs"), std::string::npos) << proof.reason;
}

TEST_F(SymbolicLaws, LemmasSpeakOfTheLibraryAlone) {
  ops::Operation impostor = nearly();
  impostor.id = "primitive.math.gcd";
  const auto bound = algebra::bind(laws::commutative(), impostor);
  ASSERT_TRUE(bound.has_value());
  EXPECT_FALSE(derive(prover, *bound).has_value());
  const auto other = laws::absorbing(2);  // gcd(a, 2) is not 2
  const auto wrong = algebra::bind(other, *ops::find_operation("primitive.math.gcd"));
  ASSERT_TRUE(wrong.has_value());
  EXPECT_FALSE(derive(prover, *wrong).has_value());
}

TEST_F(SymbolicLaws, WhatIsFalseOfLcmIsNotDerived) {
  // lcm(a, 0) = 0 and lcm(2, 2) = 2: neither law holds.
  const ops::Operation& lcm = *ops::find_operation("primitive.math.lcm");
  for (const spec::Law& law : {laws::identity(2), laws::absorbing(1)}) {
    const auto bound = algebra::bind(law, lcm);
    ASSERT_TRUE(bound.has_value());
    const auto derived = derive(prover, *bound);
    ASSERT_TRUE(derived.has_value());
    EXPECT_NE(derived->proof.outcome, Outcome::Proved) << to_string(law);
  }
}

TEST(Proving, WithoutASolverLowersGradesAndSaysSo) {
  ::setenv("VYRE_Z3", "", 1);
  ::setenv("VYRE_CVC5", "", 1);
  const std::array operations = {ops::find_operation("primitive.math.sub_sat")};
  ProveOptions options;
  options.witnessed = 1000;
  const ProveReport report = prove(operations, options);
  ::unsetenv("VYRE_Z3");
  ::unsetenv("VYRE_CVC5");
  EXPECT_NE(report.solver.find("no solver"), std::string::npos) << report.solver;
  EXPECT_EQ(report.count(Grade::Proved), 0u);
  EXPECT_GT(report.count(Grade::Exhausted), 0u);
  EXPECT_EQ(report.count(Grade::Open), 0u);
  for (const Finding& f : report.findings) {
    if (f.grade == Grade::Exhausted) {
      EXPECT_NE(f.note.find("no solver"), std::string::npos) << f.statement;
    }
  }
  EXPECT_EQ(report.total.laws.hit, operations[0]->denied.size()) << "what was run is not proved";
}

TEST(Proving, CoverageIsTheSmallestPart) {
  CoverageParts parts;
  EXPECT_EQ(parts.smallest().text(), "n/a");
  parts.rows = {8, 10};
  parts.laws = {2, 3};
  EXPECT_EQ(parts.smallest().text(), "2/3");
  EXPECT_EQ(parts.classes.text(), "n/a");
  parts.add({.laws = {7, 7}});
  EXPECT_EQ(parts.smallest().text(), "8/10");
}

// The library: every law of an operation without a loop is proved, those of gcd and lcm are derived.
TEST(Proving, EveryDeclaredLawOfThePrimitivesHolds) {
  VYRE_ORACLE(Law,
              "the declarations in src/ops/primitive; grades that semantics, \"Laws and evidence\", names");
  std::vector<const ops::Operation*> operations;
  for (const ops::Operation& operation : ops::all_operations()) {
    if (operation.id.starts_with("primitive.")) operations.push_back(&operation);
  }
  ProveOptions options;
  options.solver.limits.seconds = 100;
  const ProveReport report = prove(operations, options);
  EXPECT_EQ(report.solver.find("no solver"), std::string::npos) << report.solver;
  std::set<std::string_view> without;  // whose laws are not all proved
  for (const Finding& f : report.findings) {
    EXPECT_TRUE(f.good()) << f.operation->id << ": " << f.statement << ": " << f.evidence << " " << f.note;
    if (f.grade == Grade::Derived || f.grade == Grade::Exhausted) without.insert(f.operation->id);
  }
  EXPECT_LE(without.size(), 6u);
  EXPECT_EQ(report.count(Grade::Open), 0u);
}

}  // namespace
}  // namespace vyre::symbolic
