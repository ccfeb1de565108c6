// From a legal kernel to PTX, for NVIDIA GPUs: LLVM IR for NVPTX, optimised and printed.
//
// One invocation is one thread, one workgroup one block. Nothing of CUDA is needed to make PTX: it is text
// that any driver compiles for the chip it finds, so `vyre lower --to ptx` works on a machine without a GPU.
// Arithmetic on floats carries no fast-math flag, is never contracted and never flushes; audit() refuses a
// module in which that is not so. Source: PTX ISA, "Directives", "Memory Consistency Model";
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lower/kernel.h"

namespace llvm {
class Module;
}

namespace vyre::lower {

/// A chip as PTX names it: sm_70 to sm_90. Newer chips run sm_90 code, which their drivers compile.
struct PtxTarget {
  uint32_t sm = 70;
  bool operator==(const PtxTarget&) const = default;
};
/// The newest target that this build writes for a chip of a compute capability (major * 10 + minor). Errors:
/// B001 below 70.
Result<PtxTarget> ptx_target(uint32_t compute_capability);

/// What the entry point takes and wants.
///
/// Shape   for each bound buffer, in the order of KernelBuffer::argument: its address (64 bits; it has at
/// least one
///         element), then its element count (32 bits).
struct PtxModule {
  std::string text;
  std::string entry;
  uint32_t shared_bytes = 0;  // of dynamic shared memory: the workgroup's buffers
};

/// Errors  L003 when LLVM refuses; B002 for an operation of category C that the chip lacks.
Result<PtxModule> emit_ptx(const Kernel& kernel, PtxTarget target);

/// L003 when an instruction has a fast-math flag or a float instruction that rounds other than to nearest
/// even.
Result<void> audit(const llvm::Module& module);

}  // namespace vyre::lower
