// Whole programs three ways: reference, kernel, legal kernel. Most of them stand in test/compare.
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
