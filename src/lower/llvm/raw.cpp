#include "lower/llvm/raw.h"

#include <llvm/IR/Intrinsics.h>

#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::lower {
namespace {

using Builder = llvm::IRBuilder<>;
using Ir = llvm::Value*;

// Words as f32 and back; between two operators the pair vanishes. No fast-math flag is ever set, and nothing
// here may be contracted: audit() holds modules to that.
Ir real(Builder& b, Ir word) { return b.CreateBitCast(word, b.getFloatTy()); }
Ir word(Builder& b, Ir real) { return b.CreateBitCast(real, b.getInt32Ty()); }

template <llvm::Instruction::BinaryOps op>
Ir arithmetic(Builder& b, const RawOperands& o) {
  return word(b, b.CreateBinOp(op, real(b, o.a), real(b, o.b)));
}
template <llvm::Intrinsic::ID id>
Ir function(Builder& b, const RawOperands& o) {
  return word(b, b.CreateUnaryIntrinsic(id, real(b, o.a)));
}
template <llvm::CmpInst::Predicate predicate>
Ir comparison(Builder& b, const RawOperands& o) {
  return b.CreateFCmp(predicate, real(b, o.a), real(b, o.b));
}

/// An f32 from 16 bits of this type in the low half of a word, and back.
Ir extended(Builder& b, Ir from, llvm::Type* half) {
  Ir number = b.CreateBitCast(b.CreateTrunc(from, b.getInt16Ty()), half);
  return word(b, b.CreateFPExt(number, b.getFloatTy()));
}
Ir truncated(Builder& b, Ir from, llvm::Type* half) {
  Ir number = b.CreateFPTrunc(real(b, from), half);
  return b.CreateZExt(b.CreateBitCast(number, b.getInt16Ty()), b.getInt32Ty());
}

/// a * b + c as doubles, two operators; of equal ones an optimiser leaves one.
Ir wide_sum(Builder& b, const RawOperands& o) {
  const auto wide = [&](Ir word) { return b.CreateFPExt(real(b, word), b.getDoubleTy()); };
  Ir product = b.CreateFMul(wide(o.a), wide(o.b));
  return b.CreateFAdd(product, wide(o.c));
}

// Wide values are doubles from the operator that makes them to those that take them.
template <llvm::Instruction::BinaryOps op>
Ir wide_arithmetic(Builder& b, const RawOperands& o) {
  return b.CreateBinOp(op, o.a, o.b);
}
Ir long_of(Builder& b, const RawOperands& o) {
  Ir high = b.CreateShl(b.CreateZExt(o.b, b.getInt64Ty()), 32);
  return b.CreateOr(high, b.CreateZExt(o.a, b.getInt64Ty()));
}
Ir wide_of(Builder& b, const RawOperands& o) { return b.CreateBitCast(long_of(b, o), b.getDoubleTy()); }
Ir wide_word(Builder& b, const RawOperands& o, uint32_t from) {
  Ir bits = b.CreateBitCast(o.a, b.getInt64Ty());
  return b.CreateTrunc(from == 0 ? bits : b.CreateLShr(bits, from), b.getInt32Ty());
}

// Long values are integers of 64 bits.
template <llvm::Instruction::BinaryOps op>
Ir long_arithmetic(Builder& b, const RawOperands& o) {
  return b.CreateBinOp(op, o.a, o.b);
}
template <llvm::CmpInst::Predicate predicate>
Ir long_comparison(Builder& b, const RawOperands& o) {
  return b.CreateICmp(predicate, o.a, o.b);
}
Ir long_word(Builder& b, Ir a) { return b.CreateTrunc(a, b.getInt32Ty()); }

// A row may give a word or, for a comparison, one bit. No flag (nsw, exact, fast) is ever set: raw operators
// wrap.
using EmitRaw = Ir (*)(Builder&, const RawOperands&);
using RawRow = spec::Row<RawOp, EmitRaw>;
constexpr auto kRawRows = std::to_array<RawRow>({
    {RawOp::Add, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateAdd(o.a, o.b); }},
    {RawOp::Sub, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateSub(o.a, o.b); }},
    {RawOp::Mul, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateMul(o.a, o.b); }},
    {RawOp::UMulHi,
     [](Builder& b, const RawOperands& o) -> Ir {
       Ir product = b.CreateMul(b.CreateZExt(o.a, b.getInt64Ty()), b.CreateZExt(o.b, b.getInt64Ty()));
       return b.CreateTrunc(b.CreateLShr(product, 32), b.getInt32Ty());
     }},
    {RawOp::UDiv, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateUDiv(o.a, o.b); }},
    {RawOp::URem, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateURem(o.a, o.b); }},
    {RawOp::SDiv, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateSDiv(o.a, o.b); }},
    {RawOp::SRem, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateSRem(o.a, o.b); }},
    {RawOp::And, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateAnd(o.a, o.b); }},
    {RawOp::Or, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateOr(o.a, o.b); }},
    {RawOp::Xor, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateXor(o.a, o.b); }},
    {RawOp::Not, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateNot(o.a); }},
    {RawOp::Shl, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateShl(o.a, o.b); }},
    {RawOp::LShr, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateLShr(o.a, o.b); }},
    {RawOp::AShr, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateAShr(o.a, o.b); }},
    {RawOp::Popcount,
     [](Builder& b, const RawOperands& o) -> Ir {
       return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, o.a);
     }},
    {RawOp::Clz,
     [](Builder& b, const RawOperands& o) -> Ir {
       return b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, o.a, b.getTrue());
     }},
    {RawOp::Ctz,
     [](Builder& b, const RawOperands& o) -> Ir {
       return b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, o.a, b.getTrue());
     }},
    {RawOp::ReverseBits,
     [](Builder& b,
        const RawOperands& o) -> Ir { return b.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, o.a); }},
    {RawOp::Eq, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateICmpEQ(o.a, o.b); }},
    {RawOp::Ne, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateICmpNE(o.a, o.b); }},
    {RawOp::ULt, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateICmpULT(o.a, o.b); }},
    {RawOp::ULe, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateICmpULE(o.a, o.b); }},
    {RawOp::SLt, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateICmpSLT(o.a, o.b); }},
    {RawOp::SLe, [](Builder& b, const RawOperands& o) -> Ir { return b.CreateICmpSLE(o.a, o.b); }},
    {RawOp::Select,
     [](Builder& b, const RawOperands& o) -> Ir { return b.CreateSelect(o.condition, o.b, o.c); }},
    {RawOp::FAdd, &arithmetic<llvm::Instruction::FAdd>},
    {RawOp::FSub, &arithmetic<llvm::Instruction::FSub>},
    {RawOp::FMul, &arithmetic<llvm::Instruction::FMul>},
    {RawOp::FDiv, &arithmetic<llvm::Instruction::FDiv>},
    {RawOp::FMulAdd,
     [](Builder& b, const RawOperands& o) -> Ir {
       Ir fused = b.CreateIntrinsic(b.getFloatTy(), llvm::Intrinsic::fma,
                                    {real(b, o.a), real(b, o.b), real(b, o.c)});
       return word(b, fused);
     }},
    {RawOp::FSqrt, &function<llvm::Intrinsic::sqrt>},
    // Rounded twice: no target is given it (lower/codegen/float_promises.h).
    {RawOp::FInverseSqrt,
     [](Builder& b, const RawOperands& o) -> Ir {
       Ir root = b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, real(b, o.a));
       return word(b, b.CreateFDiv(llvm::ConstantFP::get(b.getFloatTy(), 1), root));
     }},
    {RawOp::FFloor, &function<llvm::Intrinsic::floor>},
    {RawOp::FCeil, &function<llvm::Intrinsic::ceil>},
    {RawOp::FRound, &function<llvm::Intrinsic::roundeven>},
    {RawOp::FTrunc, &function<llvm::Intrinsic::trunc>},
    {RawOp::FEq, &comparison<llvm::CmpInst::FCMP_OEQ>},
    {RawOp::FLt, &comparison<llvm::CmpInst::FCMP_OLT>},
    {RawOp::FLe, &comparison<llvm::CmpInst::FCMP_OLE>},
    {RawOp::FFromS32,
     [](Builder& b, const RawOperands& o) -> Ir { return word(b, b.CreateSIToFP(o.a, b.getFloatTy())); }},
    {RawOp::FFromU32,
     [](Builder& b, const RawOperands& o) -> Ir { return word(b, b.CreateUIToFP(o.a, b.getFloatTy())); }},
    // Outside the raw operators' domain these two would be poison.
    {RawOp::FToS32,
     [](Builder& b, const RawOperands& o) -> Ir { return b.CreateFPToSI(real(b, o.a), b.getInt32Ty()); }},
    {RawOp::FToU32,
     [](Builder& b, const RawOperands& o) -> Ir { return b.CreateFPToUI(real(b, o.a), b.getInt32Ty()); }},
    {RawOp::FFromF16,
     [](Builder& b, const RawOperands& o) -> Ir { return extended(b, o.a, b.getHalfTy()); }},
    {RawOp::FToF16,
     [](Builder& b, const RawOperands& o) -> Ir { return truncated(b, o.a, b.getHalfTy()); }},
    {RawOp::FFromBF16,
     [](Builder& b, const RawOperands& o) -> Ir { return extended(b, o.a, b.getBFloatTy()); }},
    {RawOp::FToBF16,
     [](Builder& b, const RawOperands& o) -> Ir { return truncated(b, o.a, b.getBFloatTy()); }},
    {RawOp::FWideMulAdd,
     [](Builder& b, const RawOperands& o) -> Ir {
       return word(b, b.CreateFPTrunc(wide_sum(b, o), b.getFloatTy()));
     }},
    {RawOp::FWideLow,
     [](Builder& b, const RawOperands& o) -> Ir {
       return b.CreateTrunc(b.CreateBitCast(wide_sum(b, o), b.getInt64Ty()), b.getInt32Ty());
     }},
    {RawOp::WideOf, &wide_of},
    {RawOp::WideLow, [](Builder& b, const RawOperands& o) -> Ir { return wide_word(b, o, 0); }},
    {RawOp::WideHigh, [](Builder& b, const RawOperands& o) -> Ir { return wide_word(b, o, 32); }},
    {RawOp::WideSelect,
     [](Builder& b, const RawOperands& o) -> Ir { return b.CreateSelect(o.condition, o.b, o.c); }},
    {RawOp::WideFrom,
     [](Builder& b, const RawOperands& o) -> Ir { return b.CreateFPExt(real(b, o.a), b.getDoubleTy()); }},
    {RawOp::WideTo,
     [](Builder& b, const RawOperands& o) -> Ir { return word(b, b.CreateFPTrunc(o.a, b.getFloatTy())); }},
    {RawOp::WideAdd, &wide_arithmetic<llvm::Instruction::FAdd>},
    {RawOp::WideSub, &wide_arithmetic<llvm::Instruction::FSub>},
    {RawOp::WideMul, &wide_arithmetic<llvm::Instruction::FMul>},
    {RawOp::WideMulAdd,
     [](Builder& b, const RawOperands& o) -> Ir {
       return b.CreateIntrinsic(b.getDoubleTy(), llvm::Intrinsic::fma, {o.a, o.b, o.c});
     }},
    {RawOp::WideDiv, &wide_arithmetic<llvm::Instruction::FDiv>},
    {RawOp::WideSqrt,
     [](Builder& b, const RawOperands& o) -> Ir {
       return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, o.a);
     }},
    {RawOp::LongOf, &long_of},
    {RawOp::LongLow, [](Builder& b, const RawOperands& o) -> Ir { return long_word(b, o.a); }},
    {RawOp::LongHigh,
     [](Builder& b, const RawOperands& o) -> Ir { return long_word(b, b.CreateLShr(o.a, 32)); }},
    {RawOp::LongSelect,
     [](Builder& b, const RawOperands& o) -> Ir { return b.CreateSelect(o.condition, o.b, o.c); }},
    {RawOp::LongAdd, &long_arithmetic<llvm::Instruction::Add>},
    {RawOp::LongSub, &long_arithmetic<llvm::Instruction::Sub>},
    {RawOp::LongMul, &long_arithmetic<llvm::Instruction::Mul>},
    {RawOp::LongUMulHi,
     [](Builder& b, const RawOperands& o) -> Ir {
       Ir product = b.CreateMul(b.CreateZExt(o.a, b.getInt128Ty()), b.CreateZExt(o.b, b.getInt128Ty()));
       return b.CreateTrunc(b.CreateLShr(product, 64), b.getInt64Ty());
     }},
    {RawOp::LongUDiv, &long_arithmetic<llvm::Instruction::UDiv>},
    {RawOp::LongURem, &long_arithmetic<llvm::Instruction::URem>},
    {RawOp::LongAnd, &long_arithmetic<llvm::Instruction::And>},
    {RawOp::LongOr, &long_arithmetic<llvm::Instruction::Or>},
    {RawOp::LongXor, &long_arithmetic<llvm::Instruction::Xor>},
    {RawOp::LongShl,
     [](Builder& b, const RawOperands& o) -> Ir {
       return b.CreateShl(o.a, b.CreateZExt(o.b, b.getInt64Ty()));
     }},
    {RawOp::LongLShr,
     [](Builder& b, const RawOperands& o) -> Ir {
       return b.CreateLShr(o.a, b.CreateZExt(o.b, b.getInt64Ty()));
     }},
    {RawOp::LongPopcount,
     [](Builder& b, const RawOperands& o) -> Ir {
       return long_word(b, b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, o.a));
     }},
    {RawOp::LongClz,
     [](Builder& b, const RawOperands& o) -> Ir {
       return long_word(b, b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, o.a, b.getTrue()));
     }},
    {RawOp::LongCtz,
     [](Builder& b, const RawOperands& o) -> Ir {
       return long_word(b, b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, o.a, b.getTrue()));
     }},
    {RawOp::LongEq, &long_comparison<llvm::CmpInst::ICMP_EQ>},
    {RawOp::LongNe, &long_comparison<llvm::CmpInst::ICMP_NE>},
    {RawOp::LongULt, &long_comparison<llvm::CmpInst::ICMP_ULT>},
    {RawOp::LongULe, &long_comparison<llvm::CmpInst::ICMP_ULE>},
});
constexpr spec::TotalTable<kRawRows> kRaw;

