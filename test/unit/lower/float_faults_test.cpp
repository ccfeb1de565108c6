// Faults planted in legal kernels with floats: a guard dropped or moved, a promise believed that is not
// given, a NaN left as it is. Each must show, so that the silence of float_rules_test.cpp and nan_test.cpp
// means something.
#include <functional>

#include "float_cases.h"
#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(ReferenceInterpreter, "the semantic kernel, as there; that it differs");

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;
using spec::RoundingMode;

constexpr DataType kF32 = DataType::F32, kF16 = DataType::F16, kBF16 = DataType::BF16;
constexpr std::initializer_list<uint32_t> kNans = {0x7fc00000, 0x7e00, 0x7fc0};

Application operator_of(Op op, DataType type) {
  return {
      .op = op, .type = type, .result = spec::result_type(op, type), .operands = *spec::operand_count(op)};
}
Application cast_of(DataType from, DataType to, RoundingMode mode = RoundingMode::None) {
  return {.op = Op::Cast, .type = from, .result = to, .mode = mode};
}

enum class Outcome : uint8_t { Right, Wrong, OutOfDomain };

/// What becomes of the legal kernel under some choices, once `fault` has changed it.
Outcome outcome(const Application& a, const FloatPromises& floats,
                const std::function<void(Kernel&)>& fault) {
  const Run run = run_of(a, operands_of(a, 4000));
  const Kernel semantic = kernel_of(a, kWorkgroup);
  Kernel legal = legalize(semantic, {.name = floats.name, .floats = floats});
  fault(legal);
  const auto wanted = run_bytes(semantic, run.memory, run.groups);
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const auto got = run_bytes(legal, run.memory, run.groups, {.seed = seed});
    if (!got) return got.error().code == DiagCode::L001 ? Outcome::OutOfDomain : Outcome::Right;
    if (*got != *wanted) return Outcome::Wrong;
  }
  return Outcome::Right;
}

/// Every operand that is the constant `from` becomes `to`. False if there is none.
bool change_constant(Kernel& kernel, uint32_t from, uint32_t to) {
  bool found = false;
  for (Inst& inst : kernel.insts) {
    if (inst.kind != InstKind::Const || inst.imm != from) continue;
    inst.imm = to;
    found = true;
  }
  return found;
}

// Legalized for a target that promises IEEE 754, run on one that does not.
TEST(FloatFaults, PromisesThatAreNotKept) {
  struct Case {
    Application application;
    const FloatPromises& kept;
  };
  const Case cases[] = {
      {operator_of(Op::FMulAdd, kF32), kUnfusedFloats},
      {operator_of(Op::FDiv, kF32), kLooseDivisionFloats},
      {operator_of(Op::FSqrt, kF32), kLooseDivisionFloats},
      {operator_of(Op::FDiv, kBF16), kLooseDivisionFloats},
      {operator_of(Op::FSqrt, kF16), kLooseDivisionFloats},
      {operator_of(Op::FAdd, kF32), kFlushingFloats},
      {operator_of(Op::FSub, kF32), kFlushingFloats},
      {operator_of(Op::FMul, kF32), kFlushingFloats},
      {operator_of(Op::FDiv, kF32), kFlushingFloats},
      {operator_of(Op::FSqrt, kF32), kFlushingFloats},
      {operator_of(Op::FMulAdd, kF32), kFlushingFloats},
      {operator_of(Op::FFloor, kF32), kFlushingFloats},
      {operator_of(Op::FCeil, kF32), kFlushingFloats},
      {operator_of(Op::FEq, kF32), kFlushingFloats},
      {operator_of(Op::FLt, kF32), kFlushingFloats},
      {operator_of(Op::FGe, kF32), kFlushingFloats},
      {operator_of(Op::FMin, kF32), kFlushingFloats},
      {operator_of(Op::FMax, kF32), kFlushingFloats},
      {operator_of(Op::FAdd, kBF16), kFlushingFloats},
      {operator_of(Op::FMul, kBF16), kFlushingFloats},
      {operator_of(Op::FDiv, kBF16), kFlushingFloats},
      {operator_of(Op::FSqrt, kBF16), kFlushingFloats},
      {operator_of(Op::FLt, kBF16), kFlushingFloats},
      {operator_of(Op::FMul, kF16), kFlushingFloats},
      {cast_of(kF16, kF32), kFlushingFloats},
      {cast_of(kF32, kF16), kFlushingFloats},
      {cast_of(kF32, DataType::U32, RoundingMode::Ceil), kFlushingFloats},
      {cast_of(kF32, DataType::I32, RoundingMode::Floor), kFlushingFloats},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(outcome(c.application, kIeeeFloats, [&](Kernel& k) { k.floats = c.kept; }), Outcome::Wrong)
        << c.application.name() << " under " << c.kept.name;
    EXPECT_EQ(outcome(c.application, kIeeeFloats, [](Kernel&) {}), Outcome::Right) << c.application.name();
  }
}

