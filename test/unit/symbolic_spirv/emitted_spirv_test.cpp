// SPIR-V read back: every row and every scalar operation proved, and bugs planted in the words refuted.
#include "symbolic/spirv/emitted.h"

#include <gtest/gtest.h>
#include <spirv/unified1/spirv.hpp11>

#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(Property,
            "the operations' definitions, and raw operators' meanings on their domains (symbolic/kernel.h)");

namespace vyre::symbolic {
namespace {

using solver::Outcome;
using spec::DataType;
using Op = spec::Op;

CodeProver& prover() {
  static CodeProver one({.limits = {.seconds = 60}, .smallest = false});
  return one;
}
void expect_proved(const std::vector<LoweringProof>& rows, size_t at_least) {
  EXPECT_GE(rows.size(), at_least);
  for (const LoweringProof& row : rows)
    EXPECT_EQ(row.proof.outcome, Outcome::Proved)
        << row.operation << " " << row.subject << ": " << row.proof.reason;
}

TEST(EmittedSpirv, RowsMeanTheirOperators) { expect_proved(prove_raw_spirv(prover(), {}), 26); }

TEST(EmittedSpirv, OperatorsOfOneWord) {
  LoweringRequest request;
  request.wanted = [](std::string_view name) { return name.ends_with(" u32") || name.ends_with(" i32"); };
  expect_proved(prove_emitted_spirv(prover(), request), 50);
}

struct Bug {
  const char* what;
  Op op;
  DataType type;
  spv::Op from, to;
  bool swap = false;  // the last two operands too
};
const Bug kBugs[] = {
    {"difference for sum", Op::Add, DataType::U32, spv::Op::OpIAdd, spv::Op::OpISub},
    {"operands swapped", Op::Sub, DataType::U32, spv::Op::OpISub, spv::Op::OpISub, true},
    {"signed shift", Op::Shr, DataType::U32, spv::Op::OpShiftRightLogical, spv::Op::OpShiftRightArithmetic},
    {"mask missing", Op::Shl, DataType::U32, spv::Op::OpBitwiseAnd, spv::Op::OpBitwiseOr},
    {"signed division", Op::Div, DataType::U32, spv::Op::OpUDiv, spv::Op::OpSDiv},
    {"unsigned comparison", Op::Lt, DataType::I32, spv::Op::OpSLessThan, spv::Op::OpULessThan},
    {"remainder that Vulkan leaves open", Op::Mod, DataType::U32, spv::Op::OpUMod, spv::Op::OpSRem},
    {"bits turned for counted", Op::Popcount, DataType::U32, spv::Op::OpBitCount, spv::Op::OpBitReverse},
};

TEST(EmittedSpirv, PlantedBugsAreRefuted) {
  VYRE_ORACLE(
      SpecificationTable,
      "the operations' definitions, and raw operators' meanings on their domains (symbolic/kernel.h)");
  for (const Bug& bug : kBugs) {
    SCOPED_TRACE(bug.what);
    const ScalarProgram program = operator_program(bug.op, bug.type);
    auto words = emit_spirv(program);
    ASSERT_TRUE(words);
    bool found = false;
    for (size_t at = 5; at < words->size(); at += (*words)[at] >> 16) {
      uint32_t& head = (*words)[at];
      if ((head & 0xffff) != uint32_t(bug.from)) continue;
      head = (head & 0xffff0000) | uint32_t(bug.to);
      if (bug.swap) std::swap((*words)[at + 3], (*words)[at + 4]);
      found = true;
    }
    ASSERT_TRUE(found);
    EXPECT_EQ(prove_emitted(prover(), program, *words).outcome, Outcome::Refuted);
  }
}

TEST(EmittedSpirv, NoModuleIsRefused) {
  VYRE_ORACLE(
      SpecificationTable,
      "the operations' definitions, and raw operators' meanings on their domains (symbolic/kernel.h)");
  smt::Pool pool;
  Memory memory(pool, {});
  EXPECT_EQ(read(pool, memory, std::vector<uint32_t>{1, 2, 3}).error(), "no module of SPIR-V");
}

}  // namespace
}  // namespace vyre::symbolic
