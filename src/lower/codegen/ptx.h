// From legal kernels to PTX, for NVIDIA GPUs: LLVM IR for NVPTX, optimised and printed.
//
// One invocation is one thread, one workgroup one block. Nothing of CUDA is needed to make
// PTX: it is text that any driver compiles for the chip it finds, so `vyre lower --to ptx` works on a machine
// without a GPU. Arithmetic on floats carries no fast-math flag, is never contracted and never flushes;
// audit() refuses a module in which that is not so. Source: PTX ISA, "Directives", "Memory Consistency
// Model".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "lower/kernel.h"

namespace vyre::lower {

/// The lanes of a subgroup on every NVIDIA GPU.
inline constexpr uint32_t kPtxSubgroupSize = 32;

/// A chip as PTX names it: sm_70 to sm_90. Newer chips run sm_90 code, which their drivers compile.
struct PtxTarget {
  uint32_t sm = 70;
  bool along_x =
      false;  // all of a workgroup along a block's x, as include/vyre/backend.h promises to plugins
  bool operator==(const PtxTarget&) const = default;
};
/// The chips that LLVM 19 writes code for, oldest first, each with the first PTX version that has it, so that
/// a driver as old as the chip reads it. For a name that it does not know LLVM would warn and emit nonsense.
struct PtxChip {
  uint32_t sm;
  const char* features;
};
inline constexpr auto kPtxChips = std::to_array<PtxChip>({{70, "+ptx60"},
                                                          {75, "+ptx63"},
                                                          {80, "+ptx70"},
                                                          {86, "+ptx71"},
                                                          {87, "+ptx74"},
                                                          {89, "+ptx78"},
                                                          {90, "+ptx78"}});
/// The newest target that this build writes for a chip of a compute capability (major * 10 + minor). Errors:
/// B001 below 70.
Result<PtxTarget> ptx_target(uint32_t compute_capability);
/// The targets that this build writes, oldest first.
std::vector<PtxTarget> ptx_targets();

/// What PTX promises of floats for a target: IEEE 754 (lower/codegen/float_promises.h), and from sm_90 on
/// conversions to and from BF16, cvt.rn.bf16.f32 and cvt.f32.bf16, which keep subnormals. Between two of them
/// LLVM writes arithmetic on f32 as arithmetic on BF16 (mul.rn.bf16), which rounds once what the two rounded
/// twice: the same, for 24 digits are more than twice 8, and where the result is subnormal as float_rules.cpp
/// shows. Source: PTX ISA, 9.7.5 "Half precision floating point instructions" and 9.7.9.22 "cvt".
FloatPromises ptx_promises(PtxTarget target);

/// One entry point: what it takes and wants.
///
/// Shape   parameters: for each bound buffer, in the order of KernelBuffer::argument, its address (64 bits;
///         aligned to 16, at least one element), then its element count (32 bits). A launch has the
///         dispatch's groups as its grid and blocks of `block` threads: a workgroup's size, but for one that
///         is longer along z than CUDA's blocks, whose invocations stand along x.
struct PtxEntry {
  std::string name;
  std::array<uint32_t, 3> block = {1, 1, 1};
  uint32_t shared_bytes = 0;  // of dynamic shared memory: the workgroup's buffers; the code clears them
};

/// A module with one entry.
struct PtxModule {
  std::string text;
  std::string entry;
  uint32_t shared_bytes = 0;
  std::array<uint32_t, 3> block = {1, 1, 1};
};

/// A module with one entry a kernel, in their order.
struct PtxBatch {
  std::string text;
  std::vector<PtxEntry> entries;
};

/// Domain  kernels that are legal for kPtxTarget with at most the target's promises.
/// Errors  B001 where LLVM is not here, and for a target that this build does not write; B003 for more
/// buffers than an entry has
///         parameters for; B008 for operations of subgroups in a workgroup that is not made of whole ones;
///         L003 when LLVM refuses. Of several kernels the first one's.
/// Cost    some 10 ms a small kernel, with LLVM's whole pipeline; a kernel of more than 6,000 instructions,
/// and
///         what shares a module with one, gets the short one, 30 us an instruction.
/// Thread  any; each call has an LLVM context of its own.
Result<PtxModule> emit_ptx(const Kernel& kernel, PtxTarget target);
Result<PtxBatch> emit_ptx(std::span<const Kernel> kernels, PtxTarget target);

}  // namespace vyre::lower
