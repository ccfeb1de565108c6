// What emit_ptx() is made of, and the module of which it prints PTX, optimised: for tests that read the code
// back.
#pragma once

#include <memory>

#include "base/result.h"
#include "lower/codegen/ptx.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace vyre::lower {

/// What emit_ptx() says (lower/codegen/ptx.h).
Result<PtxBatch> ptx_of(std::span<const Kernel> kernels, PtxTarget target);

/// What emit_ptx() makes before it prints: the same pipeline at the same level. The entry has the kernel's
/// name behind "vyre_". Errors: as emit_ptx().
Result<std::unique_ptr<llvm::Module>> optimised_ptx_module(const Kernel& kernel, PtxTarget target,
                                                           llvm::LLVMContext& context);

}  // namespace vyre::lower
