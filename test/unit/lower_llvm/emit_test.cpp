#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <filesystem>

#include "golden.h"
#include "lower/kernel.h"
#include "lower/llvm/audit.h"
#include "lower/llvm/codegen.h"
#include "oracle.h"
#include "two_products.h"

VYRE_ORACLE(SpecificationTable,
            "the design, sections 3.2 and 3.3, explain L003, and the rules of LLVM's verifier");

namespace vyre::lower {
namespace {

namespace fs = std::filesystem;

Kernel kernel_of(std::string_view text) { return legalize(build(test::checked(text)), kLlvmTarget); }

/// The programs of test/compare and all examples.
std::vector<Kernel> many_kernels() {
  std::vector<Kernel> out;
  for (const auto& [name, program] : test::programs_in({"test/compare", "examples"}))
    out.push_back(legalize(build(*program), kLlvmTarget));
  return out;
}

bool has_floats(const Kernel& kernel) {
  return std::ranges::any_of(kernel.insts,
                             [](const Inst& i) { return i.kind == InstKind::Raw && info(i.raw).is_float; });
}

/// What emitted code may never have, as a list of complaints.
std::string complaints(const llvm::Module& module, bool floats = false) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (const auto strict = audit(module); !strict) out << strict.error().message << "\n";
  if (llvm::verifyModule(module, &out)) out << "refused by the verifier\n";
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() && !function.isIntrinsic())
      out << "external: " << function.getName() << "\n";
    for (const llvm::BasicBlock& block : function) {
      for (const llvm::Instruction& inst : block) {
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) {
          const llvm::Function* callee = call->getCalledFunction();
          if (callee == nullptr) {
            out << "indirect call: " << inst << "\n";
          } else if (!callee->isIntrinsic()) {
            out << "call of " << callee->getName() << "\n";
          }
        }
        if (llvm::isa<llvm::IndirectBrInst>(inst)) out << "indirect branch\n";
        if (llvm::isa<llvm::FPMathOperator>(inst) && inst.getFastMathFlags().any())
          out << "fast math: " << inst << "\n";
        if (!floats && inst.getType()->isFPOrFPVectorTy()) out << "a float: " << inst << "\n";
        if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst)) {
          if (rmw->getOrdering() != llvm::AtomicOrdering::Monotonic) out << "ordering: " << inst << "\n";
        }
        if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst)) {
          if (exchange->isWeak()) out << "weak: " << inst << "\n";
        }
      }
    }
  }
  return text;
}

TEST(Emit, CodeHasNoIndirectCallAndNothingExternal) {
  // DESIGN 3.2 and 3.3, and LLVM's verifier: no dispatch at run time, nothing external, no fast math.
  for (const Kernel& kernel : many_kernels()) {
    for (const int level : {0, 2}) {
      llvm::LLVMContext context;
      auto machine = host_machine(level);
      ASSERT_TRUE(machine);
      llvm::Module module(kernel.name, context);
      module.setTargetTriple((*machine)->getTargetTriple().str());
      module.setDataLayout((*machine)->createDataLayout());
      const auto emitted = emit_cpu(kernel, module, "entry", emit_options(level));
      ASSERT_TRUE(emitted) << emitted.error().message;
      EXPECT_EQ(complaints(module, has_floats(kernel)), "") << kernel.name;
      optimise(module, **machine, level);
      EXPECT_EQ(complaints(module, has_floats(kernel)), "") << kernel.name << ", optimised";
    }
  }
}

TEST(Emit, TheWalkSeesWhatItLooksFor) {
  // None is needed; the walk above must be able to complain.
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(R"(
    declare void @somewhere()
    define float @f(ptr %p, float %x) {
      call void %p()
      call void @somewhere()
      %y = fadd fast float %x, %x
      %z = atomicrmw add ptr %p, i32 1 seq_cst
      ret float %y
    })",
                                                error, context);
  ASSERT_TRUE(module);
  const std::string found = complaints(*module);
  for (const char* what :
       {"indirect call", "call of somewhere", "external: somewhere", "fast math", "ordering", "a float"}) {
    EXPECT_THAT(found, testing::HasSubstr(what));
  }
}

TEST(Emit, RacyLoadsAreFrozen) {
  VYRE_ORACLE(Property, "the kernel itself: each load of memory that others may write is frozen, once");
  for (const Kernel& kernel : many_kernels()) {
    size_t expected = 0;
    for (const auto& block : kernel.blocks) {
      for (const Value v : block) {
        const Inst& inst = kernel[v];
        if (inst.kind != InstKind::RawLoad) continue;
        const auto access = kernel.buffers[inst.target].access;
        expected += access == spec::BufferAccess::ReadWrite || access == spec::BufferAccess::Workgroup;
      }
    }
    llvm::LLVMContext context;
    llvm::Module module(kernel.name, context);
    ASSERT_TRUE(emit_cpu(kernel, module, "entry", {.version_loops = false}));
    size_t frozen = 0;
    for (const llvm::BasicBlock& block : *module.getFunction("entry")) {
      for (const llvm::Instruction& inst : block) {
        if (!llvm::isa<llvm::FreezeInst>(inst)) continue;
        ++frozen;
        EXPECT_TRUE(inst.getOperand(0)->hasOneUse());  // no one sees the load but through the freeze
      }
    }
    // Code after a return is not emitted.
    EXPECT_LE(frozen, expected) << kernel.name;
    if (expected > 0) EXPECT_GT(frozen, 0u) << kernel.name;
  }
}

TEST(Emit, GoldenText) {
  VYRE_ORACLE(
      Regression,
      "test/golden/llvm: printed by this project, read by a person when blessed, and by LLVM's parser");
  const auto files = test::files_of("test/golden/llvm");
  EXPECT_GE(files.size(), 5u);
  for (fs::path file : files) {
    const auto text = print_llvm(kernel_of(test::file_text(file)), /*optimised=*/false);
    ASSERT_TRUE(text) << text.error().message;
    test::expect_golden(file.replace_extension(".ll"), *text);
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    const auto module = llvm::parseAssemblyString(*text, error, context);
    ASSERT_TRUE(module) << file << ": " << error.getMessage().str();
    EXPECT_EQ(complaints(*module), "") << file;
  }
}

TEST(Emit, WhatTheVerifierRefusesIsADiagnostic) {
  // explain L003, and LLVM's rule that a value is used only where its definition has run.
  Kernel kernel = kernel_of(test::kTwoProducts);
  EXPECT_TRUE(print_llvm(kernel, false));
  test::use_before_definition(kernel);
  const auto refused = print_llvm(kernel, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::L003);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("dominate"));
}

TEST(Emit, PrintsOptimisedCodeAndAssembly) {
  VYRE_ORACLE(Property, "what an assembler line looks like; the text itself is LLVM's");
  const Kernel kernel = kernel_of(test::file_text("test/compare/straight-line.vyre"));
  const auto optimised = print_llvm(kernel, true);
  ASSERT_TRUE(optimised);
  EXPECT_THAT(*optimised, testing::HasSubstr("target triple"));
  EXPECT_THAT(*optimised, testing::Not(testing::HasSubstr("alloca")));
  const auto assembly = print_asm(kernel);
  ASSERT_TRUE(assembly);
  EXPECT_THAT(*assembly, testing::HasSubstr("p:"));
}

}  // namespace
}  // namespace vyre::lower
