// No rounding is lost on the way to machine code: the fused multiply-adds of the code are those that the
// program asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "fused_programs.h"
#include "lower/codegen/float_promises.h"
#include "lower/llvm/audit.h"
#include "lower/llvm/codegen.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "counts by hand: the kernel says how many there are; the machine code is read as text, as its "
            "assembler would");

namespace vyre::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

using test::fused_programs;
using test::FusedProgram;
using test::kernel_of;

struct Counts {
  size_t kernel, module, machine_code;
};
Counts counts_of(const Kernel& kernel, int level) {
  llvm::LLVMContext context;
  auto machine = std::move(*host_machine(level));
  llvm::Module module("m", context);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  EXPECT_TRUE(emit_cpu(kernel, module, "f", emit_options(level)));
  optimise(module, *machine, level);
  const auto strict = audit(module);
  EXPECT_TRUE(strict) << strict.error().message;
  Counts out{.kernel = count_fused(kernel), .module = count_fused(module, *machine)};
  out.machine_code = count_fused(*to_assembly(module, *machine));
  return out;
}

TEST(Fused, TheCpuFusesWhatIsAskedFor) {
  if (!host_target().floats[RawOp::FMulAdd].given) GTEST_SKIP() << "this CPU has no fused multiply-add";
  for (const FusedProgram& p : fused_programs()) {
    const Kernel kernel = kernel_of(p, host_target());
    const Counts plain = counts_of(kernel, 0), optimised = counts_of(kernel, 2);
    EXPECT_EQ(plain.kernel, p.fused) << p.name;
    EXPECT_EQ(plain.module, p.fused) << p.name;
    EXPECT_EQ(plain.machine_code, p.fused) << p.name;
    // Vectorised and in several copies.
    EXPECT_EQ(optimised.machine_code, optimised.module) << p.name;
    EXPECT_EQ(optimised.module == 0, p.fused == 0) << p.name;
  }
}

TEST(Fused, PtxFusesWhatIsAskedFor) {
  for (const FusedProgram& p : fused_programs()) {
    const Kernel kernel = kernel_of(p, kPtxTarget);
    for (const uint32_t sm : {70u, 90u}) {
      const auto ptx = emit_ptx(kernel, {.sm = sm});
      ASSERT_TRUE(ptx) << p.name << ptx.error().message;
      EXPECT_EQ(count_fused(ptx->text), p.fused) << p.name << ptx->text;
    }
  }
}

// Every operation on floats in PTX says how it rounds, or needs not: without .rn an assembler may fuse it.
TEST(Fused, PtxRoundsToNearestAndKeepsSubnormals) {
  const Kernel kernel = kernel_of({"", R"(let r = fsqrt(x / y + z) - x * y;
  r = r + ffloor(x) + fceil(y) + fround(z) + ftrunc(x) + cast<f32>(bitcast<u32>(x)) + cast<f32>(bitcast<i32>(y));
  r = r + cast<f32>(cast<u32, trunc>(x)) + cast<f32>(cast<i32, trunc>(x)) + fmul_add(x, y, z);
  r = r + cast<f32>(cast<f16>(x) + cast<f16>(y) * cast<f16>(z) / cast<f16>(x)) + cast<f32>(fsqrt(cast<f16>(y)));
  r = fmin(r, fmax(x, y));)",
                                   1},
                                  kPtxTarget);
  for (const PtxTarget target : ptx_targets()) {
    const auto ptx = emit_ptx(kernel, target);
    ASSERT_TRUE(ptx) << ptx.error().message;
    for (const char* wanted :
         {"add.rn.f32", "sub.rn.f32", "mul.rn.f32", "div.rn.f32", "sqrt.rn.f32", "fma.rn.f32"}) {
      EXPECT_THAT(ptx->text, HasSubstr(wanted));
    }
    for (const char* refused : {".ftz", ".approx", ".full", "mad.f32", "add.f32", "sub.f32", "mul.f32",
                                "div.f32", "sqrt.f32", "add.f16", "sub.f16", "mul.f16", "mad.f16", ".sat"}) {
      EXPECT_THAT(ptx->text, Not(HasSubstr(refused)));
    }
  }
}

TEST(Fused, TheCountReadsAssembly) {
  EXPECT_EQ(
      count_fused("\tvfmadd213ss\t%xmm0, %xmm1, %xmm2\n\tvmulss\t%xmm0, %xmm1, %xmm2\n# vfmadd\nvfmadd:\n"),
      1u);
  EXPECT_EQ(count_fused("\tfmadd\ts0, s1, s2, s3\n\tfmla\tv0.4s, v1.4s, v2.4s\n\tfmul\ts0, s1, s2"), 2u);
  EXPECT_EQ(count_fused("\tfma.rn.f32 \t%f4, %f1, %f2, %f3;\n\t@%p1 fma.rn.f32 %f4, %f1, %f2, %f3;\n"), 2u);
  EXPECT_EQ(count_fused("        /*0070*/                   FFMA R9, R2, R5, R6 ;\n"
                        "        /*0080*/              @!P0 FFMA R9, R2, R5, R6 ;\n"
                        "        /*0090*/                   FMUL R9, R2, R5 ;\n"),
            2u);
  EXPECT_EQ(count_fused(""), 0u);
}

/// One fused multiply-add where the kernel has none.
TEST(Fused, WhatIsContractedIsRefused) {
  const Kernel asked = kernel_of(fused_programs()[8], kLlvmTarget),
               none = kernel_of(fused_programs()[0], kLlvmTarget);
  llvm::LLVMContext context;
  auto machine = std::move(*host_machine(0));
  llvm::Module module("m", context);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  ASSERT_TRUE(emit_cpu(asked, module, "f", emit_options(0)));
  EXPECT_TRUE(check_fused({&asked, 1}, module, *machine));
  const auto refused = check_fused({&none, 1}, module, *machine);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::L003);
  llvm::Module empty("m", context);
  EXPECT_TRUE(check_fused({&none, 1}, empty, *machine, "\tvmulss %xmm0, %xmm1, %xmm2\n"));
  EXPECT_FALSE(check_fused({&none, 1}, empty, *machine, "\tvfmadd213ss %xmm0, %xmm1, %xmm2\n"));
}

}  // namespace
}  // namespace vyre::lower
