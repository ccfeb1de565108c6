#include <fmt/format.h>

#include <algorithm>

#include "check/body_checker.h"
#include "spec/casts.h"
#include "spec/limits.h"
#include "text/operators.h"
#include "text/text.h"

namespace vyre::check {

using ir::Expr;
using ir::ExprKind;
using spec::Op;
using spec::OpInfo;
using spec::Signature;

namespace {

/// The expression with only the fields that its kind uses, for comparison.
Expr used_fields(const Expr& e) {
  Expr out{.kind = e.kind, .args = e.args};
  switch (e.kind) {
    case ExprKind::Literal:
      out.type = e.type;
      out.immediate = e.immediate;
      return out;
    case ExprKind::Var:
    case ExprKind::Load:
    case ExprKind::BufLen: out.symbol = e.symbol; return out;
    case ExprKind::InvocationId:
    case ExprKind::WorkgroupId:
    case ExprKind::LocalId: out.immediate = e.immediate; return out;
    case ExprKind::Apply: break;
  }
  out.op = e.op;
  switch (spec::info(e.op).signature) {
    case Signature::T_T:
    case Signature::TT_T:
    case Signature::TU_T:
    case Signature::T_U:
    case Signature::TT_U:
    case Signature::T_B:
    case Signature::CTT_T: return out;
    case Signature::Cast:
      out.type = e.type;
      out.mode = e.mode;
      return out;
    case Signature::Bitcast: out.type = e.type; return out;
    case Signature::Call:
      out.symbol = e.symbol;
      out.immediate = e.immediate;
      return out;
    case Signature::A_T:
    case Signature::AA_T: out.symbol = e.symbol; return out;
  }
  return out;
}

/// The sign that people write, or else the mnemonic.
std::string written(Op op) {
  for (const text::InfixOperator& infix : text::kInfix) {
    if (infix.integer == op) return fmt::format("`{}`", infix.text);
  }
  for (const text::PrefixOperator& prefix : text::kPrefix) {
    if (prefix.integer == op) return fmt::format("prefix `{}`", prefix.text);
  }
  return fmt::format("`{}`", spec::mnemonic(op));
}

std::string types_in(spec::TypeSet set) {
  std::string out;
  for (const spec::TypeInfo& info : spec::kTypes) {
    if (!info.available || !set.contains(info.type)) continue;
    if (!out.empty()) out += ", ";
    out += info.text;
  }
  return out;
}

}  // namespace

DataType BodyChecker::expression(ExprId root) {
  pending_.clear();
  order_.clear();
  pending_.push_back({root, 1});
  uint32_t deepest = 0;
  if (ir::index(root) >= code_.exprs.size()) {
    malformed(Span::none(), "an operand that does not exist");
    return kUnknownType;
  }
  while (!pending_.empty()) {
    const Pending at = pending_.back();
    pending_.pop_back();
    if (seen_expr_[ir::index(at.id)]) {
      malformed(code_.span(at.id), "an expression stands in two places");
      continue;
    }
    seen_expr_[ir::index(at.id)] = true;
    ++visited_;
    deepest = std::max(deepest, at.depth);
    order_.push_back(at.id);
    for (const ExprId operand : code_.args(code_[at.id])) {
      if (ir::index(operand) >= ir::index(at.id)) {
        malformed(code_.span(at.id), "an expression stands before its operand");
      } else {
        pending_.push_back({operand, at.depth + 1});
      }
    }
  }
  // The last operand was taken first, so the order backwards is operands left to right, then their
  // expression.
  for (size_t i = order_.size(); i-- > 0;) {
    result_.resolution.types[ir::index(order_[i])] = type_of(order_[i]);
  }
  if (deepest > spec::kMaxExpressionDepth) {
    report_.add(
        DiagCode::V023, code_.span(root),
        fmt::format("an expression of depth {}; at most {} are allowed", deepest, spec::kMaxExpressionDepth),
        "name parts of it with let");
  }
  return type(root);
}

bool BodyChecker::well_shaped(ExprId id, const Expr& e) {
  const Expr used = used_fields(e);
  if (e.op != used.op || e.type != used.type || e.mode != used.mode || e.symbol != used.symbol ||
      e.immediate != used.immediate) {
    malformed(code_.span(id), "an expression with a field set that its kind does not have");
    return false;
  }
  switch (e.kind) {
    case ExprKind::Load: return true;  // V033 speaks of its indices
    case ExprKind::Literal:
    case ExprKind::Var:
    case ExprKind::BufLen:
    case ExprKind::InvocationId:
    case ExprKind::WorkgroupId:
    case ExprKind::LocalId:
      if (e.args.count == 0) return true;
      malformed(code_.span(id), fmt::format("a leaf expression with {} operands", e.args.count));
      return false;
    case ExprKind::Apply: {
      const auto count = spec::operand_count(e.op);
      if (!count || *count == e.args.count) return true;
      malformed(code_.span(id), fmt::format("{} takes {} operand{}, not {}", written(e.op), *count,
                                            *count == 1 ? "" : "s", e.args.count));
      return false;
    }
  }
  return true;
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
    case ExprKind::LocalId: return axis(id, e);
    case ExprKind::Apply: return apply(id, e);
  }
  return kUnknownType;
}

