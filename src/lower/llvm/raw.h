// Raw operators as LLVM instructions: one row an operator, shared by the CPU entry point and PTX.
//
// A raw operator is partial and means what the instruction means on its domain, so a row is one instruction
// or two. This header has LLVM's own in it: only lower/llvm includes it.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "lower/kernel.h"

namespace vyre::lower {

/// The operands of a raw operator: words, wide ones doubles, long ones i64; a select's condition comes as one
/// bit.
struct RawOperands {
  llvm::Value* a = nullptr;
  llvm::Value* b = nullptr;
  llvm::Value* c = nullptr;
  llvm::Value* condition = nullptr;
};

/// Adds the operator at the builder's place. The result is a word, a double, an i64 or, of a comparison,
/// one bit.
llvm::Value* emit_raw(llvm::IRBuilder<>& builder, RawOp op, const RawOperands& operands);

/// The operation of an atomicrmw. For every atomic operator but compare-exchange, which is an instruction of
/// its own.
llvm::AtomicRMWInst::BinOp rmw_of(spec::Op op);

}  // namespace vyre::lower
