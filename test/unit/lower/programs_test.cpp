// Whole programs three ways: reference, kernel, legal kernel.
#include "oracle.h"
#include "spec/ops.h"
#include "three_ways.h"

VYRE_ORACLE(ReferenceInterpreter,
            "ref/ (another evaluator, other code for every operator, other scheduling), and beside it words "
            "worked out by hand where the comment says so");

namespace vyre::lower {
namespace {

using ir::Ex;
using ir::ProgramBuilder;
using spec::DataType;
using spec::Op;

Words iota(uint32_t count, uint32_t first = 0) {
  Words out(count);
  for (uint32_t i = 0; i < count; ++i) out[i] = first + i;
  return out;
}

TEST(Programs, ElementWiseWithAGuard) {
  for (const uint32_t n : {0u, 1u, 63u, 64u, 65u}) {
    ProgramBuilder p("xor");
    const auto a = p.read("a", DataType::U32, 0), b = p.read("b", DataType::U32, 1);
    const auto out = p.read_write("out", DataType::U32, 2);
    p.workgroup_size(64, 1, 1);
    const Ex i = p.let("i", p.invocation_id(0));
    p.if_(i < p.len(out), [&] { p.store(out, i, p.load(a, i) ^ p.load(b, i)); });
    expect_three_ways(p.finish(), {iota(n), iota(n / 2, 1000), Words(n)}, {.x = 2});
  }
}

// By hand: 256 ones a group.
TEST(Programs, BlockSumThroughWorkgroupMemory) {
  ProgramBuilder p("block_sum");
  const auto input = p.read("input", DataType::U32, 0);
  const auto sums = p.read_write("sums", DataType::U32, 1);
  const auto scratch = p.workgroup("scratch", DataType::U32, 256);
  p.workgroup_size(256, 1, 1);
  const Ex local = p.let("local", p.local_id(0));
  p.store(scratch, local, p.load(input, p.invocation_id(0)));
  p.barrier();
  p.loop("step", p.u32(0), p.u32(8), [&](Ex step) {
    const Ex stride = p.let("stride", p.u32(128) >> step);
    p.if_(local < stride,
          [&] { p.store(scratch, local, p.load(scratch, local) + p.load(scratch, local + stride)); });
    p.barrier();
  });
  p.if_(local == 0, [&] { p.store(sums, p.workgroup_id(0), p.load(scratch, p.u32(0))); });
  const check::Checked program = checked(p.finish());
  EXPECT_EQ(expect_three_ways(program, {Words(600, 1), Words(3)}, {.x = 3})[1], (Words{256, 256, 88}));
  expect_three_ways(program, {iota(1000, 7), Words(4)}, {.x = 4});
  expect_three_ways(program, {{}, {}}, {.x = 2});
}

// By hand: bytes 1, 1, 2, 3 and 4 zero bytes.
TEST(Programs, HistogramOfBytesWithAtomics) {
  ProgramBuilder p("histogram");
  const auto data = p.read("data", DataType::Bytes, 0);
  const auto params = p.uniform("params", DataType::U32, 1);
  const auto bins = p.read_write("bins", DataType::U32, 2);
  p.workgroup_size(64, 1, 1);
  const Ex i = p.let("i", p.invocation_id(0));
  p.if_(i < p.load(params, p.u32(0)), [&] {
    const Ex byte = p.let("byte", (p.load(data, i >> 2) >> ((i & 3) * 8)) & 0xff);
    p.let("old", p.atomic(Op::AtomicAdd, bins, byte, p.u32(1)));
  });
  const auto out = expect_three_ways(p.finish(), {{0x03020101, 0}, {8}, Words(4)})[2];
  EXPECT_EQ(out, (Words{4, 2, 1, 1}));
}

TEST(Programs, EveryAtomicInAndOutOfBounds) {
  for (const spec::OpInfo& op : spec::kOps) {
    if (!spec::is_atomic(op.op)) continue;
    ProgramBuilder p("atomics");
    const auto cells = p.read_write("cells", DataType::U32, 0);
    const auto old = p.read_write("old", DataType::U32, 1);
    p.workgroup_size(8, 1, 1);
    const Ex i = p.let("i", p.local_id(0));
    const Ex value = p.let("value", (i * 0x9e3779b9u) ^ 0x80000001u);
    // One cell an invocation, so that the order of invocations does not show; the last two are out of bounds.
    const Ex before = op.op == Op::AtomicCompareExchange ? p.atomic_compare_exchange(cells, i, i & 1, value)
                                                         : p.atomic(op.op, cells, i, value);
    p.store(old, i, before);
    const check::Checked program = checked(p.finish());
    const auto out = expect_three_ways(program, {{0, 0, 5, 3, 0xffffffff, 1}, Words(8, 77)});
    EXPECT_EQ(out[1][6], 0u);
    EXPECT_EQ(out[1][7], 0u);
    expect_three_ways(program, {{}, Words(8, 77)});
  }
}

// By hand: sum, maximum and union over 100 invocations are the same in every order.
TEST(Programs, ContendedAtomics) {
  ProgramBuilder p("contended");
  const auto cells = p.read_write("cells", DataType::U32, 0);
  p.workgroup_size(50, 1, 1);
  const Ex i = p.let("i", p.invocation_id(0));
  p.let("a", p.atomic(Op::AtomicAdd, cells, p.u32(0), i));
  p.let("b", p.atomic(Op::AtomicMax, cells, p.u32(1), i));
  p.let("c", p.atomic(Op::AtomicOr, cells, p.u32(2), p.u32(1) << i));
  const auto out = expect_three_ways(p.finish(), {Words(3)}, {.x = 2});
  EXPECT_EQ(out[0], (Words{4950, 99, 0xffffffff}));
}

TEST(Programs, IndicesFarOutOfBounds) {
  ProgramBuilder p("wild");
  const auto at = p.read("at", DataType::U32, 0);
  const auto data = p.read("data", DataType::U32, 1);
  const auto out = p.read_write("out", DataType::U32, 2);
  const auto sink = p.read_write("sink", DataType::U32, 3);
  const auto scratch = p.workgroup("scratch", DataType::U32, 3);
  p.workgroup_size(1, 1, 1);
  const Ex k = p.let("k", p.invocation_id(0));
  const Ex i = p.let("i", p.load(at, k));
  p.store(scratch, i, p.u32(5));
  p.store(out, k, p.load(data, i) + p.load(scratch, i) + p.load(scratch, i - 1) * 16);
  p.store(sink, i + 1, k + 100);
  const check::Checked program = checked(p.finish());
  const Words wild = {0,          1,          2,          3,         4, 5, 1u << 30, (1u << 30) + 1,
                      0x80000000, 0x3fffffff, 0xfffffffe, 0xffffffff};
  for (const uint32_t n : {0u, 1u, 2u, 4u}) {
    expect_three_ways(program, {wild, iota(n, 1), Words(wild.size(), 9), Words(n, 4)},
                      {.x = uint32_t(wild.size())});
  }
  // By hand: with no data at all, index 0 finds the 5 it stored in scratch, and nothing else.
  EXPECT_EQ(expect_three_ways(program, {{0}, {}, {9}, {}})[2], Words{5});
}

TEST(Programs, BoolsAreZeroOrOneWhateverTheWord) {
  ProgramBuilder p("bools");
  const auto flags = p.read("flags", DataType::Bool, 0);
  const auto out = p.read_write("out", DataType::Bool, 1);
  const auto words = p.read_write("words", DataType::U32, 2);
  p.workgroup_size(8, 1, 1);
  const Ex i = p.let("i", p.local_id(0));
  const Ex f = p.let("f", p.load(flags, i)), g = p.let("g", p.load(flags, i + 1));
  p.store(out, i, p.select(f, g, p.boolean(true)));
  p.store(words, i * 4, p.cast(DataType::U32, f) + p.cast(DataType::U32, p.cast(DataType::I32, g)) * 2);
  p.store(words, i * 4 + 1, (f == g) + (f != g) * 2 + (f && g) * 4 + (f || g) * 8 + !f * 16);
  p.store(words, i * 4 + 2, p.select(i, p.u32(3), p.u32(4)));
  const Ex b = p.let("b", p.cast(DataType::Bool, i & 2));
  p.assign(b, p.cast(DataType::Bool, p.cast(DataType::I32, b)));
  p.if_(
      b, [&] { p.store(words, i * 4 + 3, p.cast(DataType::U32, b)); },
      [&] { p.store(words, i * 4 + 3, p.u32(7)); });
  const auto result =
      expect_three_ways(p.finish(), {{0, 1, 2, 0x80000000, 0xffffffff, 0, 0}, Words(8, 2), Words(32)});
  EXPECT_EQ(result[1], (Words{1, 1, 1, 1, 0, 1, 1, 1}));  // by hand, from the definition of select
}

TEST(Programs, AssignedVariablesAndLoops) {
  ProgramBuilder p("loops");
  const auto out = p.read_write("out", DataType::U32, 0);
  p.workgroup_size(4, 2, 1);
  const Ex lane = p.let("lane", p.local_id(0) + p.local_id(1) * 4);
  const Ex sum = p.let("sum", p.u32(0));
  const Ex end = p.let("end", lane + 2);
  p.loop("i", lane, end, [&](Ex i) {
    p.assign(end, end + 100);  // bounds are evaluated once
    const Ex inner = p.let("inner", p.u32(1));
    p.loop("j", p.u32(0), i, [&](Ex j) {
      p.assign(inner, inner * 3 + j);
      p.if_((inner & 7) == 5, [&] { p.assign(sum, sum ^ inner); });
    });
    p.assign(sum, sum + inner);  // inner begins at 1 again in each iteration
  });
  p.loop("never", p.u32(5), p.u32(5), [&](Ex) { p.assign(sum, p.u32(0xdead)); });
  p.loop("backwards", p.u32(6), lane & 3, [&](Ex) { p.assign(sum, p.u32(0xdead)); });
  p.loop("last", p.u32(0xfffffffe), p.u32(0xffffffff), [&](Ex k) { p.assign(sum, sum + k); });
  p.block([&] {
    const Ex t = p.let("t", sum);
    p.store(out, lane * 2, t);
  });
  p.block([&] {
    const Ex t = p.let("t", end);  // a sibling of the same name
    p.store(out, lane * 2 + 1, t);
  });
  const auto result = expect_three_ways(p.finish(), {Words(16)});
  EXPECT_EQ(result[0][1], 202u);  // by hand: lane 0 iterates for 0 and 1
}

// A value read before an assignment keeps what it was.
TEST(Programs, OldValuesSurviveAssignments) {
  ProgramBuilder p("old");
  const auto out = p.read_write("out", DataType::U32, 0);
  const Ex x = p.let("x", p.u32(1));
  const Ex y = p.let("y", x);
  const Ex z = p.let("z", p.cast(DataType::U32, p.cast(DataType::I32, x)));
  p.assign(x, p.u32(2));
  p.store(out, p.u32(0), y * 100 + z * 10 + x);
  EXPECT_EQ(expect_three_ways(p.finish(), {Words(1)})[0], Words{112});
}

// By hand: each line's comment. One invocation, so atomics have one order.
TEST(Programs, OperandsAreEvaluatedLeftToRight) {
  ProgramBuilder p("order");
  const auto c = p.read_write("c", DataType::U32, 0);
  const auto out = p.read_write("out", DataType::U32, 1);
  const auto bump = [&] { return p.atomic(Op::AtomicAdd, c, p.u32(0), p.u32(1)); };
  const auto now = [&] { return p.load(c, p.u32(0)); };
  // The right operand is made first, so that its expressions have smaller ids.
  const Ex right = now();
  const Ex left = bump();
  p.store(out, p.u32(0), left * 10 + right);                             // 0 * 10 + 1
  p.store(out, bump(), now());                                           // out[1] = 2: index, then value
  p.store(out, now() + 1, p.select(bump(), bump() * 10, bump() * 100));  // out[3] = 30; c = 5
  p.store(out, p.u32(4), p.atomic_compare_exchange(c, bump() - 5, bump(), bump()));  // c[0]: expected 6, is 8
  p.store(out, p.u32(5), now());                                               // so the exchange failed: 8
  p.loop("k", bump(), bump() + 2, [&](Ex k) { p.store(out, k, now() + k); });  // 8 .. 11, bounds once
  p.if_(bump(), [&] { p.store(out, p.u32(6), bump()); }, [&] { p.store(out, p.u32(6), p.u32(99)); });  // 11
  p.let("unused", bump());        // still happens
  p.store(out, p.u32(7), now());  // 13
  const auto result = expect_three_ways(p.finish(), {{0, 50}, Words(12, 77)});
  EXPECT_EQ(result[1], (Words{1, 2, 77, 30, 8, 8, 11, 13, 18, 19, 20, 77}));
}

TEST(Programs, EarlyReturns) {
  ProgramBuilder p("returns");
  const auto out = p.read_write("out", DataType::U32, 0);
  const auto scratch = p.workgroup("scratch", DataType::U32, 16);
  p.workgroup_size(16, 1, 1);
  const Ex i = p.let("i", p.local_id(0));
  p.if_(p.workgroup_id(0) == 1, [&] { p.return_(); });  // uniform: barriers may follow
  p.store(scratch, i, i * 3);
  p.barrier();
  p.loop("k", p.u32(0), p.u32(20), [&](Ex k) {
    p.if_(
        k == i,
        [&] {
          p.store(out, i + p.workgroup_id(0) * 16, p.load(scratch, k) + 1);
          p.return_();
          p.store(out, i, p.u32(0xdead));  // never
        },
        [&] { p.if_(k * 2 == i + 5, [&] { p.return_(); }); });
    p.store(out, i + p.workgroup_id(0) * 16, 100 + k);
  });
  p.store(out, p.u32(0), p.u32(0xdead));  // nobody comes here
  expect_three_ways(p.finish(), {Words(48, 7)}, {.x = 3});
}

TEST(Programs, BarriersInUniformControl) {
  ProgramBuilder p("rotate");
  const auto params = p.uniform("params", DataType::U32, 0);
  const auto out = p.read_write("out", DataType::U32, 1);
  const auto ring = p.workgroup("ring", DataType::U32, 8);
  p.workgroup_size(8, 1, 1);
  const Ex i = p.let("i", p.local_id(0));
  p.store(ring, i, i * i);
  p.barrier();
  p.loop("turn", p.load(params, p.u32(0)), p.load(params, p.u32(1)), [&](Ex turn) {
    p.if_((turn & 1) == 0,
          [&] {
            const Ex next = p.let("next", p.load(ring, (i + 1) & 7));
            p.barrier();
            p.store(ring, i, next + turn);
            p.barrier();
          },
          [&] {
            const Ex before = p.let("before", p.load(ring, (i + 7) & 7));
            p.barrier();
            p.store(ring, i, before * 2);
            p.barrier();
          });
    p.if_(p.load(params, p.u32(2)) == turn, [&] { p.return_(); });
  });
  p.barrier();
  p.store(out, i, p.load(ring, i));
  const check::Checked program = checked(p.finish());
  expect_three_ways(program, {{0, 5, 99}, Words(8)});
  expect_three_ways(program, {{0, 5, 3}, Words(8)});
  expect_three_ways(program, {{}, Words(8)});
}

TEST(Programs, TransposeInTwoAndThreeDimensions) {
  ProgramBuilder p("transpose");
  const auto in = p.read("input", DataType::I32, 0);
  const auto out = p.read_write("out", DataType::I32, 1);
  const auto tile = p.workgroup("tile", DataType::I32, 4 * 3 * 2);
  p.workgroup_size(4, 3, 2);
  const Ex x = p.let("x", p.invocation_id(0)), y = p.let("y", p.invocation_id(1)),
           z = p.let("z", p.invocation_id(2));
  const Ex cell = p.let("cell", p.local_id(0) * 6 + p.local_id(1) * 2 + p.local_id(2));
  p.store(tile, cell, p.load(in, x + y * 8 + z * 48));
  p.barrier();
  p.store(out, x + y * 8 + z * 48 + p.workgroup_id(1) * 1000, p.load(tile, 23 - cell) * p.i32(-3));
  expect_three_ways(p.finish(), {iota(8 * 6 * 6), Words(3000)}, {.x = 2, .y = 2, .z = 3});
}

/// x to the power n, by a loop, with variables that are assigned.
ir::Function make_power() {
  ir::FunctionBuilder f("test.power");
  const Ex x = f.parameter("x", DataType::U32), n = f.parameter("n", DataType::U32);
  const Ex product = f.let("product", f.u32(1));
  f.loop("i", f.u32(0), n, [&](Ex) { f.assign(product, product * x); });
  const Ex unused = f.let("unused", n);
  f.assign(unused, unused + x);
  return f.finish(product + unused * 0, DataType::U32);
}

/// Calls in a let and in the result, and calls as arguments of calls.
ir::Function make_twice() {
  ir::FunctionBuilder f("test.twice");
  const Ex v = f.parameter("v", DataType::U32);
  const Ex once = f.let("i", f.call("test.power", {v, f.u32(2)}));
  f.if_(once > 50, [&] { f.assign(once, once - v); });
  return f.finish(f.call("test.power", {once, f.call("test.power", {v, f.u32(1)}) & 3}), DataType::U32);
}

ir::Function make_is_negative() {
  ir::FunctionBuilder f("test.is_negative");
  const Ex w = f.parameter("w", DataType::I32);
  return f.finish(f.cast(DataType::Bool, w < f.i32(0)), DataType::Bool);
}

// Calls: nested, with loops, and variables named as the caller's.
TEST(Programs, NestedCalls) {
  const ir::Function power = make_power(), twice = make_twice(), is_negative = make_is_negative();
  spec::OpTable ops;
  ops.add({power.id, 1, {{DataType::U32, DataType::U32}, DataType::U32}, spec::Category::A, &power});
  ops.add({twice.id, 1, {{DataType::U32}, DataType::U32}, spec::Category::A, &twice});
  ops.add({is_negative.id, 1, {{DataType::I32}, DataType::Bool}, spec::Category::A, &is_negative});
  ProgramBuilder p("calls");
  const auto out = p.read_write("out", DataType::U32, 0);
  p.workgroup_size(16, 1, 1);
  const Ex i = p.let("i", p.local_id(0));
  const Ex n = p.let("n", p.call("test.twice", {i}) + p.call("test.power", {i + 1, p.u32(3)}));
  p.if_(p.call("test.is_negative", {p.cast(DataType::I32, i) - p.i32(4)}), [&] { p.assign(n, n + 1000); });
  p.loop("k", p.u32(1), p.u32(3), [&](Ex k) { p.assign(n, p.call("test.power", {n, k})); });
  p.store(out, i, n);
  const auto result = expect_three_ways(p.finish(), {Words(16)}, {}, ops);
  // By hand, i = 2: power(2, 2) = 4, power(4, 2 & 3) = 16; power(3, 3) = 27; negative: 1000; then to the
  // powers 1 and 2.
  EXPECT_EQ(result[0][2], 1043u * 1043u);
}

TEST(Programs, PrimitivesOfTheLibrary) {
  VYRE_ORACLE(SpecificationTable,
              "ref/ (another evaluator, other code for every operator, other scheduling), and beside it "
              "words worked out by hand where the comment says so");
  for (const ops::Operation& operation : ops::all_operations()) {
    ProgramBuilder p("primitive");
    std::vector<ir::BufferRef> inputs;
    for (uint32_t n = 0; n < operation.signature.inputs.size(); ++n) {
      inputs.push_back(p.read("in" + std::to_string(n), operation.signature.inputs[n], n));
    }
    const auto out = p.read_write("out", operation.signature.output, uint32_t(inputs.size()));
    p.workgroup_size(32, 1, 1);
    const Ex i = p.let("i", p.invocation_id(0));
    std::vector<Ex> arguments;
    for (const auto& input : inputs) arguments.push_back(p.load(input, i));
    p.store(out, i, p.call(operation.id, arguments, operation.version));
    Memories data(inputs.size());
    const auto append = [](std::vector<std::byte>& to, uint32_t word, DataType type) {
      for (uint32_t b = 0; b < spec::info(type).bytes; ++b) to.push_back(std::byte(word >> (8 * b)));
    };
    std::vector<std::byte> expected;
    for (const ops::SpecRow& row : operation.rows) {
      for (size_t n = 0; n < inputs.size(); ++n)
        append(data[n], row.operands[n], operation.signature.inputs[n]);
      append(expected, row.expected, operation.signature.output);
    }
    const auto count = uint32_t(operation.rows.size());
    data.emplace_back(expected.size());
    const auto result = expect_same_bytes(checked(p.finish()), data, {.x = (count + 31) / 32});
    ASSERT_FALSE(result.empty());
    EXPECT_EQ(result.back(), expected) << operation.id;
  }
}

// The deepest expression there is, leaning left and leaning right.
TEST(Programs, DeepExpressions) {
  for (const bool lean_left : {true, false}) {
    ProgramBuilder p("deep");
    const auto out = p.read_write("out", DataType::U32, 0);
    Ex sum = p.load(out, p.u32(1));  // depth 2
    for (uint32_t n = 0; n < 1022; ++n) {
      const Ex more = p.u32(n + 1);
      sum = lean_left ? sum - more : more - sum;
    }
    p.store(out, p.u32(0), sum);
    expect_three_ways(p.finish(), {{0, 12345}});
  }
}

TEST(Programs, StepsRunOut) {
  ProgramBuilder p("long");
  const auto out = p.read_write("out", DataType::U32, 0);
  p.loop("i", p.u32(0), p.u32(0xffffffff), [&](Ex i) { p.store(out, p.u32(0), i); });
  const auto result = run_kernel(build(checked(p.finish())), {{0}}, {}, {.max_steps = 10'000});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, DiagCode::B003);
}

TEST(Programs, StepsRunOutInAnEmptyLoop) {
  ProgramBuilder p("idle");
  p.read_write("out", DataType::U32, 0);
  p.loop("i", p.u32(0), p.u32(0xffffffff), [](Ex) {});
  const auto result = run_kernel(build(checked(p.finish())), {{0}}, {}, {.max_steps = 10'000});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, DiagCode::B003);
}

}  // namespace
}  // namespace vyre::lower
