// Whatever lets a code generator compute other than IEEE 754 is planted in a module and found. No program
// gives such a module, so each is written by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "lower/codegen/ptx.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "LLVM's language reference, \"Fast-Math Flags\", \"fpmath Metadata\", \"Function Attributes\"");

namespace vyre::lower {
namespace {

Result<void> audit_text(const std::string& text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  if (module == nullptr) throw std::logic_error(error.getMessage().str() + " in " + text);
  return audit(*module);
}

/// One instruction, %r, of float operands %x, %y and %z and pointers %p.
std::string around(const std::string& instruction, const std::string& attributes = "") {
  return R"(
    declare float @llvm.fmuladd.f32(float, float, float)
    declare float @llvm.fma.f32(float, float, float)
    declare float @llvm.sqrt.f32(float)
    declare float @llvm.fabs.f32(float)
    declare float @llvm.sin.f32(float)
    declare float @llvm.exp2.f32(float)
    declare float @llvm.minnum.f32(float, float)
    declare float @llvm.nvvm.sqrt.approx.f(float)
    declare float @llvm.nvvm.div.full(float, float)
    declare float @llvm.nvvm.fma.rn.ftz.f(float, float, float)
    declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)
    declare i32 @llvm.ctpop.i32(i32)
    declare float @elsewhere(float)
    define float @f(float %x, float %y, float %z, i32 %i, ptr %p) )" +
         attributes + " {\n  " + instruction + "\n  ret float %x\n}\n!0 = !{float 2.5}\n";
}

TEST(PtxAudit, StrictArithmeticPasses) {
  for (const char* good : {
           "%r = fadd float %x, %y",
           "%r = fmul float %x, %y",
           "%r = fdiv float %x, %y",
           "%r = fneg float %x",
           "%r = fcmp olt float %x, %y",
           "%r = fptrunc float %x to half",
           "%r = select i1 true, float %x, float %y",
           "%r = call float @llvm.fma.f32(float %x, float %y, float %z)",
           "%r = call float @llvm.sqrt.f32(float %x)",
           "%r = call float @llvm.fabs.f32(float %x)",
           "%r = call i32 @llvm.ctpop.i32(i32 %i)",
           "%r = load float, ptr %p",
       }) {
    const auto passed = audit_text(around(good));
    EXPECT_TRUE(passed) << good << ": " << passed.error().message;
  }
  EXPECT_TRUE(audit_text(around("", R"("denormal-fp-math"="ieee,ieee")")));
  EXPECT_TRUE(audit_text(around("", R"("unsafe-fp-math"="false")")));
}

TEST(PtxAudit, WhatIsPlantedIsFound) {
  for (const char* bad : {
           "%r = fadd fast float %x, %y",
           "%r = fadd contract float %x, %y",
           "%r = fmul reassoc float %x, %y",
           "%r = fmul nnan float %x, %y",
           "%r = fsub ninf float %x, %y",
           "%r = fneg nsz float %x",
           "%r = fdiv arcp float %x, %y",
           "%r = fcmp nnan olt float %x, %y",
           "%r = select nsz i1 true, float %x, float %y",
           "%r = call afn float @llvm.sqrt.f32(float %x)",
           "%r = fdiv float %x, %y, !fpmath !0",
           "%r = frem float %x, %y",
           "%r = call float @llvm.fmuladd.f32(float %x, float %y, float %z)",
           "%r = call float @llvm.sin.f32(float %x)",
           "%r = call float @llvm.exp2.f32(float %x)",
           "%r = call float @llvm.minnum.f32(float %x, float %y)",
           "%r = call float @llvm.nvvm.sqrt.approx.f(float %x)",
           "%r = call float @llvm.nvvm.div.full(float %x, float %y)",
           "%r = call float @llvm.nvvm.fma.rn.ftz.f(float %x, float %y, float %z)",
           "%r = call float @llvm.experimental.constrained.fadd.f32(float %x, float %y, "
           "metadata !\"round.upward\", metadata !\"fpexcept.ignore\") strictfp",
           "%r = call float @elsewhere(float %x)",
           "%r = call float %p(float %x)",
           "%r = call float asm \"sqrt.approx.f32 $0, $1;\", \"=f,f\"(float %x)",
       }) {
    const auto found = audit_text(around(bad));
    ASSERT_FALSE(found) << bad;
    EXPECT_EQ(found.error().code, DiagCode::L003) << bad;
    EXPECT_THAT(found.error().message, testing::HasSubstr("in f:")) << bad;
  }
  for (const char* bad :
       {R"("unsafe-fp-math"="true")", R"("no-nans-fp-math"="true")", R"("approx-func-fp-math"="true")",
        R"("denormal-fp-math"="preserve-sign,preserve-sign")",
        R"("denormal-fp-math-f32"="positive-zero,ieee")", R"("denormal-fp-math"="dynamic,dynamic")"}) {
    const auto found = audit_text(around("%r = fadd float %x, %y", bad));
    ASSERT_FALSE(found) << bad;
    EXPECT_EQ(found.error().code, DiagCode::L003) << bad;
  }
}

}  // namespace
}  // namespace vyre::lower
