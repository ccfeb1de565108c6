#include "analyze/uniformity.h"
#include "spec/ops.h"

namespace vyre::analyze {

using ir::BlockId;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;

namespace {

/// Whether the operands of a statement influence control or a variable; those of a store influence memory
/// alone, which is never uniform where it can be written.
bool operands_matter(NodeKind kind) {
  switch (kind) {
    case NodeKind::Let:
    case NodeKind::Assign:
    case NodeKind::If:
    case NodeKind::Loop: return true;
    case NodeKind::Store:
    case NodeKind::Return:
    case NodeKind::Block:
    case NodeKind::Barrier: return false;
  }
  return false;
}

/// Whether it calls an operation of category C that gives each invocation a result of its own.
bool is_lane_wise(const UniformityInput& input, ExprId id) {
  const uint32_t target = input.expr_target[index(id)];
  if (input.code[id].op != spec::Op::Call || target == kUnresolved) return false;
  const spec::OpDef* callee = input.callees[target];
  return callee->intrinsic && !spec::info(*callee->intrinsic).uniform;
}

/// Whether a load from the buffer can differ between invocations although its index does not: others may
/// write.
bool is_written_elsewhere(const UniformityInput& input, uint32_t buffer) {
  return buffer != kUnresolved && spec::is_writable(input.buffers[buffer].access);
}

/// Whether an expression can differ between invocations whatever its operands are.
bool differs_by_itself(const UniformityInput& input, ExprId id) {
  const Expr& e = input.code[id];
  const uint32_t target = input.expr_target[index(id)];
  switch (e.kind) {
    case ExprKind::InvocationId:
    case ExprKind::LocalId: return true;
    case ExprKind::Load: return is_written_elsewhere(input, target);
    case ExprKind::Apply:
      if (spec::is_reduction(e.op)) return is_written_elsewhere(input, target);
      return spec::is_atomic(e.op) || is_lane_wise(input, id);
    case ExprKind::Literal:
    case ExprKind::Var:
    case ExprKind::BufLen:
    case ExprKind::WorkgroupId:
    case ExprKind::NumWorkgroups: return false;
  }
  return true;
}

}  // namespace

Uniformity::Uniformity(const UniformityInput& input) : input_(input), code_(input.code) {
  statements_.resize(code_.nodes.size(), Statement{});
  order_.reserve(code_.nodes.size());
  uses_.reserve(code_.exprs.size() / 4);  // what usual programs read; more grows it
  first_use_.resize(input.variables, kNone);
  variable_cause_.resize(input.variables, kNone);
  link_statements();
  uint32_t first = 0;  // the expressions before belong to statements before
  for (const NodeId id : order_) {
    const Node& node = code_[id];
    if (operands_matter(node.kind)) {
      input.in_order&& node.args.count > 0 ? scan_row(id, first, index(code_.args(node).back()))
                                           : scan_operands(id);
    }
    if (input.in_order && node.args.count > 0) first = index(code_.args(node).back()) + 1;
  }
  for (size_t i = 0; i < queue_.size(); ++i) propagate(queue_[i]);
  for (const NodeId node : order_) {
    if (code_[node].kind == NodeKind::Barrier && !is_control_uniform(node)) divergent_.push_back(node);
  }
}

void Uniformity::link_statements() {
  // Blocks whose statements are still to be taken; a block's children go on top, so the order is that of the
  // text.
  struct Open {
    BlockId block;
    uint32_t next, parent;
  };
  std::vector<Open> open = {{input_.entry, 0, kNone}};
  while (!open.empty()) {
    Open& top = open.back();
    const auto nodes = code_.block(top.block);
    if (top.next == nodes.size()) {
      open.pop_back();
      continue;
    }
    const uint32_t i = top.next++;
    const NodeId id = nodes[i];
    order_.push_back(id);
    statements_[index(id)].parent = top.parent;
    if (i + 1 < nodes.size()) statements_[index(id)].next = index(nodes[i + 1]);
    const Node& node = code_[id];
    if (node.orelse != ir::kNoBlock) open.push_back({node.orelse, 0, index(id)});
    if (node.body != ir::kNoBlock) open.push_back({node.body, 0, index(id)});
  }
}

void Uniformity::scan_operands(NodeId node) {
  const auto roots = code_.args(code_[node]);
  pending_.assign(roots.rbegin(), roots.rend());
  while (!pending_.empty()) {
    const ExprId id = pending_.back();
    pending_.pop_back();
    const Expr& e = code_[id];
    const uint32_t target = input_.expr_target[index(id)];
    if (differs_by_itself(input_, id)) {
      mark_operands(index(node), index(id));
      return;  // nothing more to learn of these operands
    }
    if (e.kind == ExprKind::Var && target != kUnresolved) {
      uses_.push_back({index(node), index(id), first_use_[target]});
      first_use_[target] = uint32_t(uses_.size() - 1);
    }
    const auto operands = code_.args(e);
    for (size_t i = operands.size(); i-- > 0;) pending_.push_back(operands[i]);
  }
}

void Uniformity::scan_row(NodeId node, uint32_t first, uint32_t last) {
  for (uint32_t i = first; i <= last; ++i) {
    const uint32_t target = input_.expr_target[i];
    if (code_.exprs[i].kind == ExprKind::Var) {
      if (target == kUnresolved) continue;
      uses_.push_back({index(node), i, first_use_[target]});
      first_use_[target] = uint32_t(uses_.size() - 1);
    } else if (differs_by_itself(input_, ExprId{i})) {
      return mark_operands(index(node), i);  // any cause: see named_cause()
    }
  }
}

ExprId Uniformity::named_cause(uint32_t node) const {
  const ExprId known{statements_[node].operand_cause};
  if (code_[known].kind == ExprKind::Var) return known;
  const auto roots = code_.args(code_[NodeId{node}]);
  std::vector<ExprId> pending(roots.rbegin(), roots.rend());
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (differs_by_itself(input_, id)) return id;
    const auto operands = code_.args(code_[id]);
    pending.insert(pending.end(), operands.rbegin(), operands.rend());
  }
  return known;
}

