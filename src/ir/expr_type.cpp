#include "ir/expr_type.h"

#include "spec/ops.h"

namespace vyre::ir {

using spec::Gives;

DataType type_of(const Code& code, const Expr& e, std::span<const DataType> types, DataType named,
                 DataType called) {
  switch (e.kind) {
    case ExprKind::Literal: return e.type;
    case ExprKind::Var:
    case ExprKind::Load: return named;
    case ExprKind::BufLen:
    case ExprKind::InvocationId:
    case ExprKind::WorkgroupId:
    case ExprKind::LocalId:
    case ExprKind::NumWorkgroups: return DataType::U32;
    case ExprKind::Apply: break;
  }
  switch (spec::signature_of(e.op).gives) {
    case Gives::T: return operand_type(code, e, types);
    case Gives::OnlyT: return spec::first_of(spec::info(e.op).types);
    case Gives::Word: return DataType::U32;
    case Gives::Named: return spec::is_value_type(e.type) || spec::is_small(e.type) ? e.type : kNoType;
    case Gives::Element: return named;
    case Gives::Output: return called;
  }
  return kNoType;
}

DataType operand_type(const Code& code, const Expr& application, std::span<const DataType> types) {
  const spec::SignatureInfo& signature = spec::signature_of(application.op);
  const auto operands = code.args(application);
  for (uint32_t i = 0; i < operands.size(); ++i) {
    const DataType type = types[index(operands[i])];
    if (!signature.is_word(i) && type != kNoType) return type;
  }
  return kNoType;
}

}  // namespace vyre::ir
