// What the tests of PTX share: kernels from text, and every program that the project keeps.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lower/codegen/ptx.h"
#include "lower/kernel.h"
#include "project_programs.h"

namespace vyre::test {

/// Legal for PTX.
inline lower::Kernel ptx_kernel(std::string_view text) {
  return lower::legalize(lower::build(checked(text)), lower::kPtxTarget);
}

/// The programs that the project keeps: those with private arrays, or all others. Subgroups of the files are
/// of other sizes; for their code it is enough that workgroups are whole warps.
inline std::vector<lower::Kernel> every_ptx_kernel(bool with_private_arrays = false) {
  std::vector<lower::Kernel> kernels;
  for (const auto& [name, program] :
       programs_in({"test/run", "test/compare", "examples", "test/golden/kernel"})) {
    const bool has_arrays = std::ranges::any_of(program->program().buffers, [](const ir::BufferDecl& b) {
      return b.access == spec::BufferAccess::Private;
    });
    if (has_arrays != with_private_arrays) continue;
    lower::Kernel& kernel = kernels.emplace_back(lower::legalize(lower::build(*program), lower::kPtxTarget));
    const auto is_subgroup = [](const lower::Inst& i) { return i.kind == lower::InstKind::Intrinsic; };
    if (std::ranges::any_of(kernel.insts, is_subgroup)) kernel.workgroup_size = {16, 2, 2};
  }
  return kernels;
}

}  // namespace vyre::test
