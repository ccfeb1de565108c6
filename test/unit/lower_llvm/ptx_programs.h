// What the tests of PTX share: kernels from text, and every program that the project keeps.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../backend_native/programs.h"
#include "check/checked.h"
#include "float_texts.h"
#include "lower/kernel.h"
#include "lower/llvm/ptx.h"
#include "module_programs.h"
#include "ops/operation.h"
#include "text/text.h"

namespace vyre::test {

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Legal for PTX.
inline lower::Kernel ptx_kernel(std::string_view text) {
  auto program = text::parse(text);
  if (!program) throw std::runtime_error(program.error().message);
  auto checked = check::check(std::move(*program), ops::op_table());
  if (!checked) throw std::runtime_error(checked.error().front().message);
  return lower::legalize(lower::build(*checked), lower::kPtxTarget);
}

/// The file tests, the examples, and the programs of the native backend's tests.
inline std::vector<lower::Kernel> every_ptx_kernel() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"test/run", "examples", "test/golden/kernel"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(VYRE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".vyre") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::vector<lower::Kernel> kernels;
  for (const auto& file : files)
    for (const auto& [name, program] : programs_of(file.string(), file_text(file)))
      kernels.push_back(lower::legalize(lower::build(*program), lower::kPtxTarget));
  for (const auto& [file, text] : float_texts())
    for (const auto& [name, program] : programs_of(file, text))
      kernels.push_back(lower::legalize(lower::build(*program), lower::kPtxTarget));
  for (const NativeProgram& p : native_programs()) kernels.push_back(ptx_kernel(p.text));
  // Subgroups of the files are of other sizes; for their code it is enough that workgroups are whole warps.
  for (lower::Kernel& kernel : kernels) {
    const auto is_subgroup = [](const lower::Inst& i) { return i.kind == lower::InstKind::Intrinsic; };
    if (std::ranges::any_of(kernel.insts, is_subgroup)) kernel.workgroup_size = {16, 2, 2};
  }
  return kernels;
}

}  // namespace vyre::test
