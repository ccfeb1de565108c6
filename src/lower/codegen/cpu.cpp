#include "lower/codegen/cpu.h"

#include <algorithm>

#include "lower/codegen/generator.h"

namespace vyre::lower {

bool is_optimised(const Kernel& kernel) {
  constexpr size_t kMostInstructions = 20'000;
  constexpr std::ptrdiff_t kMostLoops = 64;
  const auto is_loop = [](const Inst& inst) { return inst.kind == InstKind::Loop; };
  return kernel.insts.size() <= kMostInstructions &&
         std::ranges::count_if(kernel.insts, is_loop) <= kMostLoops;
}

Result<uint64_t> workgroup_bytes(const Kernel& kernel) {
  VYRE_TRY(generator, code_generator());
  return generator->workgroup_bytes(kernel);
}

Result<CpuImage> make_image(std::span<const Kernel> kernels, int level) {
  VYRE_TRY(generator, code_generator());
  return generator->make_image(kernels, level);
}

Result<std::string> print_llvm(const Kernel& kernel, bool optimise, const std::string& symbol) {
  VYRE_TRY(generator, code_generator());
  return generator->print_llvm(kernel, optimise, symbol);
}

Result<std::string> print_asm(const Kernel& kernel) {
  VYRE_TRY(generator, code_generator());
  return generator->print_asm(kernel);
}

}  // namespace vyre::lower
