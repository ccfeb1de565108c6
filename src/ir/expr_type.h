// The type of an expression, as far as a program by itself says it: what decides whether a sign such as `+`
// is an operator on integers or on floats.
//
// Text and C++ write both with one sign, the representation and the wire have an operator for each. The
// parser, the printer and the builder ask here, so they cannot disagree. Nothing is refused: what cannot be
// has no type, and check/ complains.
#pragma once

#include <span>

#include "ir/ir.h"
#include "spec/ops.h"

namespace vyre::ir {

/// The type of an expression that has none; no row of the ledger.
inline constexpr DataType kNoType{0xff};

/// By the types of its operands, by ExprId. `named`: of the variable, or of the elements of the buffer, that
/// it names. `called`: what the operation that it calls gives.
DataType type_of(const Code& code, const Expr& e, std::span<const DataType> types, DataType named,
                 DataType called);

/// The type of the operands of an application: of the first of them that has one.
DataType operand_type(const Code& code, const Expr& application, std::span<const DataType> types);

/// The operator that the sign of one on integers stands for between operands of a type.
constexpr Op meant(Op integer, DataType type) {
  return type != kNoType && spec::kFloats.contains(type) ? spec::on_floats(integer).value_or(integer)
                                                         : integer;
}

}  // namespace vyre::ir