bool BodyChecker::check_available(DataType type, Span span) {
  if (spec::is_available(type) && spec::is_value_type(type)) return true;
  if (spec::is_available(type)) {
    report_.add(DiagCode::V025, span,
                fmt::format("{} is a buffer type; values cannot have it", spec::text(type)),
                "the words of a bytes buffer are u32");
  } else {
    report_.add(DiagCode::V025, span, fmt::format("this version of vyre has no {}", spec::text(type)),
                fmt::format("use one of {}", types_in(spec::kValues)));
  }
  return false;
}

DataType BodyChecker::literal(ExprId id, const Expr& e) {
  if (!check_available(e.type, code_.span(id))) return kUnknownType;
  if (e.type == DataType::Bool && e.immediate > 1) {
    report_.add(DiagCode::V034, code_.span(id),
                fmt::format("a bool literal with the bits {:#x}", e.immediate), "false is 0 and true is 1");
  }
  return e.type;
}

DataType BodyChecker::variable(ExprId id, const Expr& e) {
  const Binding binding = e.symbol == ir::kNoSymbol ? Binding{} : visible_[ir::index(e.symbol)];
  switch (binding.kind) {
    case Binding::Kind::None: unknown_name(e.symbol, code_.span(id), "variable"); return kUnknownType;
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
  if (input_.function != nullptr) {
    not_in_function(code_.span(id), "a load");
    return kUnknownType;
  }
  if (e.args.count == 1) {
    check_index(code_.arg(e, 0));
  } else {
    report_.add(DiagCode::V033, code_.span(id), fmt::format("a buffer takes one index, not {}", e.args.count),
                "compute one index: row * width + column");
  }
  const uint32_t target = find_buffer(e.symbol, code_.span(id));
  if (target == kNoTarget) return kUnknownType;
  result_.resolution.expr_target[ir::index(id)] = target;
  return buffer_usable_[target] ? spec::element_value_type(input_.buffers[target].element) : kUnknownType;
}

DataType BodyChecker::axis(ExprId id, const Expr& e) {
  if (input_.function != nullptr) {
    not_in_function(code_.span(id), "an id");
  } else if (e.immediate > 2) {
    report_.add(DiagCode::V016, code_.span(id), fmt::format("axis {} of an id", e.immediate),
                "the axes are 0 (x), 1 (y) and 2 (z)");
  }
  return DataType::U32;
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
              "compare it: value != 0 with a literal of its own type");
}

std::string BodyChecker::conversion(ExprId from, DataType to) const {
  const Expr& e = code_[from];
  if (e.kind == ExprKind::Literal && spec::is_available(e.type) && spec::is_available(to)) {
    // The literal itself, if its value is one of the wanted type.
    const uint32_t most = to == DataType::Bool ? 1 : e.type == to ? UINT32_MAX : uint32_t(INT32_MAX);
    if (e.immediate <= most) return text::print_literal(to, {e.immediate, 0, 0, 0});
  }
  return fmt::format("cast<{}>(...)", spec::text(to));
}

DataType BodyChecker::apply(ExprId id, const Expr& e) {
  switch (spec::info(e.op).signature) {
    case Signature::T_T:
    case Signature::TT_T:
    case Signature::TU_T:
    case Signature::T_U:
    case Signature::TT_U:
    case Signature::T_B: return scalar(id, e);
    case Signature::CTT_T: return select(id, e);
    case Signature::Cast: return cast(id, e);
    case Signature::Bitcast: return bitcast(id, e);
    case Signature::Call: return call(id, e);
    case Signature::A_T:
    case Signature::AA_T: return atomic(id, e);
  }
  return kUnknownType;
}

