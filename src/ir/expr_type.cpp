#include "ir/expr_type.h"

#include <algorithm>

#include "spec/ops.h"

namespace vyre::ir {

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
  switch (spec::info(e.op).signature) {
    case Signature::T_T:
    case Signature::TT_T:
    case Signature::TTT_T:
    case Signature::TU_T:
    case Signature::CTT_T: return operand_type(code, e, types);
    case Signature::T_U:
    case Signature::TT_U:
    case Signature::T_B:
    case Signature::V_U:
    case Signature::A_T:
    case Signature::AA_T: return DataType::U32;
    case Signature::UU_V: return DataType::Vec2U32;
    case Signature::UUUU_V: return DataType::Vec4U32;
    case Signature::Cast:
    case Signature::Bitcast: return spec::is_value_type(e.type) ? e.type : kNoType;
    case Signature::Call: return called;
    case Signature::Reduce: return named;
  }
  return kNoType;
}

DataType operand_type(const Code& code, const Expr& application, std::span<const DataType> types) {
  auto operands = code.args(application);
  // The condition of a select and the amount of a shift are no operands of type T.
  switch (spec::info(application.op).signature) {
    case Signature::CTT_T: operands = operands.subspan(std::min<size_t>(1, operands.size())); break;
    case Signature::TU_T: operands = operands.first(std::min<size_t>(1, operands.size())); break;
    case Signature::T_T:
    case Signature::TT_T:
    case Signature::TTT_T:
    case Signature::T_U:
    case Signature::TT_U:
    case Signature::T_B:
    case Signature::V_U:
    case Signature::A_T:
    case Signature::AA_T:
    case Signature::UU_V:
    case Signature::UUUU_V:
    case Signature::Cast:
    case Signature::Bitcast:
    case Signature::Call:
    case Signature::Reduce: break;
  }
  for (const ExprId operand : operands) {
    const DataType type = types[index(operand)];
    if (type != kNoType) return type;
  }
  return kNoType;
}

}  // namespace vyre::ir