void Uniformity::mark(uint32_t& known, FactKind kind, uint32_t index, uint32_t cause) {
  if (known != kNone) return;
  known = cause;
  queue_.push_back({kind, index});
}

void Uniformity::mark_operands(uint32_t node, uint32_t expr) {
  mark(statements_[node].operand_cause, FactKind::Operands, node, expr);
}

void Uniformity::mark_reached(uint32_t node, uint32_t cause) {
  mark(statements_[node].control_cause, FactKind::Control, node, cause);
}

void Uniformity::mark_returned(uint32_t node, uint32_t cause) {
  mark(statements_[node].return_cause, FactKind::Returned, node, cause);
}

void Uniformity::mark_control(BlockId block, uint32_t cause) {
  if (block == ir::kNoBlock || code_.block(block).empty()) return;
  mark_reached(index(code_.block(block)[0]), cause);
}

void Uniformity::mark_assigned(NodeId node, uint32_t cause) {
  const uint32_t variable = input_.node_target[index(node)];
  if (variable != kUnresolved) mark(variable_cause_[variable], FactKind::Variable, variable, cause);
}

void Uniformity::propagate(Fact fact) {
  if (fact.kind == FactKind::Variable) {
    for (uint32_t use = first_use_[fact.index]; use != kNone; use = uses_[use].next) {
      mark_operands(uses_[use].node, uses_[use].expr);
    }
    return;
  }
  const NodeId id{fact.index};
  const Node& node = code_[id];
  const Statement& statement = statements_[fact.index];
  const bool assigns = node.kind == NodeKind::Let || node.kind == NodeKind::Assign;
  switch (fact.kind) {
    case FactKind::Variable: return;
    case FactKind::Operands:
      // A loop variable can differ only by its bounds: where control can differ at its loop, it does so
      // inside too.
      if (assigns || node.kind == NodeKind::Loop) mark_assigned(id, fact.index);
      mark_control(node.body, fact.index);
      mark_control(node.orelse, fact.index);
      return;
    case FactKind::Control: {
      // The cause is handed on as it is, so that explaining a statement far into a block takes no walk.
      const uint32_t cause = statement.control_cause;
      if (statement.next != kNone) mark_reached(statement.next, cause);
      mark_control(node.body, cause);
      mark_control(node.orelse, cause);
      if (assigns) mark_assigned(id, fact.index | kOther);
      if (node.kind == NodeKind::Return) mark_returned(fact.index, fact.index);
      return;
    }
    case FactKind::Returned: {
      // Some invocations may be gone after this statement: in the rest of its block, in the rest of every
      // block around it, and at the next round of a loop.
      const uint32_t origin = statement.return_cause;
      if (statement.next != kNone) mark_reached(statement.next, origin | kOther);
      if (node.kind == NodeKind::Loop) mark_control(node.body, origin | kOther);
      if (statement.parent != kNone) mark_returned(statement.parent, origin);
      return;
    }
  }
}

std::vector<DivergenceStep> Uniformity::explain(NodeId node, size_t limit) const {
  std::vector<DivergenceStep> steps;
  bool of_control = true;  // what is explained next: control at `at`, or else its operands
  uint32_t at = index(node);
  while (steps.size() < limit) {
    if (of_control) {
      const uint32_t cause = statements_[at].control_cause;
      at = cause & ~kOther;
      of_control = (cause & kOther) != 0;
      if (of_control) {
        steps.push_back({DivergenceStep::Kind::Return, NodeId{at}});
        continue;
      }
      steps.push_back({DivergenceStep::Kind::Condition, NodeId{at}, named_cause(at)});
    }
    // The operands of `at` can differ, by an expression that does so by itself or by a variable.
    const ExprId expr = named_cause(at);
    if (code_[expr].kind != ExprKind::Var) return steps;
    const uint32_t cause = variable_cause_[input_.expr_target[index(expr)]];
    at = cause & ~kOther;
    of_control = (cause & kOther) != 0;
    if (steps.size() == limit) return steps;
    if (of_control) {
      steps.push_back({DivergenceStep::Kind::AssignedControl, NodeId{at}});
    } else {
      steps.push_back({DivergenceStep::Kind::AssignedValue, NodeId{at}, named_cause(at)});
    }
  }
  return steps;
}

}  // namespace vyre::analyze
