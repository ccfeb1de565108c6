// Code generation for the host: the optimiser and the machine, shared by images and texts of code.
//
// Levels: 0 is for programs that run once, where compiling costs more than running; 2 is the whole pipeline
// with the vectoriser. This header is LLVM's side of lower/llvm; from outside it is included by
// symbolic/llvm.
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

/// A machine for the host. Errors: B001 when this LLVM cannot generate code for it.
Result<std::unique_ptr<llvm::TargetMachine>> host_machine(int level);

/// How emit_cpu should write for a level.
EmitOptions emit_options(int level);

/// Runs the pipeline of the level over a module made for the machine.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level);

/// The module as assembly; code generation changes it. L003 when LLVM refuses.
Result<std::string> to_assembly(llvm::Module& module, llvm::TargetMachine& machine);

/// The module as an object file in memory. L003 when LLVM refuses.
Result<std::unique_ptr<llvm::MemoryBuffer>> to_object(llvm::Module& module, llvm::TargetMachine& machine);

// What print_llvm() and print_asm() say (lower/codegen/cpu.h).
Result<std::string> llvm_text(const Kernel& kernel, bool optimised, const std::string& symbol);
Result<std::string> asm_text(const Kernel& kernel);

}  // namespace vyre::lower