// The branches of a guarded form, in which doubts are settled, are never taken.
TEST(FloatFaults, GuardsThatAreDropped) {
  const FloatPromises vulkan = vulkan_floats({.wide = true});
  for (const Op op : {Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FSqrt, Op::FMulAdd}) {
    uint32_t dropped = 0;
    const auto drop = [&](Kernel& k) {
      for (const Inst& inst : std::vector<Inst>(k.insts)) {
        if (inst.kind != InstKind::If) continue;
        const bool settles = std::ranges::any_of(k.block(inst.body), [&](Value v) {
          return k[v].kind == InstKind::Set && k.slots[k[v].target].name == "guarded";
        });
        if (!settles && k[k.block(inst.body).back()].kind != InstKind::If) continue;
        k.values[inst.args.first] = Value(uint32_t(k.insts.size()));
        k.insts.push_back({.kind = InstKind::Const, .type = DataType::U32});
        auto& entry = k.blocks[index(k.entry)];
        entry.insert(entry.begin(), Value(uint32_t(k.insts.size() - 1)));
        ++dropped;
      }
    };
    EXPECT_EQ(outcome(operator_of(op, kF32), vulkan, drop), Outcome::Wrong) << spec::mnemonic(op);
    EXPECT_GE(dropped, 1u);
  }
}

// A field of 16 is below that of 2^-101, where half a unit is 2^-126, and a subnormal of more is not nothing.
TEST(FloatFaults, TheGuardOfAddAPowerOfTwoLower) {
  for (const Op op : {Op::FAdd, Op::FSub}) {
    const auto lower = [](Kernel& k) { EXPECT_TRUE(change_constant(k, 32u << 23, 16u << 23)); };
    EXPECT_EQ(outcome(operator_of(op, kF32), kFlushingFloats, lower), Outcome::Wrong);
  }
}

// Guesses and wide sums believed to be right already.
TEST(FloatFaults, GuessesThatAreBelieved) {
  const FloatPromises vulkan = vulkan_floats({.wide = true});
  const auto believe = [&](RawOp op, RawOp instead) {
    return [=](Kernel& k) {
      uint32_t changed = 0;
      for (Inst& inst : k.insts) {
        if (inst.kind != InstKind::Raw || inst.raw != op) continue;
        inst.raw = instead;
        ++changed;
      }
      EXPECT_GE(changed, 1u);
    };
  };
  // Signed for unsigned, at the tests of what a guess leaves over; no low word of the sum.
  EXPECT_EQ(outcome(operator_of(Op::FDiv, kF32), vulkan, believe(RawOp::SLt, RawOp::ULt)), Outcome::Wrong);
  EXPECT_EQ(outcome(operator_of(Op::FSqrt, kF32), vulkan, believe(RawOp::SLt, RawOp::ULt)), Outcome::Wrong);
  EXPECT_EQ(outcome(operator_of(Op::FMulAdd, kF32), vulkan, believe(RawOp::FWideLow, RawOp::FWideMulAdd)),
            Outcome::Wrong);
}

