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
#include "lower/codegen/cpu.h"
#include "lower/kernel.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace vyre::lower {

struct EmitOptions {
  bool alias_scopes = true;   // say that arrays do not overlap: for the vectoriser
  bool version_loops = true;  // a second body for invocations known to be in bounds: for the vectoriser
  bool memset = true;         // clear workgroup memory by a call, else by a loop: less to compile
  bool verify = true;         // run LLVM's verifier
};

/// Adds the entry function (a CpuEntry) for one legal kernel to a module. Errors: B002 for operations of
/// subgroups, which no CPU has; L003 when the LLVM verifier refuses it.
Result<void> emit_cpu(const Kernel& kernel, llvm::Module& module, const std::string& symbol,
                      const EmitOptions& options = {});

}  // namespace vyre::lower
