// Functions as formulas: compositions by symbolic execution, and definitions.
//
// A composition is run on terms instead of values: a variable holds a term, a branch is taken both ways and
// what it assigned is chosen by its condition, a call is its callee's body on the arguments, and a loop whose
// bounds are numbers is its body as often as it says. What is left is one formula without control flow, equal
// to the composition on all inputs. Floats, tensors, memory and subgroups have no place here.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "check/checked.h"
#include "ops/operation.h"
#include "smt/term.h"

namespace vyre::symbolic {

/// The composition, symbolically executed.
///
/// Shape   operands of symbolic::width_of(type, word), all of one word width; the result likewise. Literals
/// are cut to the
///         word, so at another width than 32 this is the composition's shape and not the composition.
/// Errors  why it cannot: an operator or type without an encoding, a loop whose bounds are not numbers or
/// that runs too
///         often, an operation that the library does not have.
std::expected<smt::Term, std::string> compose(smt::Pool& pool, const ops::Operation& operation,
                                              std::span<const smt::Term> operands);
/// What a call gives instead of its callee's body; none: the body.
using Calls = std::function<std::optional<smt::Term>(smt::Pool&, const spec::OpDef& callee,
                                                     std::span<const smt::Term> operands)>;
/// The same for any function. Callees are those of `table`. Errors: also what check() refuses.
std::expected<smt::Term, std::string> execute(smt::Pool& pool, const ir::Function& function,
                                              const spec::OpTable& table, std::span<const smt::Term> operands,
                                              const Calls& calls = {});

/// The definition. Errors: the operation has none by formula.
std::expected<smt::Term, std::string> define(smt::Pool& pool, const ops::Operation& operation,
                                             std::span<const smt::Term> operands);

/// One variable an operand, "a", "b", ... in the order of the operands. Shape: width_of(type, word).
std::vector<smt::Term> operands_of(smt::Pool& pool, const ops::Operation& operation, uint32_t word = 32);

}  // namespace vyre::symbolic
