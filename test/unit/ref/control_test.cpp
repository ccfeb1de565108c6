// Statements: order of evaluation, control flow, barriers, identities, limits.
#include "ir/builder.h"
#include "oracle.h"
#include "run_text.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Operators\", \"Structure\" and \"Memory\", execution-model, vyre-conform-spec, "
            "\"Barrier Semantics\"; values and counts by hand");

namespace vyre::ref {
namespace {

// Each atomic_add(c[0], 1) in these tests gives the number of those evaluated before it.

// The left one counts 0, the right one 1: 0 - 1.
TEST(Order, OperandsAreEvaluatedFromLeftToRight) {
  EXPECT_EQ(run_text(R"(
program p(read_write c: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
  out[0] = atomic_add(c[0], 1) - atomic_add(c[0], 1);
  out[1] = (atomic_add(c[0], 1) * 10 + atomic_add(c[0], 1)) * 10 + atomic_add(c[0], 1);
})",
                     {{0}, {kPoison, kPoison}}),
            (std::vector<Words>{{5}, {0xffffffff, 234}}));
}

TEST(Order, StoresEvaluateIndexThenValue) {
  EXPECT_EQ(run_text(R"(
program p(read_write c: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
  out[atomic_add(c[0], 1)] = atomic_add(c[0], 1);
})",
                     {{0}, {kPoison, kPoison}}),
            (std::vector<Words>{{2}, {1, kPoison}}));
}

TEST(Order, AtomicsEvaluateIndexExpectedValue) {
  // Semantics, "Operators": an atomic evaluates index (0), expected (1), value (2): d[0] is 1, so it becomes
  // 2.
  EXPECT_EQ(run_text(R"(
program p(read_write c: u32 @0, read_write d: u32 @1, read_write out: u32 @2) workgroup(1, 1, 1) {
  out[0] = atomic_compare_exchange(d[atomic_add(c[0], 1)], atomic_add(c[0], 1), atomic_add(c[0], 1));
  out[1] = atomic_exchange(d[atomic_add(c[0], 1) - 2], atomic_add(c[0], 1));
})",
                     {{0}, {1, 50, 60}, {kPoison, kPoison}}),
            (std::vector<Words>{{5}, {2, 4, 60}, {1, 50}}));
}

TEST(Order, SelectEvaluatesAllThree) {
  // Semantics, "Operators": Select is eager, in the order c, t, f: c = 0 is false, t = 1, f = 2.
  EXPECT_EQ(run_text(R"(
program p(read_write c: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
  out[0] = select(atomic_add(c[0], 1), atomic_add(c[0], 1), atomic_add(c[0], 1));
  out[1] = select(atomic_add(c[0], 1), atomic_add(c[0], 1), atomic_add(c[0], 1));
})",
                     {{0}, {kPoison, kPoison}}),
            (std::vector<Words>{{6}, {2, 4}}));
}

TEST(Order, AndAndOrEvaluateBothSides) {
  EXPECT_EQ(run_text(R"(
program p(read_write c: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
  out[0] = atomic_add(c[0], 1) && atomic_add(c[0], 1);
  out[1] = atomic_add(c[0], 1) || atomic_add(c[0], 1);
})",
                     {{0}, {kPoison, kPoison}}),
            (std::vector<Words>{{4}, {0, 1}}));
}

TEST(Loop, EvaluatesItsBoundsOnce) {
  // Semantics, "Structure": bounds are evaluated once, from (0) before to (1 + 2): rounds 0, 1 and 2.
  EXPECT_EQ(run_text(R"(
program p(read_write c: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
  let end = 2;
  let n = 0;
  for i in atomic_add(c[0], 1)..atomic_add(c[0], 1) + end {
    end = 100;
    n = n * 10 + i + 1;
  }
  out[0] = n;
  out[1] = end;
})",
                     {{0}, {kPoison, kPoison}}),
            (std::vector<Words>{{2}, {123, 100}}));
}

