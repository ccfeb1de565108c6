// What the reference refuses: its limits, and what layout::bind refuses for it.
#include <gmock/gmock.h>

#include "ir/builder.h"
#include "oracle.h"
#include "run_text.h"
#include "spec/limits.h"

VYRE_ORACLE(SpecificationTable,
            "vyre-conform-spec, \"Reference Interpreter Limits\", and ref.h; sizes by hand");

namespace vyre::ref {
namespace {

// covers: RL-01
TEST(Limits, ABufferHasAtMost64MiB) {
  const auto program = checked(
      "program p(read big: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {"
      " out[0] = big[len(big) - 1]; }",
      {});
  Words big(spec::kMaxReferenceBytes / 4, 7);
  auto fits = try_run(program, {big, {0}});
  ASSERT_TRUE(fits);
  EXPECT_EQ((*fits)[1], Words{7});
  big.push_back(8);
  const auto result = try_run(program, {big, {0}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, DiagCode::X006);
  EXPECT_THAT(result.error().message, testing::HasSubstr("'big'"));
}

TEST(Limits, AWorkgroupHasAtMost1GiBOfVariables) {
  // 1024 invocations that wait at a barrier with 2^16 variables of 16 bytes each are 1 GiB; one variable more
  // is too much, and without the barrier only one invocation is there at a time.
  for (const bool with_barrier : {true, false}) {
    ir::ProgramBuilder p("many");
    p.workgroup_size(1024, 1, 1);
    for (uint32_t i = 0; i <= 1u << 16; ++i) p.let("x" + std::to_string(i), p.u32(i));
    if (with_barrier) p.barrier();
    const auto result = try_run(checked(p.finish(), {}), {}, {}, {.max_steps = 1000});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, DiagCode::B003);
    EXPECT_THAT(result.error().message, testing::HasSubstr(with_barrier ? "1073758208 bytes" : "1000 steps"));
  }
}

TEST(Limits, RefusesADispatchThatDoesNotFit) {
  const auto program = checked("program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = 1; }", {});
  const auto no_buffer = try_run(program, {});
  ASSERT_FALSE(no_buffer);
  EXPECT_EQ(no_buffer.error().code, DiagCode::X009);
  const auto no_groups = try_run(program, {{0}}, {.x = 1, .y = 0, .z = 1});
  ASSERT_FALSE(no_groups);
  EXPECT_EQ(no_groups.error().code, DiagCode::X005);
}

}  // namespace
}  // namespace vyre::ref
