// Instructions of SPIR-V that compute, as terms: words of 32 bits, and truths for bools.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

#include "smt/term.h"
#include "symbolic/instruction.h"

namespace vyre::symbolic {

/// A result; of instructions that give two words both.
struct SpirvResult {
  smt::Term first;
  std::optional<smt::Term> second = {};
};

/// One instruction; `function` is the number of an OpExtInst of GLSL.std.450. Errors: it is not known here.
std::expected<SpirvResult, std::string> read_instruction(InstructionContext& context, spv::Op op,
                                                         uint32_t function,
                                                         std::span<const smt::Term> operands);

}  // namespace vyre::symbolic
