// What the tests of SPIR-V share: targets, kernels from text, modules as text, and every program that the
// project keeps.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "lower/kernel.h"
#include "lower/spirv/audit.h"
#include "lower/spirv/spirv.h"
#include "project_programs.h"

namespace vyre::test {

constexpr lower::VulkanFloatModes kEveryMode = {
    .arithmetic = true, .round_to_even = true, .keep_special = true, .keep_subnormals = true};
constexpr lower::VulkanFloatModes kFlushing = {
    .arithmetic = true, .round_to_even = true, .keep_special = true};

/// A device with nothing that is optional.
constexpr lower::SpirvTarget kBareDevice = {.memory_model = false};
/// A device with everything, and lanes as lavapipe has them.
constexpr lower::SpirvTarget kRichDevice = {
    .storage_16bit = true,
    .integers_64bit = true,
    .subgroup_size = 8,
    .floats = {.half = kEveryMode, .single = kEveryMode, .wide = kEveryMode, .independent = true}};
/// A promise for every raw operator on floats, so that legalization leaves each of them native: what no
/// device promises, but what the printer has to print.
inline lower::FloatPromises every_promise() {
  lower::FloatPromises out = lower::kIeeeFloats;
  out[lower::RawOp::FInverseSqrt].given = true;
  return out;
}

inline lower::Kernel spirv_kernel(const check::Checked& program, const lower::SpirvTarget& target,
                                  const lower::FloatPromises& floats) {
  return lower::legalize(lower::build(program), lower::spirv_target(target, floats));
}
inline lower::Kernel spirv_kernel(std::string_view text, const lower::SpirvTarget& target,
                                  const lower::FloatPromises& floats) {
  return spirv_kernel(checked(text), target, floats);
}
inline lower::Kernel spirv_kernel(std::string_view text, const lower::SpirvTarget& target) {
  return spirv_kernel(text, target, lower::vulkan_promises(target.floats));
}

/// Valid for Vulkan 1.2 and strict about floats, or the message why not.
inline std::string refusal(const lower::SpirvModule& module) {
  if (const auto valid = lower::validate(module.words); !valid) return valid.error().message;
  if (const auto strict = lower::audit_spirv(module.words); !strict) return strict.error().message;
  return "";
}

/// The module of a kernel as text. It has passed the validator and the audit.
inline std::string spirv_text(const lower::Kernel& kernel, const lower::SpirvTarget& target) {
  const auto module = lower::emit_spirv(kernel, target);
  if (!module) throw std::runtime_error(module.error().message);
  const auto text = lower::disassemble(module->words);
  if (!text) throw std::runtime_error(text.error().message);
  if (const std::string why = refusal(*module); !why.empty()) throw std::runtime_error(why + "\n" + *text);
  return *text;
}
inline std::string spirv_text(std::string_view text, const lower::SpirvTarget& target) {
  return spirv_text(spirv_kernel(text, target), target);
}

/// The programs that the project keeps.
inline std::vector<NamedChecked> every_program() {
  return programs_in({"test/run", "test/compare", "examples", "test/golden/kernel"});
}

}  // namespace vyre::test
