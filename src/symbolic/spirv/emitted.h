// Proofs of the SPIR-V that an operation becomes.
//
// What a driver makes of it is the driver's; what is handed to it is read back (symbolic/spirv/reader.h).
#pragma once

#include "symbolic/lowering.h"
#include "symbolic/spirv/reader.h"

namespace vyre::symbolic {

/// The module of a program. Errors: why there is none.
std::expected<std::vector<uint32_t>, std::string> emit_spirv(const ScalarProgram& program);
/// That a module means what the program does.
solver::Proof prove_emitted(CodeProver& prover, const ScalarProgram& program,
                            std::span<const uint32_t> words);
/// Every program of one-word operators and of operations, as `emitted(spirv)`.
std::vector<LoweringProof> prove_emitted_spirv(CodeProver& prover, const LoweringRequest& request);
/// The rows for raw operators, each against its meaning on its domain: `raw(spirv)`.
std::vector<LoweringProof> prove_raw_spirv(CodeProver& prover, const LoweringRequest& request);

}  // namespace vyre::symbolic
