// Whether code can compute anything other than IEEE 754: asked of modules before they become machine code,
// and of machine code.
//
// Fast-math flags and their kin are permissions that LLVM's passes hand on and some code generator uses, so
// "no fast math" is checked on what is emitted and not trusted. The other way to lose a rounding is to fuse a
// product with a sum: the fused instructions of the machine code are those that the program asked for.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "lower/kernel.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace vyre::lower {

/// L003 when something in a module allows or does float arithmetic other than IEEE 754's with rounding to
/// nearest even: a fast-math flag, tolerated imprecision, flushed subnormals, an approximate or contractible
/// operation, code that cannot be looked into. Cost: a look at every instruction.
Result<void> audit(const llvm::Module& module);

// Fused multiply-adds, counted where they stand in the code, not how often they run.

/// Those that the kernel asks for.
size_t count_fused(const Kernel& kernel);
/// Those of an optimised module, as the machine counts them: one of a vector that takes two registers is two.
/// A loop that was unrolled or vectorised has more of them than the kernel.
size_t count_fused(const llvm::Module& module, llvm::TargetMachine& machine);
/// Those in machine code as assembly: of x86-64, AArch64, PTX, and NVIDIA's SASS (of which only f32 counts).
size_t count_fused(std::string_view assembly);

/// Where kernels ask for none, a module has none, and where it has none, machine code has none. L003 when
/// that is not so.
Result<void> check_fused(std::span<const Kernel> kernels, const llvm::Module& module,
                         llvm::TargetMachine& machine, std::string_view assembly = {});

}  // namespace vyre::lower