DataType BodyChecker::scalar(ExprId id, const Expr& e) {
  const OpInfo& info = spec::info(e.op);
  const auto operands = code_.args(e);
  const DataType t = type(operands[0]);
  bool known = t != kUnknownType;
  if (known && !info.types.contains(t)) {
    known = false;
    report_.add(DiagCode::V008, code_.span(operands[0]),
                fmt::format("{} takes {}; this is {}", written(e.op), types_in(info.types), spec::text(t)),
                fmt::format("write {}", conversion(operands[0], DataType::U32)));
  }
  for (uint32_t i = 1; i < operands.size(); ++i) {
    const DataType found = type(operands[i]);
    // A shift amount has its type whatever T is; the other operands are compared with T alone.
    const bool amount = info.signature == Signature::TU_T;
    if (found == kUnknownType || (!known && !amount)) continue;
    const DataType wanted = amount ? DataType::U32 : t;
    if (found == wanted) continue;
    if (amount) {
      report_.add(DiagCode::V008, code_.span(operands[i]),
                  fmt::format("a shift amount is u32; this is {}", spec::text(found)),
                  fmt::format("write {}", conversion(operands[i], DataType::U32)));
      continue;
    }
    known = false;
    Diag& diag = report_.add(DiagCode::V008, code_.span(id),
                             fmt::format("{} takes operands of one type; these are {} and {}", written(e.op),
                                         spec::text(t), spec::text(found)),
                             fmt::format("write {} on the right or {} on the left",
                                         conversion(operands[i], t), conversion(operands[0], found)));
    diag.notes.push_back({code_.span(operands[0]), fmt::format("this is {}", spec::text(t))});
    diag.notes.push_back({code_.span(operands[i]), fmt::format("this is {}", spec::text(found))});
  }
  // Where the result does not depend on T it is known even now.
  const bool fixed = spec::result_type(e.op, DataType::I32) == DataType::U32;
  return known || fixed ? spec::result_type(e.op, t) : kUnknownType;
}

DataType BodyChecker::select(ExprId id, const Expr& e) {
  check_condition(code_.arg(e, 0));
  const ExprId then = code_.arg(e, 1), otherwise = code_.arg(e, 2);
  const DataType a = type(then), b = type(otherwise);
  if (a == kUnknownType || b == kUnknownType) return kUnknownType;
  if (a == b) return a;
  Diag& diag = report_.add(DiagCode::V029, code_.span(id),
                           fmt::format("the arms of this select are {} and {}", spec::text(a), spec::text(b)),
                           fmt::format("write {} for the second arm or {} for the first",
                                       conversion(otherwise, a), conversion(then, b)));
  diag.notes.push_back({code_.span(then), fmt::format("this is {}", spec::text(a))});
  diag.notes.push_back({code_.span(otherwise), fmt::format("this is {}", spec::text(b))});
  return kUnknownType;
}

DataType BodyChecker::cast(ExprId id, const Expr& e) {
  const Span span = code_.span(id);
  if (!spec::is_value_type(e.type)) {
    report_.add(DiagCode::V026, span, fmt::format("there is no cast to {}", spec::text(e.type)),
                "load the words of a bytes buffer as u32");
    return kUnknownType;
  }
  if (!check_available(e.type, span)) return kUnknownType;
  const DataType from = type(code_.arg(e, 0));
  if (from == kUnknownType) return e.type;
  if (!spec::can_cast(from, e.type)) {
    report_.add(DiagCode::V026, span,
                fmt::format("there is no cast from {} to {}", spec::text(from), spec::text(e.type)),
                "go through a type that both have casts with; docs/spec/types.md has the table");
    return e.type;
  }
  const bool wants_mode = spec::cast_takes_mode(from, e.type), has_mode = e.mode != spec::RoundingMode::None;
  if (wants_mode && !has_mode) {
    report_.add(DiagCode::V027, span,
                fmt::format("a cast from {} to {} names its rounding", spec::text(from), spec::text(e.type)),
                fmt::format("write cast<{}, trunc>(...)", spec::text(e.type)));
  } else if (!wants_mode && has_mode) {
    report_.add(DiagCode::V027, span,
                fmt::format("a cast from {} to {} does not round", spec::text(from), spec::text(e.type)),
                fmt::format("write cast<{}>(...) without `{}`", spec::text(e.type), spec::text(e.mode)));
  }
  return e.type;
}