// Atomics: the operation of an atomicrmw; compare-exchange is an instruction of its own.
constexpr bool is_rmw(spec::Op op) { return spec::is_atomic(op) && op != spec::Op::AtomicCompareExchange; }
using RmwRow = spec::Row<spec::Op, llvm::AtomicRMWInst::BinOp>;
constexpr auto kRmwRows = std::to_array<RmwRow>({
    {spec::Op::AtomicAdd, llvm::AtomicRMWInst::Add},
    {spec::Op::AtomicOr, llvm::AtomicRMWInst::Or},
    {spec::Op::AtomicAnd, llvm::AtomicRMWInst::And},
    {spec::Op::AtomicXor, llvm::AtomicRMWInst::Xor},
    {spec::Op::AtomicMin, llvm::AtomicRMWInst::UMin},
    {spec::Op::AtomicMax, llvm::AtomicRMWInst::UMax},
    {spec::Op::AtomicExchange, llvm::AtomicRMWInst::Xchg},
});
constexpr spec::TotalTable<kRmwRows, [](spec::Op op) { return is_rmw(op); }> kRmw;

}  // namespace

llvm::Value* emit_raw(llvm::IRBuilder<>& builder, RawOp op, const RawOperands& operands) {
  return kRaw[op](builder, operands);
}

llvm::AtomicRMWInst::BinOp rmw_of(spec::Op op) { return kRmw[op]; }

}  // namespace vyre::lower
