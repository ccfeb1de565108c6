// Rows of a file's operations, run on the definition.
//
// A row says what an operation gives on some operands. It is a decided fact, so where the body gives other
// bits it is an error at the row. Source: docs/text-format.md, "Operations".
#pragma once

#include <optional>
#include <span>

#include "base/diag.h"
#include "check/module.h"
#include "ref/eval.h"
#include "ref/invocation.h"

namespace vyre::ref {

/// An operation of a module, ready to be applied to values. The module must outlive it.
class Applied {
 public:
  Applied(const check::CheckedModule& module, const spec::OpDef& operation);
  /// Its result, or none when the steps do not suffice.
  std::optional<Bits> operator()(std::span<const Bits> operands, uint64_t max_steps) const;

 private:
  const check::CheckedFunction& function_;
  ReadyProgram ready_;
};

/// All that is wrong: V050 for a row that gives other bits, B005 for one that takes more than kMaxRowSteps.
Diagnostics check_rows(const check::CheckedModule& module);
/// The same of one operation, by its place in the module.
Diagnostics check_rows(const check::CheckedModule& module, size_t operation);
inline constexpr uint64_t kMaxRowSteps = 100'000'000;

}  // namespace vyre::ref