DataType BodyChecker::bitcast(ExprId id, const Expr& e) {
  const Span span = code_.span(id);
  if (spec::is_value_type(e.type) && !check_available(e.type, span)) return kUnknownType;
  const DataType from = type(code_.arg(e, 0));
  if (spec::is_value_type(e.type) && e.type != DataType::Bool && from == kUnknownType) return e.type;
  if (from != kUnknownType && spec::can_bitcast(from, e.type)) return e.type;
  if (from == kUnknownType) {
    report_.add(DiagCode::V028, span, fmt::format("there is no bitcast to {}", spec::text(e.type)));
  } else {
    report_.add(DiagCode::V028, span,
                fmt::format("there is no bitcast from {} to {}", spec::text(from), spec::text(e.type)),
                spec::can_cast(from, e.type) ? fmt::format("write cast<{}>(...)", spec::text(e.type))
                                             : std::string());
  }
  return spec::is_value_type(e.type) ? e.type : kUnknownType;
}

void BodyChecker::unknown_operation(ExprId id, const Expr& e) {
  const std::string_view name = code_.name(e.symbol);
  std::string help = "`vyre ops` lists the operations";
  if (report_.may_suggest()) {
    std::string versions;
    NearestName nearest(name);
    for (const spec::OpDef* def : input_.ops.all()) {
      nearest.consider(def->id);
      if (def->id == name) versions += fmt::format("{}{}", versions.empty() ? "" : ", ", def->version);
    }
    if (!versions.empty()) {
      help = fmt::format("it has version {}", versions);
    } else if (!nearest.help().empty()) {
      help = nearest.help();
    }
  }
  report_.add(DiagCode::V017, code_.span(id),
              e.immediate == 1 ? fmt::format("no operation {}", quoted(name))
                               : fmt::format("no operation {} of version {}", quoted(name), e.immediate),
              std::move(help));
}

DataType BodyChecker::call(ExprId id, const Expr& e) {
  const spec::OpDef* def = input_.ops.find(code_.name(e.symbol), e.immediate);
  if (def == nullptr) {
    unknown_operation(id, e);
    return kUnknownType;
  }
  auto& callees = result_.resolution.callees;
  if (callees.empty()) callees.resize(code_.exprs.size());
  callees[ir::index(id)] = def;
  if (called_.insert(def).second) result_.calls.push_back({def, code_.span(id)});

  const auto arguments = code_.args(e);
  const auto& inputs = def->signature.inputs;
  if (arguments.size() != inputs.size()) {
    std::string wanted;
    for (const DataType input : inputs)
      wanted += fmt::format("{}{}", wanted.empty() ? "" : ", ", spec::text(input));
    report_.add(DiagCode::V018, code_.span(id),
                fmt::format("{} takes {} argument{}, not {}", quoted(def->id), inputs.size(),
                            inputs.size() == 1 ? "" : "s", arguments.size()),
                fmt::format("its arguments are ({})", wanted));
    return def->signature.output;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DataType found = type(arguments[i]);
    if (found == inputs[i] || found == kUnknownType) continue;
    report_.add(DiagCode::V019, code_.span(arguments[i]),
                fmt::format("argument {} of {} is {}; this is {}", i + 1, quoted(def->id),
                            spec::text(inputs[i]), spec::text(found)),
                fmt::format("write {}", conversion(arguments[i], inputs[i])));
  }
  return def->signature.output;
}

DataType BodyChecker::atomic(ExprId id, const Expr& e) {
  const OpInfo& info = spec::info(e.op);
  const Span span = code_.span(id);
  if (input_.function != nullptr) {
    not_in_function(span, "an atomic");
    return DataType::U32;
  }
  check_index(code_.arg(e, 0));
  const uint32_t target = find_buffer(e.symbol, span);
  if (target == kNoTarget) return DataType::U32;
  result_.resolution.expr_target[ir::index(id)] = target;
  const ir::BufferDecl& buffer = input_.buffers[target];
  const std::string shown = quoted(code_.name(buffer.name));
  if (buffer.access != spec::BufferAccess::ReadWrite ||
      (buffer_usable_[target] && !info.types.contains(buffer.element))) {
    report_
        .add(DiagCode::V007, span,
             fmt::format("{} needs a read_write buffer of u32; {} is {} of {}", written(e.op), shown,
                         spec::text(buffer.access), spec::text(buffer.element)),
             "declare it read_write, with elements of u32")
        .notes.push_back({buffer.span, fmt::format("{} was declared here", shown)});
    return DataType::U32;
  }
  for (uint32_t i = 1; i < e.args.count; ++i) {
    const ExprId operand = code_.arg(e, i);
    const DataType found = type(operand);
    if (found == DataType::U32 || found == kUnknownType) continue;
    report_.add(DiagCode::V008, code_.span(operand),
                fmt::format("{} takes u32; this is {}", written(e.op), spec::text(found)),
                fmt::format("write {}", conversion(operand, DataType::U32)));
  }
  return DataType::U32;
}

}  // namespace vyre::check
