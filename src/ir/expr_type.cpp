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
  switch (spec::info(spec::info(e.op).signature).result) {
    case spec::ResultType::T: return operand_type(code, e, types);
    case spec::ResultType::Word: return DataType::U32;
    case spec::ResultType::Pair: return DataType::Vec2U32;
    case spec::ResultType::Quad: return DataType::Vec4U32;
    case spec::ResultType::Written: return spec::is_value_type(e.type) ? e.type : kNoType;
    case spec::ResultType::Called: return called;
    case spec::ResultType::Element: return named;
  }
  return kNoType;
}

DataType operand_type(const Code& code, const Expr& application, std::span<const DataType> types) {
  auto operands = code.args(application);
  // The condition of a select and the amount of a shift are no operands of type T.
  const Signature signature = spec::info(application.op).signature;
  const size_t one = std::min<size_t>(1, operands.size());
  if (signature == Signature::CTT_T) operands = operands.subspan(one);
  if (signature == Signature::TU_T) operands = operands.first(one);
  for (const ExprId operand : operands) {
    const DataType type = types[index(operand)];
    if (type != kNoType) return type;
  }
  return kNoType;
}

}  // namespace vyre::ir
