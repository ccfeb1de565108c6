// What an integer sweep runs: an operator or a primitive of words, as a program for a backend and as the
// oracle's function, both telling of a chunk of consecutive inputs one word.
//
// 2^32 results are not sent anywhere: of each chunk there is a checksum (integer_operators.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "ops/operation.h"
#include "spec/ops.h"

namespace vyre::sweep {

/// Of one or two operands, of which the first is swept.
struct IntegerOperation {
  spec::Op op{};
  spec::DataType type{};                      // u32 or i32
  const ops::Operation* primitive = nullptr;  // else the operator
  uint32_t arity() const;
  bool shifts() const;       // the second operand is an amount
  std::string name() const;  // "div.i32", "primitive.math.abs"
};

/// "popcount.u32", "shr.i32", "primitive.bitwise.rotl".
std::optional<IntegerOperation> find_integer_operation(std::string_view name);
/// Every one of that arity: operators at u32, and at i32 those whose bits depend on it; then, if wanted,
/// primitives.
std::vector<std::string> integer_operations(uint32_t arity, bool with_primitives);
/// All amounts and some that are masked; else 0, +-1, powers of two, and every divisor to 256.
std::vector<uint32_t> structured_operands(const IntegerOperation& operation);

/// Bindings: parameters (first input, inputs a chunk, second operand, 0), then a word for each chunk.
ir::Program program_of(const IntegerOperation& operation);

/// The oracle's word of the chunk of n inputs from `first` on. Domain: n divides first and is at most 2^31.
/// Thread: any.
uint32_t expected_sum(const IntegerOperation& operation, uint32_t first, uint32_t n, uint32_t second);
/// One result by the reference evaluator, which the oracle is held to at samples.
uint32_t defined(const IntegerOperation& operation, uint32_t input, uint32_t second);

}  // namespace vyre::sweep
