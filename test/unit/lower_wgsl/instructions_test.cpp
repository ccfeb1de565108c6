// Which expression each raw operator and each atomic is, and what surrounds it.
#include <gmock/gmock.h>

#include "oracle.h"
#include "programs.h"
#include "spec/ops.h"
#include "spec/table.h"

VYRE_ORACLE(SpecificationTable,
            "WGSL, \"Expressions\", \"Numeric Built-in Functions\", \"Atomic Read-modify-write\", "
            "\"Evaluation of Const-Expressions\", row by row");

namespace vyre::lower {
namespace {

using spec::Op;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A kernel that loads operands from `in`, applies one instruction, and stores its result to `out`. The
/// operands are v0, v1, v2, and the result is the next one.
class OneInstruction {
 public:
  OneInstruction() {
    kernel_.name = "one";
    kernel_.legal = true;
    kernel_.entry = kernel_.add_block();
    kernel_.buffers = {{.name = "in", .element = spec::DataType::U32, .argument = 0},
                       {.name = "out",
                        .access = spec::BufferAccess::ReadWrite,
                        .element = spec::DataType::U32,
                        .argument = 1}};
  }
  Value constant(uint32_t bits) { return put({.kind = InstKind::Const, .imm = bits}, {}); }
  Value load(uint32_t at) { return put({.kind = InstKind::RawLoad, .target = 0}, {constant(at)}); }
  void store(Value result) { put({.kind = InstKind::RawStore, .target = 1}, {constant(0), result}); }
  Value raw(RawOp op, const std::vector<Value>& operands) {
    return put({.kind = InstKind::Raw, .raw = op}, operands);
  }
  Value put(Inst inst, const std::vector<Value>& operands) {
    const Value v = kernel_.add(inst, operands);
    kernel_.blocks[index(kernel_.entry)].push_back(v);
    return v;
  }
  std::string text() const { return test::wgsl_module(kernel_).text; }

