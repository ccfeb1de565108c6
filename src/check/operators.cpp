#include <fmt/format.h>

#include "check/body_checker.h"
#include "check/wording.h"
#include "spec/casts.h"
#include "spec/ops.h"
#include "text/text.h"

namespace vyre::check {

using ir::Expr;
using spec::Form;
using spec::OpInfo;

DataType BodyChecker::apply(ExprId id, const Expr& e) {
  switch (spec::form_of(e.op)) {
    case Form::Scalar: return scalar(id, e);
    case Form::Select: return select(id, e);
    case Form::Cast: return cast(id, e);
    case Form::Bitcast: return bitcast(id, e);
    case Form::Reduce: return reduction(id, e);
    case Form::Call: return call(id, e);
    case Form::MakeVector: return make_vector(e);
    case Form::Component: return component(id, e);
    case Form::Atomic: return atomic(id, e);
  }
  return kUnknownType;
}

std::string BodyChecker::conversion(ExprId from, DataType to) const {
  const Expr& e = code_[from];
  const bool has_literal = spec::kIntegers.contains(to) || to == DataType::Bool;
  if (e.kind == ir::ExprKind::Literal && spec::kIntegers.contains(e.type) && has_literal) {
    // The literal itself, if its value is one of both types.
    const auto bits = code_.literal_bits(e);
    const uint32_t most = to == DataType::Bool                             ? 1
                          : e.type == DataType::I32 || to == DataType::I32 ? INT32_MAX
                                                                           : UINT32_MAX;
    if (bits[0] <= most && bits[1] == 0 && bits[2] == 0 && bits[3] == 0) return text::print_literal(to, bits);
  }
  constexpr uint32_t kExact = 256;  // up to here every float type has all integers
  if (e.kind == ir::ExprKind::Literal && e.type == DataType::U32 && spec::kFloats.contains(to) &&
      e.immediate <= kExact) {
    return fmt::format("{}.0{}", e.immediate, to == DataType::F32 ? "" : spec::text(to));
  }
  return way_to(type(from), to);
}

DataType BodyChecker::scalar(ExprId id, const Expr& e) {
  const OpInfo& info = spec::info(e.op);
  const auto operands = code_.args(e);
  const DataType t = type(operands[0]);
  bool known = t != kUnknownType;
  if (known && !info.types.contains(t)) {
    known = false;
    report_.add(
        DiagCode::V008, code_.span(operands[0]),
        fmt::format("{} takes {}; this is {}", named_for(e.op, t), types_in(info.types), spec::text(t)),
        other_way(e.op, t).value_or(fmt::format(
            "write {}",
            conversion(operands[0],
                       spec::kFloats.contains(spec::first_of(info.types)) ? DataType::F32 : DataType::U32))));
  }
  for (uint32_t i = 1; i < operands.size(); ++i) {
    const DataType found = type(operands[i]);
    // A shift amount has its type whatever T is; the other operands are compared with T alone.
    const bool amount = spec::signature_of(e.op).is_word(i);
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
  const bool fixed = spec::signature_of(e.op).gives == spec::Gives::Word;
  return known || fixed ? spec::result_type(e.op, t) : kUnknownType;
}

DataType BodyChecker::make_vector(const Expr& e) {
  for (const ExprId operand : code_.args(e)) {
    const DataType found = type(operand);
    if (found == DataType::U32 || found == kUnknownType) continue;
    report_.add(DiagCode::V008, code_.span(operand),
                fmt::format("a component of a vector is u32; this is {}", spec::text(found)),
                fmt::format("write {}", conversion(operand, DataType::U32)));
  }
  return spec::first_of(spec::info(e.op).types);
}

DataType BodyChecker::component(ExprId id, const Expr& e) {
  const DataType vector = type(code_.arg(e, 0));
  if (vector == kUnknownType) return DataType::U32;
  const Span span = code_.span(id);
  const std::string shown =
      e.immediate < 4 ? fmt::format("`{}`", "xyzw"[e.immediate]) : fmt::format("{}", e.immediate);
  if (!spec::kVectors.contains(vector)) {
    report_.add(DiagCode::V039, span, fmt::format("a {} has no component {}", spec::text(vector), shown),
                "only vec2u32 and vec4u32 have components");
  } else if (e.immediate >= spec::components(vector)) {
    report_.add(
        DiagCode::V039, span, fmt::format("a {} has no component {}", spec::text(vector), shown),
        vector == DataType::Vec2U32 ? "its components are x and y" : "its components are x, y, z and w");
  }
  return DataType::U32;
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
                spec::is_small(e.type)      ? std::string(kSmallHelp)
                : e.type == DataType::Bytes ? "load the words of a bytes buffer as u32"
                                            : "cast the elements of a tensor one by one");
    return kUnknownType;
  }
  if (!check_available(e.type, span)) return kUnknownType;
  const DataType from = type(code_.arg(e, 0));
  if (from == kUnknownType) return e.type;
  if (!spec::can_cast(from, e.type)) {
    report_.add(DiagCode::V026, span,
                fmt::format("there is no cast from {} to {}", spec::text(from), spec::text(e.type)),
                fmt::format("write {}", way_to(from, e.type)));
    return e.type;
  }
  const bool wants_mode = spec::cast_takes_mode(from, e.type), has_mode = e.mode != spec::RoundingMode::None;
  if (wants_mode && !has_mode) {
    report_.add(DiagCode::V027, span,
                fmt::format("a cast from {} to {} names its rounding", spec::text(from), spec::text(e.type)),
                fmt::format("write cast<{}, trunc>(...), or nearest, floor or ceil", spec::text(e.type)));
  } else if (!wants_mode && has_mode) {
    report_.add(DiagCode::V027, span,
                fmt::format("a cast from {} to {} names no rounding", spec::text(from), spec::text(e.type)),
                fmt::format("write cast<{}>(...){}", spec::text(e.type),
                            spec::kFloats.contains(e.type) && from != e.type
                                ? ": what has no equal rounds to the nearest, to even between two"
                                : fmt::format(" without `{}`", spec::text(e.mode))));
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
    report_.add(DiagCode::V028, span, fmt::format("there is no bitcast to {}", spec::text(e.type)),
                "bitcast to a numeric type or a vector");
  } else {
    report_.add(DiagCode::V028, span,
                fmt::format("there is no bitcast from {} to {}", spec::text(from), spec::text(e.type)),
                spec::is_value_type(e.type) ? fmt::format("write {}", way_to(from, e.type))
                                            : "values of that type do not exist");
  }
  return spec::is_value_type(e.type) ? e.type : kUnknownType;
}

