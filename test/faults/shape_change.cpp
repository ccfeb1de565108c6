#include "shape_change.h"
#include "spec/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vyre::faults {

using ir::Ex;
using ir::ExprId;
using ir::ExprKind;
using ir::NodeId;
using ir::NodeKind;
using spec::BufferAccess;
using spec::DataType;

namespace {

/// Adds to a number for as long as it lives.
class Within {
 public:
  explicit Within(uint32_t& number, bool really = true) : number_(number), before_(number) {
    number += really;
  }
  ~Within() { number_ = before_; }

 private:
  uint32_t& number_;
  const uint32_t before_;
};

}  // namespace

ir::Program Copy::run() {
  const auto& program = from();
  workgroup_size(program.workgroup_size[0], program.workgroup_size[1], program.workgroup_size[2]);
  for (const ir::BufferDecl& buffer : program.buffers) {
    if (buffer.access == BufferAccess::Workgroup) {
      workgroup(code().name(buffer.name), buffer.element, buffer.count);
      continue;
    }
    if (buffer.access == BufferAccess::Private) {
      private_(code().name(buffer.name), buffer.element, buffer.count);
      continue;
    }
    const auto declare = [&](const auto& type) {
      const std::string_view name = code().name(buffer.name);
      if (buffer.access == BufferAccess::Read) read(name, type, buffer.binding);
      if (buffer.access == BufferAccess::ReadWrite) read_write(name, type, buffer.binding);
      if (buffer.access == BufferAccess::Uniform) uniform(name, type, buffer.binding);
    };
    if (const ir::TensorType* tensor = program.tensor(buffer)) {
      ir::Tensor type{tensor->element, {}, tensor->strides};
      for (const ir::Dim& dim : tensor->dims) {
        type.dims.push_back(dim.dynamic()
                                ? ir::Dimension(code().name(dim.name), {intern(dim.buffer)}, dim.element)
                                : ir::Dimension(dim.size));
      }
      declare(type);
    } else {
      declare(buffer.element);
    }
  }
  if (change_.entry) change_.entry(*this);
  block(program.entry);
  ir::Program out = finish();
  if (change_.declarations) change_.declarations(out);
  return out;
}

uint32_t Copy::invocations() const {
  const auto& size = from().workgroup_size;
  return size[0] * size[1] * size[2];
}

bool Copy::has_effect(ExprId id) const {
  const ir::Expr& e = code()[id];
  return (e.kind == ExprKind::Apply && spec::is_atomic(e.op)) ||
         std::ranges::any_of(code().args(e), [&](ExprId arg) { return has_effect(arg); });
}

// --- Expressions

Ex Copy::expr(ExprId id) {
  if (change_.expression) {
    if (const auto other = change_.expression(*this, id)) return *other;
  }
  return plain(id);
}
Ex Copy::plain(ExprId id) { return with(id, operands(code().args(code()[id]))); }
std::vector<Ex> Copy::operands(std::span<const ExprId> ids) {
  std::vector<Ex> out;
  for (const ExprId id : ids) {
    const Within deeper(depth_);
    out.push_back(expr(id));
  }
  return out;
}
Ex Copy::with(ExprId id, std::span<const Ex> operands) {
  const ir::Expr& e = code()[id];
  if (e.kind == ExprKind::Literal) return literal(e.type, code().literal_bits(e));
  ir::Expr copy = e;
  copy.symbol = intern(e.symbol);
  return add(copy, operands);
}

Ex Copy::hoisted(Ex value) { return let(fmt::format("fault_{}", names_++), value); }
std::vector<Ex> Copy::first(std::span<const ExprId> ids, size_t which) {
  const Ex early = hoisted(expr(ids[which]));
  std::vector<Ex> out;
  for (size_t k = 0; k < ids.size(); ++k) out.push_back(k == which ? early : expr(ids[k]));
  return out;
}
Ex Copy::shared(Ex value) {
  const ir::Expr& e = ProgramBuilder::code()[value.id()];
  return e.args.count == 0 ? value : hoisted(value);
}

Ex Copy::zero(DataType type) {
  if (type == DataType::Vec2U32) return vec2u32(u32(0), u32(0));
  if (type == DataType::Vec4U32) return vec4u32(u32(0), u32(0), u32(0), u32(0));
  return literal(type, 0);
}
Ex Copy::lane() {
  const auto& size = from().workgroup_size;
  return local_id(0) + (local_id(1) + local_id(2) * size[1]) * size[0];
}
Ex Copy::group() { return workgroup_id(0) + (workgroup_id(1) + workgroup_id(2) * groups(1)) * groups(0); }
Ex Copy::invocation() { return group() * invocations() + lane(); }
Ex Copy::groups(uint32_t axis) { return load(hide(Hidden::Groups), u32(axis)); }
Ex Copy::count() { return atomic(ir::Op::AtomicAdd, hide(Hidden::Counter), u32(0), u32(1)); }

ir::BufferRef Copy::hide(Hidden which) {
  const std::string name = which == Hidden::Groups ? "fault_groups" : "fault_counter";
  if (std::ranges::find(hidden_, which) != hidden_.end()) return {ProgramBuilder::code().intern(name)};
  uint32_t binding = 0;
  for (const ir::BufferDecl& buffer : from().buffers) {
    if (spec::is_bound(buffer.access)) binding = std::max(binding, buffer.binding + 1);
  }
  binding += uint32_t(hidden_.size());
  hidden_.push_back(which);
  return which == Hidden::Groups ? read(name, DataType::U32, binding)
                                 : read_write(name, DataType::U32, binding);
}

// --- Statements

void Copy::block(ir::BlockId id) {
  const Within same(visible_, false);
  for (const NodeId node : code().block(id)) statement(node);
}
void Copy::statement(NodeId id) {
  if (!change_.statement || !change_.statement(*this, id)) plain(id);
  const NodeKind kind = code()[id].kind;
  visible_ += kind == NodeKind::Let;
  ++statements_;
}
void Copy::plain(NodeId id) { with(id, operands(code().args(code()[id]))); }
void Copy::with(NodeId id, std::span<const Ex> operands) {
  const ir::Node node = code()[id];
  ir::Node copy = node;
  copy.symbol = intern(node.symbol);
  if (node.kind == NodeKind::Loop) loops_.push_back(id);
  {
    const Within deeper(nesting_), in_if(ifs_, node.kind == NodeKind::If),
        variable(visible_, node.kind == NodeKind::Loop);
    if (node.body != ir::kNoBlock) copy.body = collect([&] { block(node.body); });
    if (node.orelse != ir::kNoBlock) copy.orelse = collect([&] { block(node.orelse); });
  }
  if (node.kind == NodeKind::Loop) loops_.pop_back();
  add_statement(copy, operands);
}

}  // namespace vyre::faults
