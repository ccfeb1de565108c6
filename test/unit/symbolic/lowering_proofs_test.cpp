// Legalization, proved; and bugs planted in legal kernels, each refuted by inputs that show it.
#include "symbolic/lowering.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "operator_counts.h"
#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(Property,
            "the formulas of symbolic/operators.h, which are held against ref::eval elsewhere; of a witness "
            "the evaluation of both sides");

namespace vyre::symbolic {
namespace {

using lower::Inst;
using lower::InstKind;
using lower::Kernel;
using lower::RawOp;
using lower::Value;
using solver::Outcome;
using spec::DataType;
using spec::Op;

CodeProver& prover() {
  static CodeProver one({.limits = {.seconds = 60}, .smallest = false});
  return one;
}

TEST(LoweringProofs, OperatorsOfOneWordAreLegalizedRight) {
  constexpr std::array kWords = {DataType::U32, DataType::I32};
  size_t asked = 0;
  for (const spec::OpInfo& op : spec::kOps) {
    if (!spec::is_scalar(op.op) || op.effect != spec::Effect::Pure || !op.types.contains(DataType::U32))
      continue;
    for (const DataType type : kWords) {
      if (!op.types.contains(type)) continue;
      for (const lower::Target& target : legalized_targets()) {
        const LoweringProof row = prove_legalize(prover(), operator_program(op.op, type), target);
        EXPECT_EQ(row.proof.outcome, Outcome::Proved)
            << row.operation << " " << row.subject << ": " << row.proof.reason;
        ++asked;
      }
    }
  }
  EXPECT_EQ(asked, operator_counts::scalar_of(kWords) * legalized_targets().size());
}

/// What has a product of two words in full, and no integers of 64 bits.
constexpr lower::Target kInWords = [] {
  lower::Target out = lower::kPtxTarget;
  out.has_64bit_integers = false;
  return out;
}();

TEST(LoweringProofs, SumsOfTwoWordsCarry) {
  for (const Op op : {Op::Add, Op::Sub, Op::Mul, Op::Lt, Op::Eq}) {
    const LoweringProof row = prove_legalize(prover(), operator_program(op, DataType::U64), kInWords);
    EXPECT_EQ(row.proof.outcome, Outcome::Proved) << row.operation << ": " << row.proof.reason;
  }
}

TEST(LoweringProofs, OperatorsOfALongValueAreLegalizedRight) {
  size_t asked = 0;
  for (const spec::OpInfo& op : spec::kOps) {
    if (!spec::is_scalar(op.op) || op.effect != spec::Effect::Pure || !op.types.contains(DataType::U64))
      continue;
    const LoweringProof row =
        prove_legalize(prover(), operator_program(op.op, DataType::U64), lower::kLlvmTarget);
    EXPECT_EQ(row.proof.outcome, Outcome::Proved) << row.operation << ": " << row.proof.reason;
    EXPECT_TRUE(row.theorem.empty()) << row.operation;
    ++asked;
  }
  EXPECT_EQ(asked, operator_counts::scalar(DataType::U64));
}
TEST(LoweringProofs, SumsOfTwoLongValuesCarry) {
  for (const Op op : {Op::Add, Op::Sub, Op::Negate, Op::Lt, Op::Ge, Op::Eq, Op::Shl, Op::Shr, Op::Clz}) {
    const LoweringProof row =
        prove_legalize(prover(), operator_program(op, DataType::U128), lower::kLlvmTarget);
    EXPECT_EQ(row.proof.outcome, Outcome::Proved) << row.operation << ": " << row.proof.reason;
  }
}

// A loop whose count is not known is read by a theorem or not at all.
TEST(LoweringProofs, WhatCannotBeReadIsOpenAndSaysWhy) {
  VYRE_ORACLE(SpecificationTable,
              "the formulas of symbolic/operators.h, which are held against ref::eval elsewhere; of a "
              "witness the evaluation of both sides");
  const ScalarProgram program = operator_program(Op::Div, DataType::U64);
  smt::Pool pool;
  Memory memory(pool, buffers_of(program.kernel));
  const auto code = read(pool, memory, lower::legalize(program.kernel, kInWords));
  ASSERT_FALSE(code.has_value());
  EXPECT_EQ(code.error(), "it has a loop whose bounds are not numbers");
  const ops::Operation* const gcd = ops::find_operation("primitive.math.gcd");
  ASSERT_NE(gcd, nullptr);
  const LoweringProof row = prove_legalize(prover(), operation_program(*gcd), lower::kLlvmTarget);
  EXPECT_EQ(row.proof.outcome, Outcome::Open);
  EXPECT_EQ(row.proof.reason, "a loop");
}

// ---- Planted bugs -----------------------------------------------------------------------------------------

struct Bug {
  const char* what;
  Op op;
  DataType type;
  std::function<bool(Kernel&)> plant;  // false: the place was not found
  lower::Target target = kInWords;
};

/// Changes the nth raw operator of that kind.
std::function<bool(Kernel&)> change(RawOp op, const std::function<void(Kernel&, Inst&)>& how, int which = 0) {
  return [=](Kernel& k) {
    int n = 0;
    for (Inst& inst : k.insts) {
      if (inst.kind != InstKind::Raw || inst.raw != op || n++ != which) continue;
      how(k, inst);
      return true;
    }
    return false;
  };
}
std::function<bool(Kernel&)> become(RawOp from, RawOp to, int which = 0) {
  return change(from, [to](Kernel&, Inst& inst) { inst.raw = to; }, which);
}
std::function<bool(Kernel&)> swap(RawOp op, uint32_t a, uint32_t b, int which = 0) {
  return change(
      op, [=](Kernel& k, Inst& i) { std::swap(k.values[i.args.first + a], k.values[i.args.first + b]); },
      which);
}
/// Every use of the nth such operator takes its operand instead, as if it were not there.
std::function<bool(Kernel&)> forget(RawOp op, uint32_t operand, int which = 0) {
  return [=](Kernel& k) {
    int n = 0;
    for (uint32_t v = 0; v < k.insts.size(); ++v) {
      if (k.insts[v].kind != InstKind::Raw || k.insts[v].raw != op || n++ != which) continue;
      const Value instead = k.arg(k.insts[v], operand);
      for (uint32_t user = v + 1; user < k.insts.size(); ++user)
        for (uint32_t i = 0; i < k.insts[user].args.count; ++i)
          if (Value& arg = k.values[k.insts[user].args.first + i]; arg == Value{v}) arg = instead;
      return true;
    }
    return false;
  };
}
std::function<bool(Kernel&)> constant(uint32_t from, uint32_t to) {
  return [=](Kernel& k) {
    for (Inst& inst : k.insts) {
      if (inst.kind != InstKind::Const || inst.imm != from) continue;
      inst.imm = to;
      return true;
    }
    return false;
  };
}
/// The guard of the store says nothing of its index.
bool store_unguarded(Kernel& k) {
  for (auto& block : k.blocks) {
    for (size_t n = 0; n < block.size(); ++n) {
      const Inst inst = k[block[n]];
      if (inst.kind != InstKind::If || k.block(inst.body).size() != 1) continue;
      const Value store = k.block(inst.body)[0];
      if (k[store].kind != InstKind::RawStore) continue;
      block[n] = store;
      return true;
    }
  }
  return false;
}

const std::vector<Bug>& bugs() {
  static const std::vector<Bug> all = {
      {"shift amount not masked, left", Op::Shl, DataType::U32, forget(RawOp::And, 0)},
      {"shift amount not masked, right", Op::Shr, DataType::U32, forget(RawOp::And, 0)},
      {"shift amount masked with 30", Op::Shl, DataType::U32, constant(31, 30)},
      {"shift amount masked with 63", Op::Shr, DataType::I32, constant(31, 63)},
      {"unsigned shift is signed", Op::Shr, DataType::U32, become(RawOp::LShr, RawOp::AShr)},
      {"signed shift is unsigned", Op::Shr, DataType::I32, become(RawOp::AShr, RawOp::LShr)},
      {"division unguarded", Op::Div, DataType::U32, forget(RawOp::Select, 2, 2)},
      {"division by zero gives the dividend", Op::Div, DataType::U32, forget(RawOp::Select, 2, 3)},
      {"remainder unguarded", Op::Mod, DataType::U32, forget(RawOp::Select, 2, 2)},
      {"remainder for quotient", Op::Div, DataType::U32, become(RawOp::UDiv, RawOp::URem)},
      {"MIN / -1 not guarded", Op::Div, DataType::I32, forget(RawOp::Or, 0)},
      {"MIN % -1 not guarded", Op::Mod, DataType::I32, forget(RawOp::Or, 0)},
      {"MIN / -1 guarded at the wrong MIN", Op::Div, DataType::I32, constant(0x80000000, 0x80000001)},
      {"signed quotient is unsigned", Op::Div, DataType::I32, become(RawOp::SDiv, RawOp::UDiv)},
      {"operands of a difference swapped", Op::Sub, DataType::U32, swap(RawOp::Sub, 0, 1)},
      {"operands of a division swapped", Op::Mod, DataType::U32, swap(RawOp::URem, 0, 1)},
      {"comparison unsigned", Op::Lt, DataType::I32, become(RawOp::SLt, RawOp::ULt)},
      {"comparison not swapped", Op::Ge, DataType::U32, swap(RawOp::ULe, 0, 1)},
      {"comparison loose", Op::Gt, DataType::I32, become(RawOp::SLt, RawOp::SLe)},
      {"sides of a choice swapped", Op::Clz, DataType::U32, swap(RawOp::Select, 1, 2, 3)},
      {"zeros of zero are 31", Op::Ctz, DataType::U32, constant(32, 31)},
      {"leading for trailing zeros", Op::Ctz, DataType::U32, become(RawOp::Ctz, RawOp::Clz)},
      {"truth not normalised", Op::And, DataType::U32, forget(RawOp::Ne, 0)},
      {"carry dropped", Op::Add, DataType::U64, forget(RawOp::Add, 0, 2)},
      {"borrow dropped", Op::Sub, DataType::U64, forget(RawOp::Sub, 0, 2)},
      {"store without guard", Op::Add, DataType::U32, store_unguarded},
      {"negation of one more", Op::Negate, DataType::I32, become(RawOp::Sub, RawOp::Xor)},
      {"guard of loads lets the length through", Op::Add, DataType::U32, become(RawOp::ULt, RawOp::ULe)},
      {"long division unguarded", Op::Div, DataType::U64, forget(RawOp::LongSelect, 2, 2), lower::kPtxTarget},
      {"long remainder for quotient", Op::Div, DataType::U64, become(RawOp::LongUDiv, RawOp::LongURem),
       lower::kPtxTarget},
      {"long shift amount masked with 31", Op::Shl, DataType::U64, constant(63, 31), lower::kPtxTarget},
      {"operands of a long difference swapped", Op::Sub, DataType::U64, swap(RawOp::LongSub, 0, 1),
       lower::kPtxTarget},
      {"long carry dropped", Op::Add, DataType::U128, forget(RawOp::LongAdd, 0, 2), lower::kPtxTarget},
      {"long borrow of the wrong sums", Op::Sub, DataType::U128, swap(RawOp::LongULt, 0, 1),
       lower::kPtxTarget},
  };
  return all;
}

TEST(LoweringProofs, PlantedBugsAreRefutedWithAWitness) {
  VYRE_ORACLE(SpecificationTable,
              "the formulas of symbolic/operators.h, which are held against ref::eval elsewhere; of a "
              "witness the evaluation of both sides");
  EXPECT_GE(bugs().size(), 25u);
  for (const Bug& bug : bugs()) {
    SCOPED_TRACE(bug.what);
    const ScalarProgram program = operator_program(bug.op, bug.type);
    Kernel legal = lower::legalize(program.kernel, bug.target);
    ASSERT_TRUE(bug.plant(legal)) << print(legal);
    smt::Pool pool;
    Memory memory(pool, buffers_of(program.kernel));
    const auto meaning = read(pool, memory, program.kernel);
    const auto code = read(pool, memory, legal);
    ASSERT_TRUE(meaning && code);
    const Equivalence claim = equivalent(pool, memory, *code, *meaning);
    const solver::Proof proof = prover().prove(pool, claim);
    EXPECT_EQ(proof.outcome, Outcome::Refuted) << proof.reason << "\n" << print(legal);
    if (proof.outcome != Outcome::Refuted) continue;
    EXPECT_EQ(smt::evaluate(pool, claim.holds, proof.witness), 0u);
  }
}

}  // namespace
}  // namespace vyre::symbolic
