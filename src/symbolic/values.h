// Operations on values: what is run beside what is proved.
//
// A proof speaks of formulas; here the reference functions and the compositions, in the reference
// interpreter, are run: to confirm counterexamples, where no formula says an operation, and for the tables
// that an operation declares. Source: vyre-conform-spec, "Coverage".
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algebra/law.h"
#include "ops/operation.h"
#include "symbolic/laws.h"
#include "symbolic/prove.h"

namespace vyre::symbolic {

/// The library's table, with these operations in the place of what has their names there.
class TableWith {
 public:
  explicit TableWith(std::span<const ops::Operation* const> operations);
  const spec::OpTable& table() const { return table_; }

 private:
  std::vector<std::unique_ptr<const ir::Function>> bodies_;
  spec::OpTable table_;
};

/// Whether the law holds at these values, of reference functions or of compositions. Errors: the evaluator's.
Result<bool> holds_at(const algebra::BoundLaw& law, Subject subject, std::span<const uint32_t> values);

/// The composition against the reference function on all u8 operands and on edge256: the grade
/// "exhausted(u8^2) exhausted(edge256^2)". Errors: "refuted(a=0, b=1; as found)", or why it cannot run.
std::expected<std::string, std::string> composition_agrees(const ops::Operation& operation);

/// The first x of u16 and edge256 for which the row is wrong, by the reference function.
std::optional<uint32_t> row_fails(const ops::Operation& operation, const ops::ForAllRow& row);

/// Of the rows, classes and boundary values; the laws are left out.
CoverageParts values_covered(const ops::Operation& operation);

}  // namespace vyre::symbolic
