// Proofs of what LLVM's optimiser leaves of an operation.
//
// The code is made as the backends make it, by the same printer and the same pipeline, and read back
// (symbolic/llvm/reader.h). For CPUs one workgroup of one invocation is compiled: the printer's loops over
// workgroups and lanes are then gone, and with them what the vectoriser makes of those, about which nothing
// is claimed. For NVPTX it is the very code.
#pragma once

#include <memory>

#include "symbolic/llvm/reader.h"
#include "symbolic/lowering.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace vyre::symbolic {

/// Which compiler's output.
enum class LlvmCode : uint8_t { Cpu, Ptx };
std::string_view text(LlvmCode code);  // "llvm", "ptx": as lowering targets are named

/// A module with one function that can be read, and what its parameters are.
struct EmittedLlvm {
  std::unique_ptr<llvm::Module> module;
  const llvm::Function* function = nullptr;
};
/// Errors: why there is no code for it.
std::expected<EmittedLlvm, std::string> emit(const ScalarProgram& program, LlvmCode code,
                                             llvm::LLVMContext& context);
/// Each bound buffer's address and then its length, in their order: what emit() gives a function.
std::vector<LlvmParameter> parameters_of(smt::Pool& pool, Memory& memory);

/// That the code means what the program does.
solver::Proof prove_emitted(CodeProver& prover, const ScalarProgram& program, const llvm::Function& function,
                            LlvmCode code);
/// Every program of one word operators and of operations, as `emitted(llvm)` and `emitted(ptx)`.
std::vector<LoweringProof> prove_emitted_llvm(CodeProver& prover, const LoweringRequest& request);

/// The rows for raw operators (lower/llvm/raw.h), each against its meaning on its domain: `raw(llvm)`, which
/// is ptx's too.
std::vector<LoweringProof> prove_raw_llvm(CodeProver& prover, const LoweringRequest& request);
/// One function of words that computes a raw operator, as a row writes it: what those proofs read.
solver::Proof prove_raw(CodeProver& prover, lower::RawOp op, const llvm::Function& function);

}  // namespace vyre::symbolic
