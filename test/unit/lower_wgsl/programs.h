// What the tests of WGSL share: kernels and modules from text, every program that the project keeps, and the
// words of a module.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
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
#include "lower/wgsl/wgsl.h"
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

inline check::Checked checked_program(std::string_view text) {
  auto program = text::parse(text);
  if (!program) throw std::runtime_error(program.error().message);
  auto checked = check::check(std::move(*program), ops::op_table());
  if (!checked) throw std::runtime_error(checked.error().front().message);
  return std::move(*checked);
}
inline lower::Kernel wgsl_kernel(std::string_view text) {
  return lower::legalize(lower::build(checked_program(text)), lower::kWgslTarget);
}

inline lower::WgslModule wgsl_module(const lower::Kernel& kernel) {
  auto module = lower::emit_wgsl(kernel);
  if (!module) throw std::runtime_error(module.error().message);
  return std::move(*module);
}
inline std::string wgsl_text(std::string_view text) { return wgsl_module(wgsl_kernel(text)).text; }

/// A program's name and the kernel that is its.
struct NamedKernel {
  std::string name;
  lower::Kernel kernel;
};
/// The file tests, the examples, and the programs of the native backend's tests, but those with operations of
/// subgroups.
inline const std::vector<NamedKernel>& every_kernel() {
  static const std::vector<NamedKernel> kernels = [] {
    std::vector<std::pair<std::string, std::string>> programs;
    for (const char* folder :
         {"test/run", "test/regress", "examples", "test/golden/kernel", "test/golden/wgsl"}) {
      for (const auto& entry :
           std::filesystem::directory_iterator(std::filesystem::path(VYRE_SOURCE_DIR) / folder)) {
        if (entry.path().extension() == ".vyre") {
          programs.emplace_back(entry.path().filename().string(), file_text(entry.path()));
        }
      }
    }
    std::ranges::copy(float_texts(), std::back_inserter(programs));
    std::ranges::sort(programs);
    for (const NativeProgram& p : native_programs()) programs.emplace_back(p.name, p.text);
    std::vector<NamedKernel> out;
    for (const auto& [file, text] : programs) {
      for (const auto& [name, program] : programs_of(file, text)) {
        lower::Kernel kernel = lower::legalize(lower::build(*program), lower::kWgslTarget);
        const auto is_subgroup = [](const lower::Inst& i) { return i.kind == lower::InstKind::Intrinsic; };
        if (!std::ranges::any_of(kernel.insts, is_subgroup)) out.push_back({name, std::move(kernel)});
      }
    }
    return out;
  }();
  return kernels;
}

/// The tokens of WGSL's grammar as far as modules need them: words, numbers, and single signs. Without
/// comments.
inline std::vector<std::string> tokens(std::string_view text) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (in_word(text[at])) {
      const size_t begin = at;
      while (at < text.size() && in_word(text[at])) ++at;
      out.emplace_back(text.substr(begin, at - begin));
    } else {
      if (std::isspace(static_cast<unsigned char>(text[at])) == 0) out.emplace_back(1, text[at]);
      ++at;
    }
  }
  return out;
}

inline size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

}  // namespace vyre::test
