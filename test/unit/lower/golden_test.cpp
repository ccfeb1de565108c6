// Printed kernels, kept: test/golden/kernel/<name>.vyre with its kernel (<name>.kernel) and its legal kernels
// for LLVM's CPU target (<name>.legal) and for a target of bare words (<name>.words): guards by selects,
// operators composed, 16-bit elements as halves.
#include <gtest/gtest.h>

#include <filesystem>

#include "golden.h"
#include "oracle.h"
#include "three_ways.h"

VYRE_ORACLE(Regression, "test/golden/kernel: printed by this project, read by a person when blessed");

namespace vyre::lower {
namespace {

TEST(Golden, Kernels) {
  const auto programs = test::files_of("test/golden/kernel");
  EXPECT_GE(programs.size(), 12u);
  for (std::filesystem::path path : programs) {
    const Kernel kernel = build(test::checked(test::file_text(path)));
    test::expect_golden(path.replace_extension(".kernel"), print(kernel));
    test::expect_golden(path.replace_extension(".legal"), print(legalize(kernel, kLlvmTarget)));
    test::expect_golden(path.replace_extension(".words"), print(legalize(kernel, kWordTarget)));
  }
}

// The same programs and all examples, run on buffers of some lengths.
TEST(Golden, TheProgramsRunThreeWays) {
  VYRE_ORACLE(ReferenceInterpreter,
              "the interpreter, and the kernel evaluator before and after legalization");
  for (const auto& [name, checked_program] : test::programs_in({"test/golden/kernel", "examples"})) {
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

}  // namespace
}  // namespace vyre::lower
