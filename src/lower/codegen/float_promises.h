// What processors promise of arithmetic on f32 and f64, operator by operator: the table that a target's
// profile is made of.
//
// A row names the instruction that LLVM selects for a raw float operator and, on CPUs, the feature that it
// needs; without the feature LLVM would call a function of the C library, of which nothing is promised, so
// the operator is not given and legalization composes it of integers. What is given is exact: correctly
// rounded to nearest even, subnormals kept, in the mode that base/float_environment.h sets. 32-bit x86 is not
// among the processors: there LLVM may compute in wider registers.
//
// Sources  Intel SDM volume 1, 4.8 and 11.5, and volume 2 of each instruction; Arm Architecture Reference
//          Manual, A1.5 "Floating-point support"; PTX ISA, 9.7.3 "Floating Point Instructions", 9.7.9.21
//          "cvt"; LLVM language reference, "Floating-Point Environment": what LLVM itself may change is the
//          payload of a NaN.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "lower/kernel.h"

namespace vyre::lower {

struct FloatInstruction {
  RawOp op;
  std::string_view x86_64, x86_64_feature;  // the feature as LLVM names it; empty: every x86-64 has it
  std::string_view aarch64;                 // all in the base architecture
  std::string_view ptx;                     // all from sm_70 on
};
inline constexpr auto kFloatInstructions = std::to_array<FloatInstruction>({
    {RawOp::FAdd, "addss", "", "fadd", "add.rn.f32"},
    {RawOp::FSub, "subss", "", "fsub", "sub.rn.f32"},
    {RawOp::FMul, "mulss", "", "fmul", "mul.rn.f32"},
    {RawOp::FDiv, "divss", "", "fdiv", "div.rn.f32"},
    {RawOp::FMulAdd, "vfmadd213ss", "fma", "fmadd", "fma.rn.f32"},
    {RawOp::FSqrt, "sqrtss", "", "fsqrt", "sqrt.rn.f32"},
    {RawOp::FFloor, "roundss", "sse4.1", "frintm", "cvt.rmi.f32.f32"},
    {RawOp::FCeil, "roundss", "sse4.1", "frintp", "cvt.rpi.f32.f32"},
    {RawOp::FRound, "roundss", "sse4.1", "frintn", "cvt.rni.f32.f32"},
    {RawOp::FTrunc, "roundss", "sse4.1", "frintz", "cvt.rzi.f32.f32"},
    {RawOp::FEq, "ucomiss", "", "fcmp", "setp.eq.f32"},
    {RawOp::FLt, "ucomiss", "", "fcmp", "setp.lt.f32"},
    {RawOp::FLe, "ucomiss", "", "fcmp", "setp.le.f32"},
    {RawOp::FFromS32, "cvtsi2ss", "", "scvtf", "cvt.rn.f32.s32"},
    {RawOp::FFromU32, "cvtsi2ss", "", "ucvtf", "cvt.rn.f32.u32"},
    {RawOp::FToS32, "cvttss2si", "", "fcvtzs", "cvt.rzi.s32.f32"},
    {RawOp::FToU32, "cvttss2si", "", "fcvtzu", "cvt.rzi.u32.f32"},
    {RawOp::FFromF16, "vcvtph2ps", "f16c", "fcvt", "cvt.f32.f16"},
    {RawOp::FToF16, "vcvtps2ph", "f16c", "fcvt", "cvt.rn.f16.f32"},
    {RawOp::FWideMulAdd, "mulsd, addsd, cvtsd2ss", "", "fmul, fadd, fcvt",
     "mul.rn.f64, add.rn.f64, cvt.rn.f32.f64"},
    {RawOp::FWideLow, "mulsd, addsd", "", "fmul, fadd", "mul.rn.f64, add.rn.f64"},
    {RawOp::WideOf, "movq", "", "fmov", "mov.b64"},
    {RawOp::WideLow, "movq", "", "fmov", "mov.b64"},
    {RawOp::WideHigh, "movq", "", "fmov", "mov.b64"},
    {RawOp::WideSelect, "blend", "", "fcsel", "selp.f64"},
    {RawOp::WideFrom, "cvtss2sd", "", "fcvt", "cvt.f64.f32"},
    {RawOp::WideTo, "cvtsd2ss", "", "fcvt", "cvt.rn.f32.f64"},
    {RawOp::WideAdd, "addsd", "", "fadd", "add.rn.f64"},
    {RawOp::WideSub, "subsd", "", "fsub", "sub.rn.f64"},
    {RawOp::WideMul, "mulsd", "", "fmul", "mul.rn.f64"},
    {RawOp::WideMulAdd, "vfmadd213sd", "fma", "fmadd", "fma.rn.f64"},
    {RawOp::WideDiv, "divsd", "", "fdiv", "div.rn.f64"},
    {RawOp::WideSqrt, "sqrtsd", "", "fsqrt", "sqrt.rn.f64"},
});
// Total: a raw float operator without a row would be promised nowhere, unnoticed. FInverseSqrt
// is meant to be: its instructions (rsqrtss, frsqrte, rsqrt.approx) are estimates. Those of BF16 are promised
// by ptx_promises() alone: x86-64's (vcvtneps2bf16) flush subnormals.
static_assert([] {
  size_t floats = 0;
  for (const RawOpInfo& info : kRawOps) {
    const bool promised = info.is_float && info.op != RawOp::FInverseSqrt && !is_bfloat(info.op);
    floats += promised ? 1 : 0;
  }
  return floats == kFloatInstructions.size();
}());

/// What a CPU promises. `has` is asked for features as LLVM names them. Other architectures than those of the
/// table promise nothing.
FloatPromises cpu_promises(std::string_view architecture, const std::function<bool(std::string_view)>& has);

/// The target for which code of this host is legalized: kLlvmTarget with what this CPU promises.
const Target& host_target();

}  // namespace vyre::lower
