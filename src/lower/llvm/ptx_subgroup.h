// Operations of category C as PTX: shuffles, votes and reductions of a whole warp.
//
// They stand only in uniform control flow and workgroups are made of whole subgroups, so every lane takes
// part and the member mask is always full. Subgroups are warps because both are 32 consecutive threads in
// linear order. Internal to lower/llvm. Source: PTX ISA, "shfl.sync", "vote.sync", "redux.sync".
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "lower/codegen/ptx.h"
#include "spec/intrinsics.h"

namespace vyre::lower {

/// A call of an operation of category C; operands that it does not have are null.
struct SubgroupCall {
  llvm::Value* first = nullptr;   // word
  llvm::Value* second = nullptr;  // word
  llvm::Value* lane = nullptr;    // word: this thread's
  uint32_t word = 0;              // which one of the result
  PtxTarget target;
};

/// Adds the code at the builder's place. The result is a word, or one bit where it is a truth.
llvm::Value* emit_subgroup(llvm::IRBuilder<>& builder, spec::Intrinsic intrinsic, const SubgroupCall& call);

}  // namespace vyre::lower
