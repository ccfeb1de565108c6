// The budget of steps. What statements and calls do is in test/run and test/modules.
#include "ir/builder.h"
#include "oracle.h"
#include "run_text.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Operators\", \"Structure\" and \"Memory\", execution-model, vyre-conform-spec, "
            "\"Barrier Semantics\"; values and counts by hand");

namespace vyre::ref {
namespace {

TEST(Steps, RunOutInAnEndlessProgram) {
  for (const std::string body : {"for i in 0..0xffffffff { }", "for i in 0..0xffffffff { out[0] = i; }",
                                 "for i in 0..0xffffffff { for j in 0..3 { barrier; } }"}) {
    const auto result =
        try_run(checked("program p(read_write out: u32 @0) workgroup(2, 1, 1) { " + body + " }", {}), {{0}},
                {}, {.max_steps = 10000});
    ASSERT_FALSE(result) << body;
    EXPECT_EQ(result.error().code, DiagCode::B003) << body;
  }
}

TEST(Steps, RunOutInAnEmptyProgram) {
  // Invocations take steps too, so a program that does nothing, 2^32 times over, is stopped as well.
  for (const std::string body : {"", "return;"}) {
    const auto result = try_run(checked("program p() workgroup(1024, 1, 1) { " + body + " }", {}), {},
                                {.x = 65535, .y = 65535}, {.max_steps = 10000});
    ASSERT_FALSE(result) << body;
    EXPECT_EQ(result.error().code, DiagCode::B003) << body;
  }
}

TEST(Steps, AreExact) {
  // Counted by hand: statement, index and value are 3, closing the body is 1.
  const auto program = checked("program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = 5; }", {});
  EXPECT_TRUE(try_run(program, {{0}}, {}, {.max_steps = 4}));
  EXPECT_FALSE(try_run(program, {{0}}, {}, {.max_steps = 3}));
}

TEST(Steps, RunOutInAnOperation) {
  ir::FunctionBuilder f("test.idle");
  const auto turns = f.parameter("turns", spec::DataType::U32);
  f.loop("i", f.u32(0), turns, [](ir::Ex) {});
  const ir::Function body = f.finish(turns, spec::DataType::U32);
  spec::OpTable table;
  ASSERT_TRUE(
      table.add({.id = body.id, .signature = {{spec::DataType::U32}, body.result_type}, .body = &body}));
  const auto result = try_run(
      checked("program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = test.idle(0xffffffff); }",
              table),
      {{0}}, {}, {.max_steps = 10000});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, DiagCode::B003);
}

}  // namespace
}  // namespace vyre::ref