 private:
  Kernel kernel_;
};

struct Expected {
  const char* expression;
  const char* stored;  // the result as a word
};
using RawRow = spec::Row<RawOp, Expected>;
constexpr auto kRawRows = std::to_array<RawRow>({
    {RawOp::Add, {"v0 + v1", "v2"}},
    {RawOp::Sub, {"v0 - v1", "v2"}},
    {RawOp::Mul, {"v0 * v1", "v2"}},
    {RawOp::UDiv, {"v0 / v1", "v2"}},
    {RawOp::URem, {"v0 % v1", "v2"}},
    {RawOp::SDiv, {"bitcast<u32>(bitcast<i32>(v0) / bitcast<i32>(v1))", "v2"}},
    {RawOp::SRem, {"v0 - (bitcast<u32>(bitcast<i32>(v0) / bitcast<i32>(v1)) * v1)", "v2"}},
    {RawOp::And, {"v0 & v1", "v2"}},
    {RawOp::Or, {"v0 | v1", "v2"}},
    {RawOp::Xor, {"v0 ^ v1", "v2"}},
    {RawOp::Not, {"~v0", "v1"}},
    {RawOp::Shl, {"v0 << v1", "v2"}},
    {RawOp::LShr, {"v0 >> v1", "v2"}},
    {RawOp::AShr, {"bitcast<u32>(bitcast<i32>(v0) >> v1)", "v2"}},
    {RawOp::Popcount, {"countOneBits(v0)", "v1"}},
    {RawOp::Clz, {"countLeadingZeros(v0)", "v1"}},
    {RawOp::Ctz, {"countTrailingZeros(v0)", "v1"}},
    {RawOp::ReverseBits, {"reverseBits(v0)", "v1"}},
    {RawOp::Eq, {"v0 == v1", "u32(v2)"}},
    {RawOp::Ne, {"v0 != v1", "u32(v2)"}},
    {RawOp::ULt, {"v0 < v1", "u32(v2)"}},
    {RawOp::ULe, {"v0 <= v1", "u32(v2)"}},
    {RawOp::SLt, {"bitcast<i32>(v0) < bitcast<i32>(v1)", "u32(v2)"}},
    {RawOp::SLe, {"bitcast<i32>(v0) <= bitcast<i32>(v1)", "u32(v2)"}},
    {RawOp::Select, {"select(v2, v1, (v0 != n0))", "v3"}},  // select(false, true, condition)
});
/// There are no floats, no integers of 64 bits, and no product of twice the width.
constexpr bool exists(RawOp op) { return !info(op).is_float && !is_long(op) && op != RawOp::UMulHi; }
constexpr spec::TotalTable<kRawRows, [](RawOp op) { return exists(op); }> kRaw;

TEST(WgslInstructions, EachRawOperator) {
  for (const RawOpInfo& op : kRawOps) {
    if (!exists(op.op)) continue;
    OneInstruction one;
    std::vector<Value> operands;
    for (uint32_t i = 0; i < op.operands; ++i) operands.push_back(one.load(i));
    one.store(one.raw(op.op, operands));
    const auto [expression, stored] = kRaw[op.op];
    EXPECT_THAT(one.text(), AllOf(HasSubstr("  let v" + std::to_string(op.operands) + " = " + expression +
                                            ";\n  b_out[n0] = " + stored + ";\n")))
        << op.name;
  }
}

// What legalization may ask for is what the table above has.
TEST(WgslInstructions, TheTargetHasNoOtherOperators) {
  EXPECT_FALSE(kWgslTarget.has_umul_hi);
  EXPECT_FALSE(kWgslTarget.has_64bit_integers);
  EXPECT_FALSE(kWgslTarget.has_16bit_access);
  for (const RawOpInfo& op : kRawOps) EXPECT_FALSE(kWgslTarget.floats[op.op].given) << op.name;
}

TEST(WgslInstructions, TruthsStayBools) {
  OneInstruction one;
  const Value a = one.load(0), b = one.load(1);                        // v0, v1
  const Value less = one.raw(RawOp::ULt, {a, b});                      // v2
  const Value same = one.raw(RawOp::Eq, {a, b});                       // v3
  const Value both = one.raw(RawOp::And, {less, same});                // v4
  const Value either = one.raw(RawOp::Or, {both, same});               // v5
  const Value differ = one.raw(RawOp::Xor, {either, less});            // v6
  const Value mixed = one.raw(RawOp::And, {differ, a});                // v7
  const Value chosen = one.raw(RawOp::Select, {differ, mixed, less});  // v8
  one.store(chosen);
  EXPECT_THAT(one.text(), HasSubstr(R"(
  let v4 = v2 & v3;
  let v5 = v4 | v3;
  let v6 = v5 != v2;
  let v7 = u32(v6) & v0;
  let v8 = select(u32(v2), v7, v6);
)"));
}

TEST(WgslInstructions, NoOperandIsALiteral) {
  // WGSL, "Evaluation of Const-Expressions": what is a `let` is never one.
  OneInstruction one;
  one.store(one.raw(RawOp::Shl, {one.constant(0x80000000), one.constant(31)}));
  EXPECT_THAT(one.text(), AllOf(HasSubstr("let n31 = 31u;\n"), HasSubstr("let h80000000 = 0x80000000u;\n"),
                                HasSubstr("= h80000000 << n31;\n")));
}
TEST(WgslInstructions, TheMaskOfALiteralIsALiteral) {
  OneInstruction one;
  one.store(one.raw(RawOp::LShr, {one.load(0), one.raw(RawOp::And, {one.constant(40), one.constant(31)})}));
  EXPECT_THAT(one.text(),
              AllOf(HasSubstr("let n8 = 8u;\n"), HasSubstr("= v0 >> n8;\n"), Not(HasSubstr("n40"))));
}

TEST(WgslInstructions, WhatIsNotUsedIsNotThere) {
  OneInstruction one;
  const Value a = one.load(0);
  one.raw(RawOp::Not, {a});
  one.store(one.constant(3));
  EXPECT_THAT(one.text(), AllOf(Not(HasSubstr("v0")), Not(HasSubstr("v1")), HasSubstr("b_out[n0] = n3;\n")));
}

using AtomicRow = spec::Row<Op, const char*>;
constexpr auto kAtomicRows = std::to_array<AtomicRow>({
    {Op::AtomicAdd, "atomicAdd"},
    {Op::AtomicOr, "atomicOr"},
    {Op::AtomicAnd, "atomicAnd"},
    {Op::AtomicXor, "atomicXor"},
    {Op::AtomicMin, "atomicMin"},
    {Op::AtomicMax, "atomicMax"},
    {Op::AtomicExchange, "atomicExchange"},
});

TEST(WgslInstructions, EachAtomic) {
  for (const auto& [op, function] : kAtomicRows) {
    const std::string call = std::string(function) + "(&b_out[n1], n2);\n";
    for (const bool used : {false, true}) {
      OneInstruction one;
      const Value before =
          one.put({.kind = InstKind::RawAtomic, .op = op, .target = 1}, {one.constant(1), one.constant(2)});
      if (used) one.store(before);
      EXPECT_THAT(one.text(), HasSubstr(used ? "  let v0 = " + call : "\n  " + call)) << function;
      // A plain store does not go with it.
      EXPECT_THAT(one.text(), HasSubstr("b_out: array<atomic<u32>>;"));
      if (used) EXPECT_THAT(one.text(), HasSubstr("  atomicStore(&b_out[n0], v0);\n"));
    }
  }
}

TEST(WgslInstructions, CompareExchangeIsTriedAgainUntilItFailsForAReason) {
  // WGSL, "atomicCompareExchangeWeak": it may fail though the word is the expected one.
  const auto text = [](bool used) {
    OneInstruction one;
    const Value before = one.put({.kind = InstKind::RawAtomic, .op = Op::AtomicCompareExchange, .target = 1},
                                 {one.constant(1), one.constant(2), one.constant(3)});
    if (used) one.store(before);
    return one.text();
  };
  EXPECT_THAT(text(true), HasSubstr(R"(
  var v0: u32;
  loop {
    let turn = atomicCompareExchangeWeak(&b_out[n1], n2, n3);
    v0 = turn.old_value;
    if (turn.exchanged || (v0 != n2)) { break; }
  }
)"));
  EXPECT_THAT(text(false), AllOf(Not(HasSubstr("v0")),
                                 HasSubstr("if (turn.exchanged || (turn.old_value != n2)) { break; }")));
}

}  // namespace
}  // namespace vyre::lower
