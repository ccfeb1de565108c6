// Operators of constants: what they become, and that nothing of them is left to a driver.
#include "lower/constants.h"

#include <gtest/gtest.h>

#include "lower/inst_info.h"
#include "oracle.h"
#include "spec/rows.h"
#include "three_ways.h"

VYRE_ORACLE(SpecificationTable, "spec/rows: the rows of all operators; and numbers worked out by hand");

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;

Value constant(KernelWriter& w, DataType type, const std::array<uint32_t, 4>& words) {
  Inst inst{.kind = InstKind::Const, .type = type, .imm = words[0]};
  if (spec::value_words(type) > 1) {
    inst.imm = uint32_t(w.kernel.wide.size());
    w.kernel.wide.push_back(words);
  }
  return w.put(inst);
}

std::array<uint32_t, 4> words_of(const Kernel& kernel, Value v) {
  const Inst& inst = kernel[v];
  return spec::value_words(inst.type) > 1 ? kernel.wide[inst.imm] : std::array{inst.imm, 0u, 0u, 0u};
}

TEST(Constants, OperatorsGiveWhatTheirRowsSay) {
  size_t rows = 0;
  for (const spec::OperatorRow& row : spec::operator_rows()) {
    if (spec::is_atomic(row.op)) continue;
    SCOPED_TRACE(testing::Message() << spec::info(row.op).name << " of " << spec::text(row.type) << ": "
                                    << row.rationale);
    KernelWriter w("row", 1);
    Inst apply{.kind = InstKind::Apply,
               .op = row.op,
               .type = row.result(),
               .operand_type = row.type,
               .mode = row.mode};
    std::vector<Value> operands;
    for (uint32_t i = 0; i < row.count; ++i) {
      if (row.op == Op::Component && i == 1)
        apply.imm = row.values[i].words[0];
      else
        operands.push_back(constant(w, row.operand_at(i), row.values[i].words));
    }
    const Value v = w.put(apply, operands);
    fold_constants(w.kernel);
    ASSERT_EQ(w.kernel[v].kind, InstKind::Const);
    EXPECT_EQ(w.kernel[v].type, row.result());
    EXPECT_EQ(words_of(w.kernel, v), row.expected.words);
    EXPECT_EQ(w.kernel[v].args.count, 0u);
    ++rows;
  }
  EXPECT_GT(rows, 1000u);
}

TEST(Constants, WhatIsNotDecidedOrNotKnownStays) {
  KernelWriter w("p", 1);
  const Value one = constant(w, DataType::F32, {0x3f800000});
  const Value approximate = w.apply(Op::FExpApprox, DataType::F32, {one});
  const Value known =
      w.apply(Op::Add, DataType::U32, {constant(w, DataType::U32, {7}), constant(w, DataType::U32, {8})});
  const Value mixed = w.apply(Op::Add, DataType::U32, {w.id(), known});
  fold_constants(w.kernel);
  EXPECT_EQ(w.kernel[approximate].kind, InstKind::Apply);
  EXPECT_EQ(w.kernel[mixed].kind, InstKind::Apply);
  EXPECT_EQ(words_of(w.kernel, known)[0], 15u);
}

// The program on which NVIDIA's compiler for Vulkan crashed:
// select(bitcast<u32>(20.0), fsqrt(-0.21875), 2.2964006e+38 * 0.5 + -3.5).
TEST(Constants, NothingIsLeftToADriver) {
  ir::ProgramBuilder p("constants");
  const auto out = p.read_write("out", DataType::F32, 0);
  p.workgroup_size(1, 1, 1);
  const auto number = [&](uint32_t bits) { return p.literal(DataType::F32, bits); };
  const auto sum =
      p.apply(Op::FAdd, {p.apply(Op::FMul, {number(0x7f2cc2d8), number(0x3f000000)}), number(0xc0600000)});
  const auto root = p.apply(Op::FSqrt, {number(0xbe600000)});
  p.store(out, p.u32(0), p.select(p.bitcast(DataType::U32, number(0x41a00000)), root, sum));
  Target target = kWordTarget;
  target.folds_constants = true;
  const Kernel legal = legalize(build(checked(p.finish())), target);
  size_t stored = 0;
  for (const auto& block : legal.blocks) {
    for (const Value v : block) {
      if (legal[v].kind != InstKind::RawStore) continue;
      const Inst& value = legal[legal.arg(legal[v], 1)];
      EXPECT_EQ(value.kind, InstKind::Const);
      EXPECT_EQ(value.imm, 0x7fc00000u);  // the root of a negative number: the canonical NaN
      ++stored;
    }
  }
  EXPECT_EQ(stored, 1u);
}

}  // namespace
}  // namespace vyre::lower
