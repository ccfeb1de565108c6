// Lifted programs mean what the programs meant that they were lifted from, with probes and without.
#include "lower/lift.h"

#include <gtest/gtest.h>

#include "generate/programs.h"
#include "ops/operation.h"
#include "oracle.h"
#include "ref/ref.h"
#include "text/text.h"

VYRE_ORACLE(ReferenceInterpreter, "the reference on the program itself");

namespace vyre::generate {
namespace {

constexpr uint64_t kPrograms = 400;

std::vector<Bytes> run(const check::Checked& program, std::vector<Bytes> buffers, layout::Groups groups,
                       uint32_t lanes) {
  const std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  const auto ran = ref::run(program, host, groups, {.subgroup_size = lanes});
  EXPECT_TRUE(ran) << ran.error().message;
  return buffers;
}

TEST(Raise, RandomProgramsMeanTheSame) {
  for (const uint32_t lanes : {0u, 4u}) {
    ProgramOptions options = ProgramOptions::small(&ops::op_table());
    options.max_nodes = 80;
    options.subgroup_size = lanes;
    for (uint64_t k = 0; k < kPrograms; ++k) {
      const ProgramCase c = random_program(23, k, options);
      const auto checked = check::check(c.program, ops::op_table());
      ASSERT_TRUE(checked);
      const lower::Kernel kernel = lower::build(*checked);
      const auto expected = run(*checked, c.buffers, c.groups, lanes);

      const auto lifted = check::check(lower::lift(kernel), ops::op_table());
      ASSERT_TRUE(lifted) << lifted.error().front().message << "\n"
                          << text::print(c.program) << "\n"
                          << text::print(lower::lift(kernel));
      EXPECT_EQ(run(*lifted, c.buffers, c.groups, lanes), expected) << text::print(c.program);

      const ir::Program probed = lower::raise_watched(kernel, {lower::watchable(kernel), {}});
      const auto watched = check::check(probed, ops::op_table());
      ASSERT_TRUE(watched) << watched.error().front().message << "\n" << text::print(probed);
      std::vector<Bytes> buffers = c.buffers;
      const uint32_t control[] = {UINT32_MAX, UINT32_MAX, 0, UINT32_MAX, c.groups.x, c.groups.y};
      buffers.push_back(to_bytes(control));
      const uint64_t invocations = c.groups.total() * kernel.invocations();
      buffers.emplace_back(size_t(invocations) * lower::kTraceWords * 4);
      auto answers = run(*watched, buffers, c.groups, lanes);
      // Each invocation left a trace of its own.
      const std::vector<uint32_t> traces = to_words(answers.back());
      for (uint64_t i = 0; i < invocations; ++i)
        EXPECT_NE(traces[size_t(i) * lower::kTraceWords], 0u) << "invocation " << i;
      answers.resize(expected.size());
      EXPECT_EQ(answers, expected) << text::print(c.program);
    }
  }
}

}  // namespace
}  // namespace vyre::generate
