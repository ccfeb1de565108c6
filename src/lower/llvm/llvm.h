// From a legal kernel to LLVM IR, for CPUs: one function that runs a range of workgroups.
//
// The printer knows no semantics: each raw operator is one row of a table. Around the expressions stands the
// CPU entry point: a workgroup is split at its barriers into a tree of regions; uniform control runs once,
// maximal barrier-free regions are loops over lanes, values that live across a barrier are arrays over lanes.
// There is no fiber, no thread an invocation, no interpreter loop and no indirect call in emitted code.
//
// LLVM's own headers stay in the layers that src/LAYERS names for them; this header has none.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "lower/kernel.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace vyre::lower {

/// What the emitted function takes, C ABI:
///   void <symbol>(const CpuBuffer* buffers, const uint32_t groups[3], uint64_t first, uint64_t count,
///                 std::byte* workgroup_memory)
/// It runs workgroups first .. first + count - 1 in the linear order x fastest. `buffers` has one entry a
/// bound buffer; workgroup_memory has workgroup_bytes(kernel) bytes, aligned to 64, which the function zeroes
/// itself at the start of each workgroup. Calls on disjoint ranges may run at the same time on different
/// threads.
struct CpuBuffer {
  std::byte* data;  // at least one element, also when count is 0
  uint64_t count;
};
using CpuEntry = void (*)(const CpuBuffer* buffers, const uint32_t* groups, uint64_t first, uint64_t count,
                          std::byte* workgroup_memory);

/// Bytes of scratch that one running call needs: workgroup buffers and values kept across barriers.
uint64_t workgroup_bytes(const Kernel& kernel);

struct EmitOptions {
  bool alias_scopes = true;   // say that arrays do not overlap: for the vectoriser
  bool version_loops = true;  // a second body for invocations known to be in bounds: for the vectoriser
  bool memset = true;         // clear workgroup memory by a call, else by a loop: less to compile
  bool verify = true;         // run LLVM's verifier
};

/// Adds the entry function for one legal kernel to a module. Errors: B002 for operations of subgroups, which
/// no CPU has; L003 when the LLVM verifier refuses it.
Result<void> emit_cpu(const Kernel& kernel, llvm::Module& module, const std::string& symbol,
                      const EmitOptions& options = {});

/// The module of one kernel as LLVM assembly; optimised for the host with `optimise` (`vyre lower --to
/// llvm`), else naming no target. The function has the kernel's name unless `symbol` gives another.
Result<std::string> print_llvm(const Kernel& kernel, bool optimise, const std::string& symbol = {});

/// The host's machine code as assembly (`vyre lower --to asm`).
Result<std::string> print_asm(const Kernel& kernel);

}  // namespace vyre::lower
