// The types of expressions, as far as a program by itself says them: what decides whether a sign such as `+`
// is an operator on integers or on floats.
//
// The text writes both with one sign, the representation and the wire have an operator for each. The parser
// asks here which one a sign means, the printer whether a sign would be read as the operator it has to write;
// so they cannot disagree. Nothing is refused here: a name that is not declared, a buffer that cannot be, has
// no type, and check/ complains. The only thing that a program does not say is what an operation of the
// library gives; for that there is the table of operations.
#pragma once

#include <vector>

#include "ir/ir.h"
#include "text/operators.h"

namespace vyre::spec {
class OpTable;
}

namespace vyre::text {

/// The type of an expression that has none; no row of the ledger.
inline constexpr spec::DataType kNoType{0xff};

/// Whether some expression may be of a float type; if none is, every sign is the integers'. Cost: linear.
bool mentions_floats(const ir::Program& program, const spec::OpTable* ops);

/// By ExprId the type of each expression that a statement of the program has, or kNoType. Without a table no
/// call has a type. Cost: linear; no recursion on the depth of the program.
std::vector<spec::DataType> operand_types(const ir::Program& program, const spec::OpTable* ops);

/// The type of the operands of an application: of the first of them that has one.
spec::DataType operand_type(const ir::Code& code, const ir::Expr& application,
                            const std::vector<spec::DataType>& types);

/// The operator that a sign stands for between operands of a type; of no type: the integers'.
template <typename Sign>
constexpr spec::Op meant(const Sign& sign, spec::DataType type) {
  return type != kNoType && spec::kFloats.contains(type) && sign.floating ? *sign.floating : sign.integer;
}

}  // namespace vyre::text
