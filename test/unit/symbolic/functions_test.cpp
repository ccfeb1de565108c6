#include "symbolic/functions.h"

#include <gtest/gtest.h>

#include "operation_files.h"
#include "ops/registry.h"
#include "oracle.h"
#include "spec/ops.h"
#include "symbolic/encodings.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Casts\" and \"The primitives\", and symbolic/functions.h; values worked out by "
            "hand, and what was planted");

namespace vyre::symbolic {
namespace {

using smt::Pool;
using smt::Term;
using spec::DataType;

uint32_t nothing(uint32_t) { return 0; }

ops::Operation unary(ir::Ex (*compose)(ir::FunctionBuilder&, std::span<const ir::Ex>)) {
  ops::Operation out;
  out.id = "t.unary";
  out.signature = ops::words(1);
  out.parameter_names = {"a"};
  out.reference = ops::reference_of<nothing>;
  out.compose = compose;
  return out;
}

/// The composition at one value, by its formula.
std::expected<uint32_t, std::string> at(const ops::Operation& operation, uint32_t value) {
  Pool pool;
  const std::array x = {pool.variable("a", 32)};
  const auto term = compose(pool, operation, x);
  if (!term) return std::unexpected(term.error());
  const std::array values = {smt::Assigned{x[0], value}};
  return uint32_t(smt::evaluate(pool, *term, values));
}

TEST(Composition, TakesBothBranches) {
  const auto op = unary([](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    const ir::Ex x = f.let("x", p[0]);
    f.if_(
        p[0] < 5, [&] { f.assign(x, x + 10); },
        [&] {
          const ir::Ex y = f.let("y", x * 2);
          f.assign(x, y);
        });
    return x;
  });
  EXPECT_EQ(at(op, 4), 14u);
  EXPECT_EQ(at(op, 5), 10u);
}

TEST(Composition, UnrollsLoopsOfConstantTripCount) {
  // Worked out by hand: 0 + 1 + ... + 9 = 45; from >= to runs nothing.
  const auto op = unary([](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    const ir::Ex sum = f.let("sum", p[0]);
    f.loop("i", f.u32(0), f.u32(10), [&](ir::Ex i) { f.assign(sum, sum + i); });
    f.loop("j", f.u32(7), f.u32(7), [&](ir::Ex) { f.assign(sum, f.u32(0)); });
    return sum;
  });
  EXPECT_EQ(at(op, 100), 145u);
}

TEST(Composition, InlinesCalls) {
  const auto op = unary([](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    return f.call("primitive.math.min", {f.call("primitive.bitwise.rotl", {p[0], f.u32(1)}), f.u32(3)});
  });
  EXPECT_EQ(at(op, 1), 2u);
  EXPECT_EQ(at(op, 0x80000000), 1u);
  EXPECT_EQ(at(op, 4), 3u);
}

TEST(Composition, ExtendsAndCuts) {
  const auto op = unary([](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    const ir::Ex wide = f.cast(DataType::U64, f.bitcast(DataType::I32, p[0]));
    return f.cast(DataType::U32, f.apply(ir::Op::Shr, {wide, f.u32(32)}));
  });
  EXPECT_EQ(at(op, 0x80000000), 0xffffffffu);
  EXPECT_EQ(at(op, 0x7fffffff), 0u);
}

TEST(Composition, SaysWhyItCannot) {
  const auto endless = unary([](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    const ir::Ex x = f.let("x", p[0]);
    f.loop("i", f.u32(0), p[0], [&](ir::Ex i) { f.assign(x, x + i); });
    return x;
  });
  EXPECT_EQ(at(endless, 1).error(), "a loop runs as often as its operands say");
  const auto nested = unary([](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    const ir::Ex x = f.let("x", p[0]);
    f.loop("i", f.u32(0), f.u32(100'000), [&](ir::Ex i) { f.assign(x, x + i); });
    return x;
  });
  EXPECT_EQ(at(nested, 1).error(), "its loops take more than 4096 steps");
  const auto floats = unary([](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    const ir::Ex x = f.bitcast(DataType::F32, p[0]);
    return f.bitcast(DataType::U32, f.apply(ir::Op::FAdd, {x, f.f32(1)}));
  });
  EXPECT_EQ(at(floats, 1).error(), "values of type f32 have no encoding");
}

TEST(Definition, AgreesWithTheReferenceOnAllBytes) {
  VYRE_ORACLE(CpuReference, "the reference function of each primitive, on all operands of 0 to 255");
  uint32_t primitives = 0;
  for (const ops::Operation& operation : ops::all_operations()) {
    if (!operation.id.starts_with("primitive.")) continue;
    ++primitives;
    EXPECT_EQ(operation.define == nullptr, ops::loops(operation)) << operation.id;
    if (operation.define == nullptr) continue;
    const auto checked = definition_checked(operation);
    EXPECT_TRUE(checked.has_value()) << checked.error();
  }
  EXPECT_EQ(primitives, operation_files::primitives());
}

TEST(Definition, ThatDiffersIsFound) {
  ops::Operation op = unary([](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0]; });
  op.define = [](Pool& pool, std::span<const Term> x) {
    return pool.ite(pool.eq(x[0], pool.constant(32, 200)), pool.constant(32, 1), pool.constant(32, 0));
  };
  const auto checked = definition_checked(op);
  ASSERT_FALSE(checked.has_value());
  EXPECT_NE(checked.error().find("t.unary differs from its definition at a=0xc8"), std::string::npos)
      << checked.error();
}

}  // namespace
}  // namespace vyre::symbolic
