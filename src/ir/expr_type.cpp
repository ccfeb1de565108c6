#include "ir/expr_type.h"

#include <algorithm>

#include "spec/ops.h"

namespace vyre::ir {

using spec::Form;
using spec::Signature;

DataType type_of(const Code& code, const Expr& e, std::span<const DataType> types, DataType named,
                 DataType called) {
  switch (e.kind) {
    case ExprKind::Literal: return e.type;
    case ExprKind::Var:
    case ExprKind::Load: return named;
    case ExprKind::BufLen:
    case ExprKind::InvocationId:
    case ExprKind::WorkgroupId:
    case ExprKind::LocalId: return DataType::U32;
    case ExprKind::Apply: break;
  }
  switch (spec::form_of(e.op)) {
    case Form::Scalar:
    case Form::Select: return spec::result_type(e.op, operand_type(code, e, types));
    case Form::Component:
    case Form::Atomic: return DataType::U32;
    case Form::MakeVector: return spec::operand_count(e.op) == 2 ? DataType::Vec2U32 : DataType::Vec4U32;
    case Form::Cast:
    case Form::Bitcast: return spec::is_value_type(e.type) ? e.type : kNoType;
    case Form::Call: return called;
    case Form::Reduce: return named;
  }
  return kNoType;
}

DataType operand_type(const Code& code, const Expr& application, std::span<const DataType> types) {
  auto operands = code.args(application);
  // The condition of a select and the amount of a shift are no operands of type T.
  const Signature signature = spec::info(application.op).signature;
  if (signature == Signature::CTT_T) operands = operands.subspan(std::min<size_t>(1, operands.size()));
  if (signature == Signature::TU_T) operands = operands.first(std::min<size_t>(1, operands.size()));
  for (const ExprId operand : operands) {
    const DataType type = types[index(operand)];
    if (type != kNoType) return type;
  }
  return kNoType;
}

}  // namespace vyre::ir
