#include "ref/postfix.h"

#include <algorithm>

namespace vyre::ref {

Postfix::Postfix(const ir::Code& code) : ranges_(code.exprs.size()) {
  order_.reserve(code.exprs.size());
  // Each expression has one parent, so a root is an expression that is no operand.
  std::vector<bool> is_operand(code.exprs.size());
  for (const ir::Expr& e : code.exprs) {
    for (const ir::ExprId operand : code.args(e)) is_operand[ir::index(operand)] = true;
  }
  for (uint32_t i = 0; i < code.exprs.size(); ++i) {
    if (!is_operand[i]) lay_out(code, ir::ExprId{i});
  }
}

void Postfix::lay_out(const ir::Code& code, ir::ExprId root) {
  // Writing the operator, then its operands from right to left, gives the wanted order backwards.
  const auto first = uint32_t(order_.size());
  std::vector<ir::ExprId> pending = {root};
  while (!pending.empty()) {
    const ir::ExprId id = pending.back();
    pending.pop_back();
    order_.push_back(id);
    for (const ir::ExprId operand : code.args(code[id])) pending.push_back(operand);
  }
  std::reverse(order_.begin() + first, order_.end());
  ranges_[ir::index(root)] = {first, uint32_t(order_.size()) - first};
}

std::span<const ir::ExprId> Postfix::of(ir::ExprId root) const {
  const ir::Range range = ranges_[ir::index(root)];
  return {order_.data() + range.first, range.count};
}

}  // namespace vyre::ref
