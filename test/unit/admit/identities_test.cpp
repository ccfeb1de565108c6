// Rows that speak of every x, each by two evaluators that share nothing: the reference function, run, and the
// definition as a formula, for all x by a solver. Where an operation has no formula (gcd and lcm loop), its
// composition is run instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algebra/law.h"
#include "base/random.h"
#include "generate/values.h"
#include "ops/operation.h"
#include "oracle.h"
#include "solver/prover.h"
#include "symbolic/functions.h"

namespace vyre::admit {
namespace {

struct Identity {
  const ops::Operation* operation;
  const ops::ForAllRow* row;
};

std::vector<Identity> identities() {
  std::vector<Identity> all;
  for (const ops::Operation& operation : ops::all_operations()) {
    for (const ops::ForAllRow& row : operation.identities) all.push_back({&operation, &row});
  }
  return all;
}

std::string show(const Identity& identity) {
  std::string text(identity.operation->id);
  for (const std::optional<uint32_t>& word : identity.row->operands)
    text += word ? " " + std::to_string(*word) : " x";
  return text + ": " + std::string(identity.row->rationale);
}

/// All of 8 bits, words at which arithmetic turns, and random ones.
std::vector<uint32_t> values_of_x(size_t random) {
  std::vector<uint32_t> values;
  for (uint32_t x = 0; x < 256; ++x) values.push_back(x);
  for (const uint32_t x : generate::edge256()) values.push_back(x);
  RandomStream stream(11, 0);
  for (size_t i = 0; i < random; ++i) values.push_back(stream.next());
  return values;
}

TEST(Identities, AreThere) {
  VYRE_ORACLE(SpecificationTable, "binary-operations: the rows with a symbolic x, five of them");
  const auto has = [](std::string_view id, uint32_t constant, std::optional<uint32_t> result) {
    for (const ops::ForAllRow& row : ops::find_operation(id)->identities) {
      if (row.operands[0] == constant && !row.operands[1] && row.expected == result) return true;
    }
    return false;
  };
  EXPECT_TRUE(has("primitive.bitwise.and", 0xffffffff, std::nullopt));
  EXPECT_TRUE(has("primitive.bitwise.and", 0, 0));
  EXPECT_TRUE(has("primitive.bitwise.or", 0, std::nullopt));
  EXPECT_TRUE(has("primitive.bitwise.or", 0xffffffff, 0xffffffff));
  EXPECT_TRUE(has("primitive.bitwise.xor", 0, std::nullopt));
  EXPECT_GE(identities().size(), 80u);
}

TEST(Identities, HoldForTheReferenceFunction) {
  VYRE_ORACLE(SpecificationTable, "binary-operations: the identities: all u8, edge256, 10^5 random words");
  const std::vector<uint32_t> values = values_of_x(100'000);
  for (const Identity& identity : identities()) {
    for (const uint32_t x : values) {
      std::vector<uint32_t> operands;
      for (const std::optional<uint32_t>& word : identity.row->operands) operands.push_back(word.value_or(x));
      ASSERT_EQ(identity.operation->reference(operands.data()), identity.row->expected.value_or(x))
          << show(identity) << " at x = " << x;
    }
  }
}

TEST(Identities, HoldForTheDefinitionOfEveryX) {
  VYRE_ORACLE(SpecificationTable,
              "binary-operations: the identities: every x, by a solver, which ./dev installs");
  solver::Prover prover;
  size_t proved = 0;
  for (const Identity& identity : identities()) {
    smt::Pool pool;
    const smt::Term x = pool.variable("x", 32);
    std::vector<smt::Term> operands;
    for (const std::optional<uint32_t>& word : identity.row->operands) {
      operands.push_back(word ? pool.constant(32, *word) : x);
    }
    const auto value = symbolic::define(pool, *identity.operation, operands);
    if (!value) {  // those are the next test's
      EXPECT_TRUE(identity.operation->define == nullptr) << show(identity);
      continue;
    }
    const smt::Term expected = identity.row->expected ? pool.constant(32, *identity.row->expected) : x;
    const smt::Term variables[] = {x};
    const solver::Proof proof = prover.prove(pool, pool.eq(*value, expected), variables);
    EXPECT_EQ(proof.outcome, solver::Outcome::Proved)
        << show(identity) << ": " << proof.reason << prover.about();
    ++proved;
  }
  EXPECT_GT(proved, identities().size() / 2);
}

TEST(Identities, HoldForTheCompositionWhereThereIsNoFormula) {
  VYRE_ORACLE(SpecificationTable, "binary-operations: the identities: all u8, edge256, 10^4 random words");
  const std::vector<uint32_t> values = values_of_x(10'000);
  algebra::CompositionEvaluator evaluator(ops::op_table());
  for (const Identity& identity : identities()) {
    if (identity.operation->define != nullptr) continue;
    std::vector<std::vector<uint32_t>> columns;
    std::vector<const uint32_t*> inputs;
    for (const std::optional<uint32_t>& word : identity.row->operands) {
      columns.push_back(word ? std::vector<uint32_t>(values.size(), *word) : values);
    }
    for (const std::vector<uint32_t>& column : columns) inputs.push_back(column.data());
    std::vector<uint32_t> results(values.size());
    const auto ran = evaluator.apply(*identity.operation, inputs, results.data(), results.size());
    ASSERT_TRUE(ran) << ran.error().message;
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(results[i], identity.row->expected.value_or(values[i]))
          << show(identity) << " at x = " << values[i];
    }
  }
}

}  // namespace
}  // namespace vyre::admit
