#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "check/body_checker.h"
#include "check/wording.h"
#include "spec/limits.h"
#include "spec/ops.h"

namespace vyre::check {

using ir::Expr;
using ir::ExprKind;
using spec::Form;
using spec::Op;

namespace {

/// What an expression of one kind, or an application of one operator, is made of.
struct ExprShape {
  uint32_t fields = 0;  // a bit for each that it has: fields_set()
  uint32_t min_operands = 0, max_operands = 0;
};
constexpr uint32_t kHasOp = 1, kHasType = 2, kHasMode = 4, kHasSymbol = 8, kHasImmediate = 16;

constexpr spec::Row<Form, uint32_t> kFieldRows[] = {
    {Form::Scalar, kHasOp},
    {Form::Select, kHasOp},
    {Form::MakeVector, kHasOp},
    {Form::Component, kHasOp | kHasImmediate},
    {Form::Cast, kHasOp | kHasType | kHasMode},
    {Form::Bitcast, kHasOp | kHasType},
    {Form::Reduce, kHasOp | kHasSymbol | kHasImmediate},
    {Form::Call, kHasOp | kHasSymbol | kHasImmediate},
    {Form::Atomic, kHasOp | kHasSymbol},
};
constexpr spec::TotalTable<kFieldRows> kFields;

constexpr spec::Row<ExprKind, ExprShape> kExprShapeRows[] = {
    {ExprKind::Literal, {kHasType | kHasImmediate, 0, 0}},
    {ExprKind::Load, {kHasSymbol, 0, UINT32_MAX}},  // V033 speaks of its indices
    {ExprKind::Var, {kHasSymbol, 0, 0}},
    {ExprKind::BufLen, {kHasSymbol, 0, 0}},
    {ExprKind::InvocationId, {kHasImmediate, 0, 0}},
    {ExprKind::WorkgroupId, {kHasImmediate, 0, 0}},
    {ExprKind::LocalId, {kHasImmediate, 0, 0}},
    {ExprKind::NumWorkgroups, {kHasImmediate, 0, 0}},
    {ExprKind::Apply, {}},  // by its operator
};
constexpr spec::TotalTable<kExprShapeRows> kExprShapes;

constexpr ExprShape shape_of(const spec::OpInfo& op) {
  const std::optional<uint32_t> operands = spec::operand_count(op.op);
  return {kFields[spec::form_of(op.op)], operands.value_or(0), operands.value_or(UINT32_MAX)};
}

/// The kinds, then the operators: one look for each expression, since this is where checking spends its time.
constexpr auto kShapes = [] {
  std::array<ExprShape, ir::kExprKindCount + spec::kOpCount> out{};
  for (size_t i = 0; i < ir::kExprKindCount; ++i) out[i] = kExprShapes[static_cast<ExprKind>(i)];
  for (size_t i = 0; i < spec::kOpCount; ++i) out[ir::kExprKindCount + i] = shape_of(spec::kOps[i]);
  return out;
}();

const ExprShape& shape_of(const Expr& e) {
  return kShapes[e.kind == ExprKind::Apply ? ir::kExprKindCount + static_cast<size_t>(e.op)
                                           : static_cast<size_t>(e.kind)];
}

/// Whether no field is set that the shape does not have; an unset one is as it is in Expr{}. Without
/// a branch, since this is asked of every expression.
bool only_fields_of(const Expr& e, const ExprShape& shape) {
  constexpr Expr unset;
  const uint32_t set = uint32_t(e.op != unset.op) * kHasOp | uint32_t(e.type != unset.type) * kHasType |
                       uint32_t(e.mode != unset.mode) * kHasMode |
                       uint32_t(e.symbol != unset.symbol) * kHasSymbol |
                       uint32_t(e.immediate != unset.immediate) * kHasImmediate;
  return (set & ~shape.fields) == 0;
}

}  // namespace

DataType BodyChecker::expression(ExprId root) {
  if (ir::index(root) >= code_.exprs.size()) {
    malformed(Span::none(), "an operand that does not exist");
    return kUnknownType;
  }
  if (next_ <= ir::index(root) && stands_in_order(root)) {
    const uint32_t first = next_, size = ir::index(root) + 1 - first;
    type_row(first, ir::index(root));
    visited_ += size;
    next_ = first + size;
    if (size > spec::kMaxExpressionDepth) {
      order_.clear();
      for (uint32_t i = first + size; i-- > first;) order_.push_back(ExprId{i});
      check_depth(root);
    }
    return type(root);
  }
  if (next_ != UINT32_MAX) {
    seen_expr_.assign(code_.exprs.size(), false);
    std::fill_n(seen_expr_.begin(), next_, true);
    forget_from(next_);
    next_ = UINT32_MAX;
  }
  order_.clear();
  pending_.assign(1, root);
  while (!pending_.empty()) {
    const ExprId id = pending_.back();
    pending_.pop_back();
    if (seen_expr_[ir::index(id)]) {
      malformed(code_.span(id), "an expression stands in two places");
      continue;
    }
    seen_expr_[ir::index(id)] = true;
    order_.push_back(id);
    for (const ExprId operand : code_.args(code_[id])) {
      if (ir::index(operand) >= ir::index(id)) {
        malformed(code_.span(id), "an expression stands before its operand");
      } else {
        pending_.push_back(operand);
      }
    }
  }
  visited_ += order_.size();
  // The last operand was taken first, so the order backwards is operands left to right, then their
  // expression.
  for (size_t i = order_.size(); i-- > 0;) {
    result_.resolution.types[ir::index(order_[i])] = type_of(order_[i]);
  }
  check_depth(root);
  return type(root);
}

void BodyChecker::check_depth(ExprId root) {
  if (order_.size() <= spec::kMaxExpressionDepth) return;  // no tree is deeper than it is large
  // Operands stand behind their expression in order_, so a depth is known when it is needed.
  std::unordered_map<uint32_t, uint32_t> depths = {{ir::index(root), 1}};
  uint32_t deepest = 0;
  for (const ExprId id : order_) {
    const uint32_t depth = depths[ir::index(id)];
    deepest = std::max(deepest, depth);
    for (const ExprId operand : code_.args(code_[id])) depths[ir::index(operand)] = depth + 1;
  }
  if (deepest <= spec::kMaxExpressionDepth) return;
  report_.add(
      DiagCode::V023, code_.span(root),
      fmt::format("an expression of depth {}; at most {} are allowed", deepest, spec::kMaxExpressionDepth),
      "name parts of it with let");
}

bool BodyChecker::well_shaped(ExprId id, const Expr& e) {
  const ExprShape& shape = shape_of(e);
  if (!only_fields_of(e, shape)) {
    malformed(code_.span(id), "an expression with a field set that its kind does not have");
    return false;
  }
  if (shape.min_operands <= e.args.count && e.args.count <= shape.max_operands) return true;
  malformed(code_.span(id),
            e.kind == ExprKind::Apply
                ? fmt::format("{} takes {} operand{}, not {}", written(e.op), shape.min_operands,
                              shape.min_operands == 1 ? "" : "s", e.args.count)
                : fmt::format("a leaf expression with {} operands", e.args.count));
  return false;
}

DataType BodyChecker::type_of(ExprId id) {
  const Expr& e = code_[id];
  if (!well_shaped(id, e)) return kUnknownType;
  switch (e.kind) {
    case ExprKind::Literal: return literal(id, e);
    case ExprKind::Var: return variable(id, e);
    case ExprKind::Load: return load(id, e);
    case ExprKind::BufLen:
      if (input_.function != nullptr) {
        not_in_function(code_.span(id), "len");
      } else {
        result_.resolution.expr_target[ir::index(id)] = find_buffer(e.symbol, code_.span(id));
      }
      return DataType::U32;
    case ExprKind::InvocationId:
    case ExprKind::WorkgroupId:
    case ExprKind::LocalId:
    case ExprKind::NumWorkgroups: return axis(id, e);
    case ExprKind::Apply: return apply(id, e);
  }
  return kUnknownType;
}

bool BodyChecker::check_available(DataType type, Span span) {
  if (spec::is_available(type) && spec::is_value_type(type)) return true;
  if (spec::is_small(type)) {
    report_.add(DiagCode::V025, span,
                fmt::format("{} is a type of tensors in graphs; values cannot have it", spec::text(type)),
                std::string(kSmallHelp));
  } else if (spec::is_available(type)) {
    report_.add(DiagCode::V025, span,
                fmt::format("{} is a buffer type; values cannot have it", spec::text(type)),
                type == DataType::Bytes ? "the words of a bytes buffer are u32"
                                        : "an element of a tensor has the tensor's element type");
  } else {
    report_.add(DiagCode::V025, span, fmt::format("this version of vyre has no {}", spec::text(type)),
                fmt::format("use one of {}", types_in(spec::kValues)));
  }
  return false;
}

DataType BodyChecker::literal(ExprId id, const Expr& e) {
  const Span span = code_.span(id);
  if (!check_available(e.type, span)) return kUnknownType;
  if (spec::kVectors.contains(e.type)) {
    report_.add(DiagCode::V034, span, fmt::format("a {} literal", spec::text(e.type)),
                fmt::format("make it of its components: {}(...)", spec::text(e.type)));
    return e.type;
  }
  const bool wide = spec::value_bits(e.type) > 32;
  if (wide && e.immediate >= code_.wide.size()) {
    malformed(span, fmt::format("a {} literal without its bits", spec::text(e.type)));
    return kUnknownType;
  }
  const auto bits = code_.literal_bits(e);
  if (e.type == DataType::Bool && bits[0] > 1) {
    report_.add(DiagCode::V034, span, fmt::format("a bool literal with the bits {:#x}", bits[0]),
                "false is 0 and true is 1");
  } else if (!spec::is_value(bits, e.type)) {
    report_.add(
        DiagCode::V034, span,
        fmt::format("a {} literal with more than {} bits", spec::text(e.type), spec::value_bits(e.type)),
        "leave the bits beyond the type zero");
  }
  return e.type;
}

DataType BodyChecker::variable(ExprId id, const Expr& e) {
  const Binding binding = e.symbol == ir::kNoSymbol ? Binding{} : visible_[ir::index(e.symbol)];
  switch (binding.kind) {
    case Binding::Kind::None:
    case Binding::Kind::Constant:  // stands in no code: it was replaced
      unknown_name(e.symbol, code_.span(id), "variable");
      return kUnknownType;
    case Binding::Kind::Buffer: {
      const std::string shown = quoted(code_.name(e.symbol));
      report_
          .add(DiagCode::V004, code_.span(id), fmt::format("{} is a buffer, not a value", shown),
               "read an element with name[index], or its length with len(name)")
          .notes.push_back({declared_at(binding), fmt::format("{} was declared here", shown)});
      return kUnknownType;
    }
    case Binding::Kind::Variable: break;
  }
  result_.resolution.expr_target[ir::index(id)] = binding.index;
  return result_.resolution.variables[binding.index].type;
}

DataType BodyChecker::load(ExprId id, const Expr& e) {
  const Span span = code_.span(id);
  if (input_.function != nullptr) {
    not_in_function(span, "a load");
    return kUnknownType;
  }
  const uint32_t target = find_buffer(e.symbol, span);
  check_indices(code_.args(e), target, span);
  if (target == kNoTarget) return kUnknownType;
  result_.resolution.expr_target[ir::index(id)] = target;
  return element_type(target);
}

DataType BodyChecker::element_type(uint32_t target) const {
  if (!buffer_usable_[target]) return kUnknownType;
  const ir::BufferDecl& buffer = input_.buffers[target];
  return buffer.element == DataType::Tensor ? input_.tensors[buffer.tensor].element
                                            : spec::element_value_type(buffer.element);
}

void BodyChecker::check_indices(std::span<const ExprId> indices, uint32_t target, Span span) {
  for (const ExprId index : indices) check_index(index);
  if (target == kNoTarget || !buffer_usable_[target]) return;
  const ir::BufferDecl& buffer = input_.buffers[target];
  const bool is_tensor = buffer.element == DataType::Tensor;
  const size_t wanted = is_tensor ? input_.tensors[buffer.tensor].dims.size() : 1;
  if (indices.size() == wanted) return;
  const std::string shown = quoted(code_.name(buffer.name));
  report_
      .add(DiagCode::V033, span,
           is_tensor ? fmt::format("tensor {} has {} dimension{} and takes as many indices, not {}", shown,
                                   wanted, wanted == 1 ? "" : "s", indices.size())
                     : fmt::format("a buffer takes one index, not {}", indices.size()),
           is_tensor ? "give one index a dimension" : "compute one index: row * width + column")
      .notes.push_back({buffer.span, fmt::format("{} was declared here", shown)});
}

DataType BodyChecker::axis(ExprId id, const Expr& e) {
  if (input_.function != nullptr) {
    not_in_function(code_.span(id), "an id");
  } else if (e.immediate > 2) {
    report_.add(DiagCode::V016, code_.span(id), fmt::format("axis {} of an id", e.immediate),
                "the axes are 0 (x), 1 (y) and 2 (z)");
  } else if (e.kind == ExprKind::NumWorkgroups) {
    group_count_not_hidden(code_.span(id));
  }
  return DataType::U32;
}

void BodyChecker::group_count_not_hidden(Span span) {
  if (!group_counts_) {
    group_counts_ = ir::kNoSymbol;
    for (uint32_t i = 0; i < code_.symbols.size(); ++i) {
      if (code_.symbols[i] == ir::kNumWorkgroups) group_counts_ = ir::Symbol{i};
    }
  }
  if (*group_counts_ == ir::kNoSymbol) return;
  const Binding hiding = visible_[ir::index(*group_counts_)];
  if (hiding.kind == Binding::Kind::None) return;
  report_
      .add(DiagCode::V062, span,
           fmt::format("the number of workgroups where {} is another", quoted(ir::kNumWorkgroups)),
           "give what is declared another name")
      .notes.push_back(
          {declared_at(hiding), fmt::format("{} was declared here", quoted(ir::kNumWorkgroups))});
}

void BodyChecker::check_index(ExprId id) {
  const DataType found = type(id);
  if (found == DataType::U32 || found == kUnknownType) return;
  report_.add(DiagCode::V013, code_.span(id), fmt::format("an index is u32; this is {}", spec::text(found)),
              fmt::format("write {}", conversion(id, DataType::U32)));
}

void BodyChecker::check_condition(ExprId id) {
  const DataType found = type(id);
  if (found == DataType::U32 || found == DataType::Bool || found == kUnknownType) return;
  report_.add(DiagCode::V014, code_.span(id),
              fmt::format("a condition is u32 or bool; this is {}", spec::text(found)),
              spec::kIntegers.contains(found) ? "compare it: value != 0 with a literal of its own type"
                                              : "compare it with what it should be");
}

}  // namespace vyre::check
