// The module of which PTX is printed, optimised: for tests that read the code back.
#pragma once

#include <memory>

#include "base/result.h"
#include "lower/llvm/ptx.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace vyre::lower {

/// What emit_ptx() makes before it prints: the same pipeline at the same level. The entry has the kernel's
/// name behind "vyre_". Errors: as emit_ptx().
Result<std::unique_ptr<llvm::Module>> optimised_ptx_module(const Kernel& kernel, PtxTarget target,
                                                           llvm::LLVMContext& context);

}  // namespace vyre::lower
