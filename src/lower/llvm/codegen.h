// Code generation for the host: the optimiser and the machine, shared by the native backend and `vyre lower`.
//
// Levels: 0 is for programs that run once, where compiling costs more than running; 2 is the whole pipeline
// with the vectoriser. This header is LLVM's side of lower/llvm; from outside it is included by
// backend/native, backend/cuda and symbolic/llvm.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "lower/llvm/llvm.h"

namespace llvm {
class MemoryBuffer;
class TargetMachine;
}  // namespace llvm

namespace vyre::lower {

/// The CPU that this process runs on, as LLVM names it.
struct HostCpu {
  std::string name;          // "znver4"
  std::string architecture;  // "x86_64"
  std::string triple;        // "x86_64-pc-linux-gnu"
  std::string features;      // "+avx2,..."
  std::string vectors;       // the widest that it has: "AVX-512", "AVX2", "NEON", "no vectors"
};
const HostCpu& host_cpu();

/// "19.1.7"
std::string llvm_version();

/// A machine for the host. Errors: B001 when this LLVM cannot generate code for it.
Result<std::unique_ptr<llvm::TargetMachine>> host_machine(int level);

/// Whether a legal kernel gets LLVM's whole pipeline, which takes seconds and more for many instructions, and
/// for loops that feed one another a time that grows with the square of their number, and stack for each.
/// What is beyond gets the short one (level 0), alone.
bool is_optimised(const Kernel& kernel);

/// How emit_cpu should write for a level.
EmitOptions emit_options(int level);

/// Runs the pipeline of the level over a module made for the machine.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level);

/// The module as assembly; code generation changes it. L003 when LLVM refuses.
Result<std::string> to_assembly(llvm::Module& module, llvm::TargetMachine& machine);

/// The module as an object file in memory. L003 when LLVM refuses.
Result<std::unique_ptr<llvm::MemoryBuffer>> to_object(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace vyre::lower
