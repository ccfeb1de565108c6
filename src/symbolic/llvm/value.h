// Values of LLVM IR as terms: bits, and whether they are poison.
//
// LLVM's arithmetic is partial in a way of its own: `add nsw` that overflows, a shift by the width, `ctlz` of
// zero with its flag give no number but poison, which spreads through whatever is computed from it and is
// harmless until something depends on it: a branch, a divisor, an address, a store. So each value is a pair.
// Undef and frozen poison are variables of their own, a new one each time. Source: LLVM Language Reference
// Manual, "Poison Values", "Undefined Values", "Binary Operations".
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "smt/term.h"
#include "symbolic/instruction.h"

namespace vyre::symbolic {

/// An integer of any width to 128, a boolean of one bit, or an address: a byte offset of 64 bits into a
/// buffer.
struct LlvmValue {
  smt::Term bits;
  smt::Term poison;                // a truth
  std::optional<uint32_t> buffer;  // of an address: the number under which it is bound
  /// Of an address that is not poison: it is four times this.
  std::optional<smt::Term> word = {};
  std::vector<LlvmValue> members;  // of a struct; its bits say nothing
};

using LlvmResult = std::expected<LlvmValue, std::string>;

/// Arithmetic, comparisons, conversions, select, freeze. Errors: what it is that is not known.
LlvmResult read_operator(InstructionContext& context, const llvm::Instruction& instruction,
                         std::span<const LlvmValue> operands);
/// A call of an intrinsic without memory.
LlvmResult read_intrinsic(InstructionContext& context, const llvm::CallBase& call,
                          std::span<const LlvmValue> operands);

}  // namespace vyre::symbolic