DataType BodyChecker::reduction(ExprId id, const Expr& e) {
  const Span span = code_.span(id);
  if (input_.function != nullptr) {
    not_in_function(span, "a reduction");
    return kUnknownType;
  }
  if (e.args.count != 0 && e.args.count != 2) {
    malformed(span, fmt::format("{} with {} bounds", written(e.op), e.args.count));
    return kUnknownType;
  }
  const bool approximate = e.op == spec::Op::FReduceApprox;
  const auto fold = spec::fold_of(e.op, e.immediate);
  if (!fold || !spec::is_fold(*fold)) {
    report_.add(DiagCode::V041, span,
                fold ? fmt::format("{} cannot fold with `{}`", written(e.op), spec::mnemonic(*fold))
                     : fmt::format("{} without an operator that folds", written(e.op)),
                fmt::format("write {}(fadd, buffer{}), or fmul, fmin or fmax", spec::mnemonic(e.op),
                            approximate ? ", 1" : ""));
  }
  if (approximate && spec::tolerance_of(e.immediate) < spec::kLeastTolerance) {
    report_.add(
        DiagCode::V043, span, fmt::format("{} with a tolerance of 0 ULP", written(e.op)),
        "tolerate at least 1 ULP, or fold by freduce_tree_binary or freduce_strict, whose result is one "
        "for ever");
  }
  for (const ExprId bound : code_.args(e)) check_index(bound);
  const uint32_t target = find_buffer(e.symbol, span);
  if (target == kNoTarget) return kUnknownType;
  result_.resolution.expr_target[ir::index(id)] = target;
  const ir::BufferDecl& buffer = input_.buffers[target];
  if (!buffer_usable_[target]) return kUnknownType;
  const std::string shown = quoted(code_.name(buffer.name));
  if (buffer.access == spec::BufferAccess::Private) {
    report_
        .add(DiagCode::V042, span,
             fmt::format("{} reduces a buffer; {} is a private array", written(e.op), shown),
             "fold it with a loop")
        .notes.push_back({buffer.span, fmt::format("{} was declared here", shown)});
  }
  if (spec::info(e.op).types.contains(buffer.element)) return buffer.element;
  report_
      .add(DiagCode::V042, span,
           fmt::format("{} reduces a buffer of f16, bf16 or f32; {} is of {}", written(e.op), shown,
                       spec::text(buffer.element)),
           buffer.element == DataType::Tensor
               ? "a tensor is not reduced by name: declare a buffer of its elements"
               : "reduce integers with a loop")
      .notes.push_back({buffer.span, fmt::format("{} was declared here", shown)});
  return kUnknownType;
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
             buffer.access == spec::BufferAccess::Private
                 ? "no other invocation sees a private array: load, compute and store"
             : buffer.access == spec::BufferAccess::Workgroup
                 ? "in workgroup memory give each invocation an element of its own and join them after a "
                   "barrier, "
                   "or count in a read_write buffer of u32"
                 : "declare it read_write, with elements of u32")
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
