// Uniformity: which variables and which places of a program are the same for every invocation of a workgroup.
//
// A barrier may stand only where all invocations of a workgroup arrive together. That is decided by one-way
// rules over facts of the form "this can differ between invocations": an operand that reads local_id can
// differ; a variable assigned from it can; control under a condition on it can; a variable assigned there
// can: divergence propagates through data flow and control dependence to a fixpoint. Every rule has one
// premise, so the least fixpoint is reachability: each fact is entered once, and the fact it came from is
// kept to explain it. No constant folding takes part.
//
// It works on ir::Code and the tables of what names stand for, and knows nothing of how they were made.
// Source: semantics, "Uniformity"; execution-model, "Barriers".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/arena.h"
#include "ir/ir.h"
#include "spec/operation.h"

namespace vyre::analyze {

/// The program and what its names stand for. A target of kUnresolved is taken as uniform.
struct UniformityInput {
  const ir::Code& code;
  ir::BlockId entry;
  std::span<const ir::BufferDecl> buffers;
  std::span<const uint32_t> expr_target;  // by ExprId: variable of Var, buffer of Load
  std::span<const uint32_t> node_target;  // by NodeId: variable of Let, Assign, Loop
  uint32_t variables;                     // how many variables there are
  // What is called; expr_target of a Call is its place here, kUnresolved where the name is unknown.
  std::span<const spec::OpDef* const> callees = {};
  /// Whether the expressions of all statements follow one another in program order, operands first, as they
  /// do in what was parsed or decoded. Then operands are read front to back instead of as trees.
  bool in_order = false;
};
inline constexpr uint32_t kUnresolved = UINT32_MAX;

/// One step of the reason why something can differ, from the effect to its origin.
struct DivergenceStep {
  enum class Kind : uint8_t {
    Condition,      // node: the If or Loop whose operand `expr` can differ
    Return,         // node: a Return that only some invocations may take
    AssignedValue,  // node: the Let, Assign or Loop that gives a variable a value which can differ by `expr`
    AssignedControl,  // node: the Let or Assign of a variable, standing where control can differ
  } kind;
  ir::NodeId node;
  ir::ExprId expr{};  // Condition, AssignedValue: what in its operands can differ: an id, a load, an atomic,
                      // a subgroup operation, a Var
};

class Uniformity {
 public:
  /// Cost: linear in the program, whatever its nesting.
  explicit Uniformity(const UniformityInput& input);

  bool is_uniform(uint32_t variable) const { return variable_cause_[variable] == kNone; }
  /// Whether control is uniform where the statement stands.
  bool is_control_uniform(ir::NodeId node) const {
    return statements_[ir::index(node)].control_cause == kNone;
  }
  /// Barriers where it is not, in program order.
  const std::vector<ir::NodeId>& divergent_barriers() const { return divergent_; }
  /// Why control can differ at a statement: at most `limit` steps. Domain: !is_control_uniform(node).
  std::vector<DivergenceStep> explain(ir::NodeId node, size_t limit) const;

 private:
  // A cause names a statement (or, of operands, an expression); the high bit tells two kinds of cause apart.
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint32_t kOther = uint32_t(1) << 31;

  enum class FactKind : uint32_t { Variable, Operands, Control, Returned };
  struct Fact {
    FactKind kind : 2;
    uint32_t index : 30;
  };
  /// What is known of a statement: the one around it and the next of its block, kNone at the ends; and why
  /// each fact holds, kNone while it does not.
  struct Statement {
    uint32_t parent = kNone, next = kNone;
    uint32_t operand_cause = kNone;  // the expression that can differ
    uint32_t control_cause = kNone;  // the If or Loop; kOther: the Return
    uint32_t return_cause = kNone;   // the Return inside it, or itself
  };
  struct Use {
    uint32_t node, expr, next;
  };

  void link_statements();
  void scan_operands(ir::NodeId node);
  /// The same when they are the expressions first .. last.
  void scan_row(ir::NodeId node, uint32_t first, uint32_t last);
  /// Of several expressions by which the operands of a statement differ, the one that stands first.
  ir::ExprId named_cause(uint32_t node) const;
  void propagate(Fact fact);
  /// Enters a fact with its cause, unless it is known.
  void mark(uint32_t& known, FactKind kind, uint32_t index, uint32_t cause);
  void mark_operands(uint32_t node, uint32_t expr);
  void mark_reached(uint32_t node, uint32_t cause);
  void mark_returned(uint32_t node, uint32_t cause);
  void mark_control(ir::BlockId block, uint32_t cause);
  void mark_assigned(ir::NodeId node, uint32_t cause);

  const UniformityInput input_;
  const ir::Code& code_;
  Arena<Statement> statements_;  // by NodeId
  Arena<ir::NodeId> order_;      // reachable statements, in program order
  Arena<uint32_t> first_use_;    // by variable: its reads in operands that matter, a list through uses_
  Arena<Use> uses_;
  Arena<uint32_t> variable_cause_;  // by variable, as of a statement: the assigning one; kOther: by control,
                                    // not by value
  Arena<Fact> queue_;
  std::vector<ir::ExprId> pending_;  // scratch of scan_operands()
  std::vector<ir::NodeId> divergent_;
};

}  // namespace vyre::analyze
