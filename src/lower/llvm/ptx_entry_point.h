// The NVPTX entry point: one kernel as one entry function of a module. Internal to lower/llvm.
#pragma once

#include "base/result.h"
#include "lower/codegen/ptx.h"

namespace llvm {
class Module;
}

namespace vyre::lower {

/// Adds the entry function of one legal kernel to a module for NVPTX, under a symbol. Errors: B003, B008; see
/// emit_ptx().
Result<PtxEntry> emit_entry(const Kernel& kernel, llvm::Module& module, const std::string& symbol,
                            PtxTarget target);

}  // namespace vyre::lower
