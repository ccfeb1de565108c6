// The writer of random operations of category A.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "generate/choices.h"
#include "ir/builder.h"
#include "ir/module.h"
#include "spec/ops.h"

namespace vyre::generate {

/// An operator at the type that its T is.
struct TypedOp {
  spec::Op op;
  spec::DataType type;
};
/// The operators whose result is of this type, at each type that operations have here: those that compute,
/// without the functions that take long.
std::span<const TypedOp> typed_ops(spec::DataType result);
/// The types of an operator's operands. Domain: of typed_ops().
std::vector<spec::DataType> operand_types(const TypedOp& op);

/// Writes an operation of few nodes, whose literals are now and then one of `words`. It calls at most two of
/// `callable`, and none in a loop, so that what is computed in all stays small.
ir::Operation random_operation(Choices& choices, std::string id, uint32_t version,
                               std::span<const ir::Operation> callable, std::span<const uint32_t> words);

}  // namespace vyre::generate
