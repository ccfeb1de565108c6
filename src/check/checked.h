// Checked: a validated program, with its names and types resolved.
//
// check() is the only way to make one, and whatever comes after it (layout, ref, lower, backends) takes a
// const Checked&, so nothing after the checker has a validation path of its own. Names are resolved here: to
// variables, buffers and operations. Source: the spec's sections on program structure, and semantics,
// "Structure", "Uniformity", "Types", "Casts".
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <vector>

#include "base/arena.h"
#include "base/diag.h"
#include "base/digest.h"
#include "ir/ir.h"
#include "spec/operation.h"

namespace vyre::check {

using ir::BlockId;
using ir::DataType;
using ir::ExprId;
using ir::NodeId;

/// Indices into Resolution::variables and Program::buffers.
enum class VarId : uint32_t {};
enum class BufferId : uint32_t {};
constexpr uint32_t index(VarId id) { return static_cast<uint32_t>(id); }
constexpr uint32_t index(BufferId id) { return static_cast<uint32_t>(id); }

struct Variable {
  ir::Symbol name;
  DataType type;
  enum class Kind : uint8_t { Let, Loop, Parameter } kind = Kind::Let;
  bool assigned = false;  // some Assign names it
};

/// What names and expressions of one Code mean. Functions number their parameters first, in order.
struct Resolution {
  Arena<DataType> types;  // by ExprId
  Arena<uint32_t>
      expr_target;  // by ExprId. Var: VarId; Load, BufLen, atomics: BufferId; Call: callees; else unused
  Arena<uint32_t> node_target;  // by NodeId. Let, Assign, Loop: VarId; Store: BufferId; else unused
  std::vector<const spec::OpDef*> callees;  // what is called, each once; expr_target of a Call is its place
  Arena<Variable> variables;

  DataType type(ExprId id) const { return types[ir::index(id)]; }
  VarId variable(ExprId id) const { return VarId{expr_target[ir::index(id)]}; }
  VarId variable(NodeId id) const { return VarId{node_target[ir::index(id)]}; }
  BufferId buffer(ExprId id) const { return BufferId{expr_target[ir::index(id)]}; }
  BufferId buffer(NodeId id) const { return BufferId{node_target[ir::index(id)]}; }
  const spec::OpDef* callee(ExprId id) const { return callees[expr_target[ir::index(id)]]; }
};

/// The checked body of a called operation.
struct CheckedFunction {
  const ir::Function* function;
  Resolution resolution;
};

class Checked {
 public:
  const ir::Program& program() const { return *program_; }
  const Resolution& resolution() const { return resolution_; }
  const ir::BufferDecl& buffer(BufferId id) const { return program_->buffers[index(id)]; }
  /// The checked body of an operation that this program calls, directly or through others.
  const CheckedFunction& function(const spec::OpDef& def) const { return *functions_.at(&def); }
  /// All of them.
  const std::map<const spec::OpDef*, std::shared_ptr<const CheckedFunction>>& functions() const {
    return functions_;
  }
  /// Whether some statement of the program itself is a Barrier.
  bool has_barrier() const { return has_barrier_; }
  /// The operations of category C that the program calls, each with its first call, in program order.
  struct IntrinsicUse {
    spec::Intrinsic intrinsic;
    Span span;
  };
  const std::vector<IntrinsicUse>& intrinsics() const { return intrinsics_; }
  /// Buffers that are bound by the host (all but workgroup ones), in the order of their declaration: the
  /// order in which every dispatch takes them.
  const std::vector<BufferId>& bound_buffers() const { return bound_; }
  /// What is valid and seldom meant (V044), in the order of positions.
  const Diagnostics& warnings() const { return warnings_; }

 private:
  friend class ItemChecker;
  Checked() = default;
  std::shared_ptr<const ir::Program> program_;
  Resolution resolution_;
  std::map<const spec::OpDef*, std::shared_ptr<const CheckedFunction>> functions_;
  std::vector<BufferId> bound_;
  std::vector<IntrinsicUse> intrinsics_;
  Diagnostics warnings_;
  bool has_barrier_ = false;
};

/// The identity of what a program means: of the program itself, and of the operations of its file that it
/// calls, which it knows by their names alone. Operations of the library are what their ids and versions say.
Digest digest(const Checked& program);

/// Checks a program against every rule. Errors: all broken rules at once, in the order of their positions.
/// The table must outlive the result. Cost: linear in the program and the bodies of what it calls.
std::expected<Checked, Diagnostics> check(ir::Program program, const spec::OpTable& ops);

/// The same for the body of an operation (no buffers, barriers, ids, atomics, Return).
std::expected<CheckedFunction, Diagnostics> check(const ir::Function& function, const spec::OpTable& ops);

}  // namespace vyre::check
