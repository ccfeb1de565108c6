// What a sweep runs: an operator or a cast on floats, as a program for a backend and as the oracle's
// function.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "num/float.h"
#include "spec/ops.h"

namespace vyre::sweep {

struct Operation {
  spec::Op op{};  // Cast: a cast
  spec::DataType from{};
  spec::DataType to{};                                 // of a cast; else as from
  spec::RoundingMode mode = spec::RoundingMode::None;  // of a cast from float to integer
  /// FMulAdd: as a product and a sum, each rounded, which a compiler must not contract.
  bool separate = false;
  uint32_t arity() const { return *spec::operand_count(op); }
  std::string name() const;  // "fadd.f32", "cast.f32.u32.trunc", "fmul_fadd.f32"
};

/// "fadd.f16", "cast.f32.i32.floor", "cast.u64.f32"; "fmul_fadd.f32" is a * b + c with two roundings.
std::optional<Operation> find_operation(std::string_view name);

/// out[i] = the operator of a[i], b[i], ...: buffers of words that hold patterns in their low bits (of a u64:
/// two words). Bindings: the operands in order, then `out`.
ir::Program program_of(const Operation& operation);

/// Words a row takes in operand k: two of a u64.
uint32_t operand_words(const Operation& operation);

/// The oracle's answers for rows of operands. Shape  columns: one an operand, operand_words() words a row.
void expect(const Operation& operation, std::span<const std::span<const uint32_t>> columns,
            std::span<uint32_t> out);

}  // namespace vyre::sweep
