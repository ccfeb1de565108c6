// From legal kernels to WGSL, for WebGPU: text that any implementation takes and a person can read.
//
// WebGPU promises nothing of floats: implementations fuse, flush and reassociate. So no module has a float
// type at all, and legalization composes floats, like 16-bit elements and wide integers, of u32 words; what
// is left here is a printer that knows no semantics. It uses nothing optional. Its rules come from what
// WGSL's compilers do with legal text: constant expressions are evaluated and refused where a run would be
// defined (a shift by 32, a division by 0), so operands of operators are names, never literals; `<<` and `+`
// side by side want parentheses; a deep expression overflows a compiler's stack or its limit (naga: 256
// deep), so each instruction is a `let` of its own; and how deep statements may nest is counted in ways of
// their own, so the inner of deep blocks are functions. Source: WGSL, W3C, "Expression Evaluation",
// "Uniformity Analysis", "Limits"; docs/adr/0027.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lower/kernel.h"

namespace vyre::lower {

/// What legalization has to know.
inline constexpr Target kWgslTarget{.name = "wgsl",
                                    .has_umul_hi = false,
                                    .has_64bit_integers = false,
                                    .has_16bit_access = false,
                                    .load_guard = GuardForm::Select,
                                    .folds_constants = true};

/// A module, and its interface for the caller of the dispatch.
///
/// Shape   group 0, binding KernelBuffer::argument: a storage buffer, an array of words, `read` where the
///         program does not write it (uniform buffers too), else `read_write`; at least one element, and
///         whole words. Binding `buffers`: a uniform buffer with the counts of elements, in the order of
///         KernelBuffer::argument, four a vector, zeros behind. It is there whether or not a count is used.
///         The entry is kWgslEntry; a dispatch has the program's groups, a group is (threads, 1, 1).
struct WgslModule {
  std::string text;
  uint32_t threads = 1;        // invocations of a workgroup
  uint32_t shared_bytes = 0;   // of workgroup memory, as WebGPU's limit counts it; WebGPU clears it
  uint32_t buffers = 0;        // bound ones, without the counts
  std::vector<bool> writable;  // by argument: bound as read_write
  /// Bytes of the buffer of counts.
  uint32_t count_bytes() const { return (buffers + 3) / 4 * 16 + (buffers == 0 ? 16 : 0); }
};
inline constexpr const char* kWgslEntry = "main";

/// What a device makes necessary beside what WGSL promises.
struct WgslOptions {
  /// Atomic minima and maxima are loops of compare-exchanges: where a driver's own are not one step.
  bool bounds_by_exchange = false;
};

/// Domain  a kernel that is legal for kWgslTarget.
/// Errors  B002 for operations of subgroups, which are optional in WebGPU; B003 where blocks that are nested
///         too deeply for one function need more values from around them than a function may get (255).
/// Cost    linear.
/// Thread  any.
Result<WgslModule> emit_wgsl(const Kernel& kernel, const WgslOptions& options = {});

}  // namespace vyre::lower
