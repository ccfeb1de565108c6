// Printed kernels, kept: test/golden/kernel/<name>.vyre with its kernel (<name>.kernel) and its legal kernels
// for LLVM's CPU target (<name>.legal) and for a target of bare words (<name>.words): guards by selects,
// operators composed, 16-bit elements as halves.
//
// A golden file judges nothing but the printer and shows in review what a change to a rule does; whether the
// text is right is for the tests that run it. VYRE_BLESS=1 writes the files anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "module_programs.h"
#include "oracle.h"
#include "text/text.h"
#include "three_ways.h"

VYRE_ORACLE(Regression, "test/golden/kernel: printed by this project, read by a person when blessed");

namespace vyre::lower {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

void expect_golden(const fs::path& path, const std::string& text) {
  const char* bless = std::getenv("VYRE_BLESS");
  if (bless != nullptr && std::string_view(bless) == "1") std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(contents(path), text) << path << " differs; VYRE_BLESS=1 writes it anew";
}

std::vector<fs::path> programs_in(const char* folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(fs::path(VYRE_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == ".vyre") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

check::Checked read_program(const fs::path& path) {
  const std::string text = contents(path);
  auto program = text::parse(text);
  if (!program) {
    const Source source(path.filename().string(), text);
    throw std::logic_error(render(program.error(), &source));
  }
  return checked(std::move(*program));
}

TEST(Golden, Kernels) {
  const auto programs = programs_in("test/golden/kernel");
  EXPECT_GE(programs.size(), 12u);
  for (fs::path path : programs) {
    const Kernel kernel = build(read_program(path));
    expect_golden(path.replace_extension(".kernel"), print(kernel));
    expect_golden(path.replace_extension(".legal"), print(legalize(kernel, kLlvmTarget)));
    expect_golden(path.replace_extension(".words"), print(legalize(kernel, kWordTarget)));
  }
}

// The same programs and all examples, run on buffers of some lengths.
TEST(Golden, TheProgramsRunThreeWays) {
  VYRE_ORACLE(ReferenceInterpreter,
              "the interpreter, and the kernel evaluator before and after legalization");
  for (const char* folder : {"test/golden/kernel", "examples"}) {
    for (const fs::path& path : programs_in(folder)) {
      SCOPED_TRACE(path);
      for (const auto& [name, checked_program] : test::programs_of(path.string(), contents(path))) {
        SCOPED_TRACE(name);
        const check::Checked& program = *checked_program;
        // Those that want subgroups, or tensors that fit, are run in types_test.cpp.
        if (!program.intrinsics().empty() || !program.program().tensors.empty()) continue;
        for (const uint32_t elements : {0u, 1u, 40u}) {
          Buffers input;
          for (const check::BufferId b : program.bound_buffers()) {
            const uint32_t words =
                elements * spec::value_words(spec::element_value_type(program.buffer(b).element));
            input.emplace_back(words);
            // Small numbers: the programs take some of them for lengths and loop bounds.
            for (uint32_t i = 0; i < words; ++i) input.back()[i] = (i * 7 + uint32_t(input.size() - 1)) % 23;
          }
          expect_three_ways(program, input, {.x = 2});
        }
      }
    }
  }
}

}  // namespace
}  // namespace vyre::lower