// In the nested loop i * 3 + j is 0 1 2 4 5 8, read as the digits of 012458.
TEST(Loop, IsHalfOpen) {
  EXPECT_EQ(run_text(R"(
program p(read_write out: u32 @0) workgroup(1, 1, 1) {
  for i in 5..5 { out[0] = 1; }
  for i in 6..5 { out[1] = 1; }
  for i in 0xffffffff..0 { out[2] = 1; }
  for i in 0xfffffffd..0xffffffff { out[3] = out[3] + 1; out[4] = i; }
  for i in 0..3 { for j in i..3 { out[5] = out[5] * 10 + i * 3 + j; } }
})",
                     {Words(6, 0)})[0],
            (Words{0, 0, 0, 2, 0xfffffffe, 12458}));
}

TEST(If, TakesExactlyOneBranch) {
  EXPECT_EQ(run_text(R"(
program p(read conditions: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
  for i in 0..3 {
    let c = conditions[i];
    if (c) { out[i] = 1; } else { out[i] = 2; }
    if (cast<bool>(c)) { out[i] = out[i] + 10; }
    if (c == 0) { out[i] = out[i] + 100; } else if (c == 2) { out[i] = out[i] + 200; } else { out[i] = out[i] + 300; }
  }
})",
                     {{0, 2, 0x80000000}, Words(3, kPoison)})[1],
            (Words{102, 211, 311}));
}

TEST(Scope, BlocksAndRoundsHaveTheirOwnVariables) {
  EXPECT_EQ(run_text(R"(
program p(read_write out: u32 @0) workgroup(1, 1, 1) {
  { let x = 1; out[0] = x; }
  { let x = 2; x = x + 5; out[1] = x; }
  for i in 0..3 { let x = 0; x = x + i; out[2] = out[2] + x; }
})",
                     {Words(3, 0)})[0],
            (Words{1, 7, 3}));
}

TEST(Return, EndsTheInvocationFromAnyDepth) {
  EXPECT_EQ(run_text(R"(
program p(read_write out: u32 @0) workgroup(4, 1, 1) {
  let me = local_id.x;
  for i in 0..10 {
    for j in 0..10 {
      if (i * 10 + j == me * 11) { return; }
      out[me] = out[me] + 1;
    }
  }
  out[me] = 99;
})",
                     {Words(4, 0)})[0],
            (Words{0, 11, 22, 33}));
}

// The position of each record is computed from the invocation's id in a grid of 4 x 3 x 4.
TEST(Identity, FollowsFromWorkgroupAndLocal) {
  const auto out = run_text(R"(
program p(read_write out: u32 @0) workgroup(2, 3, 2) {
  let at = (invocation_id.z * 3 + invocation_id.y) * 4 + invocation_id.x;
  out[at] = ((((workgroup_id.x * 10 + workgroup_id.y) * 10 + workgroup_id.z) * 10 + local_id.x) * 10 + local_id.y) * 10
      + local_id.z;
})",
                            {Words(48, kPoison)}, {.x = 2, .y = 1, .z = 2})[0];
  for (uint32_t z = 0; z < 4; ++z) {
    for (uint32_t y = 0; y < 3; ++y) {
      for (uint32_t x = 0; x < 4; ++x) {
        const uint32_t expected = x / 2 * 100000 + 0 * 10000 + z / 2 * 1000 + x % 2 * 100 + y * 10 + z % 2;
        EXPECT_EQ(out[(z * 3 + y) * 4 + x], expected) << x << " " << y << " " << z;
      }
    }
  }
}

TEST(Barrier, MakesStoresVisibleToTheWorkgroup) {
  // execution-model, "Barriers": what was stored before is visible after, to all; a reversal through
  // workgroup memory needs it in both directions.
  EXPECT_EQ(run_text(R"(
program p(read_write data: u32 @0, workgroup scratch: u32[4]) workgroup(4, 1, 1) {
  scratch[local_id.x] = data[invocation_id.x];
  barrier;
  data[invocation_id.x] = scratch[3 - local_id.x];
})",
                     {{1, 2, 3, 4, 5, 6, 7, 8}}, {.x = 2})[0],
            (Words{4, 3, 2, 1, 8, 7, 6, 5}));
}

