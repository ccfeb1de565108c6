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

VYRE_ORACLE(SpecificationTable, "binary-operations: the identities, and the rows with a symbolic x");

namespace vyre::admit {
namespace {

/// A test that runs once for each operation that has such rows, under its id.
class Identities : public testing::TestWithParam<const ops::Operation*> {
 protected:
  static std::string show(const ops::ForAllRow& row) {
    std::string text(GetParam()->id);
    for (const std::optional<uint32_t>& word : row.operands)
      text += word ? " " + std::to_string(*word) : " x";
    return text + ": " + std::string(row.rationale);
  }
};

std::vector<const ops::Operation*> with_identities() {
  std::vector<const ops::Operation*> all;
  for (const ops::Operation& operation : ops::all_operations()) {
    if (!operation.identities.empty()) all.push_back(&operation);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Library, Identities, testing::ValuesIn(with_identities()), [](const auto& info) {
  std::string name(info.param->id);
  std::ranges::replace(name, '.', '_');
  return name;
});

/// All of 8 bits, words at which arithmetic turns, and random ones.
std::vector<uint32_t> values_of_x(size_t random) {
  std::vector<uint32_t> values;
  for (uint32_t x = 0; x < 256; ++x) values.push_back(x);
  for (const uint32_t x : generate::edge256()) values.push_back(x);
  RandomStream stream(11, 0);
  for (size_t i = 0; i < random; ++i) values.push_back(stream.next());
  return values;
}

TEST(IdentitiesOfThePage, AreThere) {
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
  size_t rows = 0, by_formula = 0;
  for (const ops::Operation* operation : with_identities()) {
    rows += operation->identities.size();
    if (operation->define != nullptr) by_formula += operation->identities.size();
  }
  EXPECT_GE(rows, 80u);
  EXPECT_GT(by_formula, rows / 2);
}

TEST_P(Identities, HoldForTheReferenceFunction) {
  const std::vector<uint32_t> values = values_of_x(100'000);
  for (const ops::ForAllRow& row : GetParam()->identities) {
    for (const uint32_t x : values) {
      std::vector<uint32_t> operands;
      for (const std::optional<uint32_t>& word : row.operands) operands.push_back(word.value_or(x));
      ASSERT_EQ(GetParam()->reference(operands.data()), row.expected.value_or(x))
          << show(row) << " at x = " << x;
    }
  }
}

TEST_P(Identities, HoldForTheDefinitionOfEveryX) {
  // binary-operations: the identities: every x, by a solver, which ./dev installs.
  if (GetParam()->define == nullptr) return;  // the next test's
  solver::Prover prover;
  for (const ops::ForAllRow& row : GetParam()->identities) {
    smt::Pool pool;
    const smt::Term x = pool.variable("x", 32);
    std::vector<smt::Term> operands;
    for (const std::optional<uint32_t>& word : row.operands) {
      operands.push_back(word ? pool.constant(32, *word) : x);
    }
    const auto value = symbolic::define(pool, *GetParam(), operands);
    ASSERT_TRUE(value) << value.error();
    const smt::Term expected = row.expected ? pool.constant(32, *row.expected) : x;
    const smt::Term variables[] = {x};
    const solver::Proof proof = prover.prove(pool, pool.eq(*value, expected), variables);
    EXPECT_EQ(proof.outcome, solver::Outcome::Proved) << show(row) << ": " << proof.reason << prover.about();
  }
}

TEST_P(Identities, HoldForTheCompositionWhereThereIsNoFormula) {
  if (GetParam()->define != nullptr) return;
  const std::vector<uint32_t> values = values_of_x(10'000);
  algebra::CompositionEvaluator evaluator(ops::op_table());
  for (const ops::ForAllRow& row : GetParam()->identities) {
    std::vector<std::vector<uint32_t>> columns;
    std::vector<const uint32_t*> inputs;
    for (const std::optional<uint32_t>& word : row.operands) {
      columns.push_back(word ? std::vector<uint32_t>(values.size(), *word) : values);
    }
    for (const std::vector<uint32_t>& column : columns) inputs.push_back(column.data());
    std::vector<uint32_t> results(values.size());
    const auto ran = evaluator.apply(*GetParam(), inputs, results.data(), results.size());
    ASSERT_TRUE(ran) << ran.error().message;
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(results[i], row.expected.value_or(values[i])) << show(row) << " at x = " << values[i];
    }
  }
}

}  // namespace
}  // namespace vyre::admit
