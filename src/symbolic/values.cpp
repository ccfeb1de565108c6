#include "symbolic/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "algebra/engine.h"
#include "generate/cases.h"
#include "generate/values.h"
#include "ops/registry.h"
#include "symbolic/functions.h"
#include "symbolic/shown.h"

namespace vyre::symbolic {
namespace {

using Tuples = std::vector<std::vector<uint32_t>>;

/// What the composition gives on each tuple. Errors: the interpreter's.
Result<std::vector<uint32_t>> compositions(const ops::Operation& operation,
                                           std::span<const std::vector<uint32_t>> columns) {
  const std::array own = {&operation};
  const TableWith library(own);
  algebra::CompositionEvaluator evaluator(library.table());
  std::vector<const uint32_t*> inputs;
  for (const auto& column : columns) inputs.push_back(column.data());
  std::vector<uint32_t> out(columns.front().size(), 0xdeadbeef);
  if (out.empty()) return out;
  VYRE_CHECK(evaluator.apply(operation, inputs, out.data(), out.size()));
  return out;
}

uint32_t reference(const ops::Operation& operation, std::span<const std::vector<uint32_t>> columns,
                   size_t i) {
  std::array<uint32_t, generate::kMaxOperands> x{};
  for (size_t k = 0; k < columns.size(); ++k) x[k] = columns[k][i];
  return operation.reference(x.data());
}

/// Whether definition, composition and reference function agree on each tuple; without a definition the other
/// two.
std::vector<bool> agreements(const ops::Operation& operation, const Tuples& tuples) {
  std::vector<bool> out(tuples.size());
  if (tuples.empty() || operation.compose == nullptr) return out;
  std::vector<std::vector<uint32_t>> columns(operation.signature.inputs.size());
  for (const auto& tuple : tuples) {
    for (size_t k = 0; k < columns.size(); ++k) columns[k].push_back(tuple[k]);
  }
  const auto composed = compositions(operation, columns);
  if (!composed) return out;
  smt::Pool pool;
  const auto operands = operands_of(pool, operation);
  const auto formula = define(pool, operation, operands);
  for (size_t i = 0; i < tuples.size(); ++i) {
    const uint32_t expected = reference(operation, columns, i);
    bool same = (*composed)[i] == expected;
    if (formula) {
      std::vector<smt::Assigned> values;
      for (size_t k = 0; k < operands.size(); ++k) values.push_back({operands[k], tuples[i][k]});
      same = same && smt::evaluate(pool, *formula, values) == expected;
    }
    out[i] = same;
  }
  return out;
}

Coverage counted(const std::vector<bool>& hits) {
  return {uint64_t(std::ranges::count(hits, true)), hits.size()};
}

}  // namespace

TableWith::TableWith(std::span<const ops::Operation* const> operations) {
  // A name is taken once: these before the library's.
  for (const ops::Operation* operation : operations) {
    if (operation->compose == nullptr) continue;
    bodies_.push_back(std::make_unique<const ir::Function>(ops::body_of(*operation)));
    table_.add({std::string(operation->id), operation->version, operation->signature, operation->category,
                bodies_.back().get()});
  }
  for (const spec::OpDef* def : ops::op_table().all()) table_.add(*def);
}

Result<bool> holds_at(const algebra::BoundLaw& law, Subject subject, std::span<const uint32_t> values) {
  if (subject == Subject::Spec) {
    algebra::SpecEvaluator evaluator;
    return algebra::holds_at(law, values, evaluator);
  }
  std::vector<const ops::Operation*> own = law.others;
  own.push_back(law.f);
  const TableWith library(own);
  algebra::CompositionEvaluator evaluator(library.table());
  return algebra::holds_at(law, values, evaluator);
}

std::expected<std::string, std::string> composition_agrees(const ops::Operation& operation) {
  std::string out;
  for (const auto strategy : {generate::Strategy::Exhaustive8, generate::Strategy::Edge256}) {
    const generate::Cases cases(operation, strategy, 0);
    std::vector<std::vector<uint32_t>> columns(cases.operands());
    std::vector<uint32_t*> pointers;
    for (auto& column : columns) column.resize(cases.size()), pointers.push_back(column.data());
    cases.fill(0, cases.size(), pointers);
    const auto composed = compositions(operation, columns);
    if (!composed) return std::unexpected(composed.error().message);
    for (size_t i = 0; i < cases.size(); ++i) {
      if ((*composed)[i] == reference(operation, columns, i)) continue;
      std::string at;
      for (size_t k = 0; k < columns.size(); ++k)
        at += fmt::format("{}{}={}", k == 0 ? "" : ", ", char('a' + k), shown_word(columns[k][i]));
      return std::unexpected(fmt::format("refuted({}; as found)", at));
    }
    const std::string domain = strategy == generate::Strategy::Exhaustive8 ? "u8" : "edge256";
    out += fmt::format("{}exhausted({}{})", out.empty() ? "" : " ", domain,
                       cases.operands() == 1 ? "" : fmt::format("^{}", cases.operands()));
  }
  return out;
}

std::optional<uint32_t> row_fails(const ops::Operation& operation, const ops::ForAllRow& row) {
  const auto fails = [&](uint32_t x) {
    std::array<uint32_t, generate::kMaxOperands> operands{};
    for (size_t k = 0; k < row.operands.size(); ++k) operands[k] = row.operands[k].value_or(x);
    return operation.reference(operands.data()) != row.expected.value_or(x);
  };
  for (uint32_t x = 0; x < 65536; ++x) {
    if (fails(x)) return x;
  }
  const auto edges = generate::edge256();
  const auto found = std::ranges::find_if(edges, fails);
  return found == edges.end() ? std::nullopt : std::optional(*found);
}

CoverageParts values_covered(const ops::Operation& operation) {
  CoverageParts out;
  Tuples rows, boundaries, classes;
  for (const ops::SpecRow& row : operation.rows) rows.push_back(row.operands);
  for (const ops::BoundaryValue& value : operation.boundaries) boundaries.push_back(value.operands);
  for (const ops::EquivalenceClass& c : operation.classes) classes.push_back(c.representative);
  auto hits = agreements(operation, rows);
  for (size_t i = 0; i < rows.size(); ++i)
    hits[i] = hits[i] && operation.reference(rows[i].data()) == operation.rows[i].expected;
  out.rows = counted(hits);
  hits = agreements(operation, classes);
  for (size_t i = 0; i < classes.size(); ++i)
    hits[i] = hits[i] && operation.classes[i].contains(classes[i].data());
  out.classes = counted(hits);
  out.boundaries = counted(agreements(operation, boundaries));
  return out;
}

}  // namespace vyre::symbolic