// Each invocation shifts its neighbour's value; without isolation a value would travel more than one place a
// round.
TEST(Barrier, InLoopsSeparatesTheRounds) {
  EXPECT_EQ(run_text(R"(
program p(read_write data: u32 @0) workgroup(4, 1, 1) {
  let me = local_id.x;
  for round in 0..len(data) - 1 {
    let taken = data[(me + 1) & 3];
    barrier;
    data[me] = taken;
    barrier;
  }
})",
                     {{1, 2, 3, 4}})[0],
            (Words{4, 1, 2, 3}));
}

TEST(Barrier, ReducesABlock) {
  // The text format's block_sum.vyre: sums of 256 numbers 0..255 and 256..299 followed by zeros (out of
  // bounds loads): 255 * 256 / 2 = 32640, and (256 + 299) * 44 / 2 = 12210.
  Words input(300);
  for (uint32_t i = 0; i < input.size(); ++i) input[i] = i;
  EXPECT_EQ(run_text(R"(
program block_sum(read input: u32 @0, read_write sums: u32 @1, workgroup scratch: u32[256]) workgroup(256, 1, 1) {
  let local = local_id.x;
  scratch[local] = input[invocation_id.x];
  barrier;
  for step in 0..8 {
    let stride = 128 >> step;
    if (local < stride) { scratch[local] = scratch[local] + scratch[local + stride]; }
    barrier;
  }
  if (local == 0) { sums[workgroup_id.x] = scratch[0]; }
})",
                     {input, {kPoison, kPoison}}, {.x = 2})[1],
            (Words{32640, 12210}));
}

// Group 0 returns, group 1 skips the exchange, group 2 swaps.
TEST(Barrier, StandsUnderUniformConditions) {
  // A barrier under a uniform condition is reached by the groups that take it; a group that returned is not
  // live and does not wait.
  EXPECT_EQ(run_text(R"(
program p(read_write data: u32 @0, workgroup scratch: u32[2]) workgroup(2, 1, 1) {
  if (workgroup_id.x == 0) { return; }
  let me = local_id.x;
  scratch[me] = data[invocation_id.x] + 1;
  if (workgroup_id.x == 2) {
    barrier;
    data[invocation_id.x] = scratch[1 - me];
  } else {
    data[invocation_id.x] = scratch[me];
  }
})",
                     {{10, 20, 30, 40, 50, 60}}, {.x = 3})[0],
            (Words{10, 20, 31, 41, 61, 51}));
}

TEST(Barrier, LetsInvocationsLeaveAfterIt) {
  // Semantics, "Memory": an invocation that returned is no longer live: after the last barrier the odd ones
  // leave, and the others still finish.
  EXPECT_EQ(run_text(R"(
program p(read_write data: u32 @0) workgroup(4, 1, 1) {
  data[local_id.x] = local_id.x + 1;
  barrier;
  if (local_id.x & 1) { return; }
  data[local_id.x] = data[local_id.x + 1] * 10;
})",
                     {Words(4, 0)})[0],
            (Words{20, 2, 40, 4}));
}

TEST(Depth, ExpressionsMayBeAsDeepAsCheckAllows) {
  // 1023 additions of one to a literal one make 1024; the depth is the greatest that check allows.
  ir::ProgramBuilder left("left"), right("right");
  for (ir::ProgramBuilder* p : {&left, &right}) {
    const auto out = p->read_write("out", spec::DataType::U32, 0);
    ir::Ex sum = p->u32(1);
    for (int i = 1; i < 1024; ++i) sum = p == &left ? sum + 1 : 1 + sum;
    p->store(out, p->u32(0), sum);
    auto result = try_run(checked(p->finish(), {}), {{kPoison}});
    ASSERT_TRUE(result);
    EXPECT_EQ((*result)[0], Words{1024});
  }
}

TEST(Depth, BlocksMayNestAsDeepAsCheckAllows) {
  // Statements may nest to 64: the innermost of 64 loops of one round stores.
  std::string text = "program p(read_write out: u32 @0) workgroup(1, 1, 1) {";
  for (int i = 0; i < 64; ++i) text += " for level" + std::to_string(i) + " in 0..1 {";
  text += " out[0] = out[0] + 1; ";
  for (int i = 0; i < 64; ++i) text += "}";
  text += "}";
  EXPECT_EQ(run_text(text, {{5}})[0], Words{6});
}

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

}  // namespace
}  // namespace vyre::ref
