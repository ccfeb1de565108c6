// Postfix order: expressions laid out as they are evaluated, operands from left to right, then the operator.
//
// Expressions are trees of any depth up to 1024. Laying each one out once as a list means that evaluating it
// is a loop over the list with a stack of values: no recursion, and the order of evaluation can be read off.
#pragma once

#include <span>
#include <vector>

#include "ir/ir.h"

namespace vyre::ref {

class Postfix {
 public:
  /// Cost: linear in the code.
  explicit Postfix(const ir::Code& code);
  /// The tree under `root`, which is an operand of a statement or the result of a function.
  std::span<const ir::ExprId> of(ir::ExprId root) const;

 private:
  void lay_out(const ir::Code& code, ir::ExprId root);

  std::vector<ir::ExprId> order_;
  std::vector<ir::Range> ranges_;  // of order_, by root ExprId; empty for the others
};

}  // namespace vyre::ref