TEST(FloatFaults, NansThatAreLeftAsTheyAre) {
  const auto leave = [](Kernel& k) {
    for (const Inst& inst : k.insts) {
      const auto nan = nan_of_select(k, inst, kNans);
      if (nan) k.values[inst.args.first + *nan] = k.values[inst.args.first + 3 - *nan];
    }
  };
  for (const DataType type : {kF32, kF16, kBF16}) {
    for (const Op op : {Op::FAdd, Op::FMul, Op::FDiv, Op::FSqrt, Op::FFloor, Op::FTrunc}) {
      EXPECT_EQ(outcome(operator_of(op, type), kIeeeFloats, leave), Outcome::Wrong)
          << spec::mnemonic(op) << " " << spec::text(type);
    }
  }
  for (const DataType from : {kF32, kF16, kBF16}) {
    for (const DataType to : {kF32, kF16, kBF16}) {
      if (from != to) EXPECT_EQ(outcome(cast_of(from, to), kIeeeFloats, leave), Outcome::Wrong);
    }
  }
  EXPECT_EQ(outcome(operator_of(Op::FMin, kF32), kIeeeFloats, leave), Outcome::Wrong);
}

// The raw conversion is reached by numbers that are no such integers.
TEST(FloatFaults, CastsWithoutTheirGuard) {
  for (const DataType from : {kF32, kBF16}) {
    for (const DataType to : {DataType::U32, DataType::I32}) {
      const auto unguard = [](Kernel& k) {
        for (const Inst& inst : k.insts) {
          if (inst.kind != InstKind::Raw || (inst.raw != RawOp::FToU32 && inst.raw != RawOp::FToS32))
            continue;
          const Inst& guarded = k[k.arg(inst, 0)];
          ASSERT_EQ(guarded.raw, RawOp::Select);
          k.values[inst.args.first] = k.arg(guarded, 1);
        }
      };
      EXPECT_EQ(outcome(cast_of(from, to, RoundingMode::Nearest), kIeeeFloats, unguard),
                Outcome::OutOfDomain);
    }
  }
}

// Rounding twice: through f32 first, where that is not innocuous.
TEST(FloatFaults, SumsThatRoundTwice) {
  // F16's fused multiply-add is a sum rounded to odd; without that step it is rounded twice.
  const auto to_nearest = [](Kernel& k) {
    for (const Inst& inst : k.insts) {
      if (inst.kind != InstKind::Raw || inst.raw != RawOp::FToF16) continue;
      const Inst& odd = k[k.arg(inst, 0)];
      if (odd.raw == RawOp::Add) k.values[inst.args.first] = k.arg(odd, 0);
    }
  };
  EXPECT_EQ(outcome(operator_of(Op::FMulAdd, kF16), kIeeeFloats, to_nearest), Outcome::Wrong);
  EXPECT_EQ(outcome(operator_of(Op::FAdd, kF16), kIeeeFloats, to_nearest), Outcome::Right);
}

// BF16 that truncates, or rounds ties away from zero.
TEST(FloatFaults, NarrowingThatRoundsOtherwise) {
  for (const uint32_t half : {0u, 0x8000u}) {
    const auto change = [&](Kernel& k) { EXPECT_TRUE(change_constant(k, 0x7fff, half)); };
    EXPECT_EQ(outcome(operator_of(Op::FAdd, kBF16), kIeeeFloats, change), Outcome::Wrong);
    EXPECT_EQ(outcome(cast_of(kF32, kBF16), kIeeeFloats, change), Outcome::Wrong);
  }
}

// Minimum and maximum by one comparison, as hardware has them: the second operand, whichever NaN or zero it
// is.
TEST(FloatFaults, MinimumByOneComparison) {
  for (const Op op : {Op::FMin, Op::FMax}) {
    for (const uint32_t kept :
         {0u, 1u}) {  // of the selects after the first: those against equal, against NaN
      const auto shorten = [&](Kernel& k) {
        uint32_t seen = 0;
        for (const Inst& inst : k.insts) {
          if (inst.kind != InstKind::Raw || inst.raw != RawOp::Select) continue;
          if (k[k.arg(inst, 0)].raw != RawOp::FEq || nan_of_select(k, inst, kNans)) continue;
          // select(equal, merged, one): one. select(number, result, a): result.
          const uint32_t taken = seen == 0 ? 2 : 1;
          if (seen++ != kept) k.values[inst.args.first + 3 - taken] = k.values[inst.args.first + taken];
        }
        EXPECT_EQ(seen, 2u);
      };
      EXPECT_EQ(outcome(operator_of(op, kF32), kIeeeFloats, shorten), Outcome::Wrong) << spec::mnemonic(op);
    }
  }
}

}  // namespace
}  // namespace vyre::lower
