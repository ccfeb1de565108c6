// Instructions of SPIR-V that compute, as terms: words of 32 bits, and truths for bools.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

#include "smt/term.h"

namespace vyre::symbolic {

/// What an instruction demands: without it all behaviour is undefined.
struct SpirvDemand {
  smt::Term holds;
  const char* what;
};

struct SpirvContext {
  smt::Pool& pool;
  std::vector<SpirvDemand>& demands;
  uint32_t& fresh;  // counts the variables that stand for anything

  smt::Term anything(uint32_t width);
};

/// A result; of instructions that give two words both.
struct SpirvResult {
  smt::Term first;
  std::optional<smt::Term> second = {};
};

/// One instruction; `function` is the number of an OpExtInst of GLSL.std.450. Errors: it is not known here.
std::expected<SpirvResult, std::string> read_instruction(SpirvContext& context, spv::Op op, uint32_t function,
                                                         std::span<const smt::Term> operands);

}  // namespace vyre::symbolic
