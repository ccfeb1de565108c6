#include "lower/llvm/ptx_module.h"

#include <fmt/format.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <array>

#include "lower/llvm/audit.h"
#include "lower/llvm/codegen.h"
#include "lower/llvm/ptx_entry_point.h"

namespace vyre::lower {
namespace {

constexpr const char* kTriple = "nvptx64-nvidia-cuda";

std::string chip_names() {
  std::string names;
  for (const PtxChip& chip : kPtxChips) names += fmt::format("{}sm_{}", names.empty() ? "" : ", ", chip.sm);
  return names;
}

Diag cannot_emit(const std::string& why) {
  return make_diag(DiagCode::L003, Span::none(), "PTX: " + why,
                   "report the program; another backend can run it");
}

/// Beyond this many instructions in a kernel its module gets the short pipeline: the whole one is not linear,
/// and the driver's own compiler follows in any case.
constexpr size_t kLargeKernel = 6'000;

int level_of(std::span<const Kernel> kernels) {
  const auto large = [](const Kernel& k) { return k.insts.size() > kLargeKernel; };
  return std::ranges::any_of(kernels, large) ? 0 : 2;
}

void initialize_nvptx() {
  static const bool once = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)once;
}

Result<std::unique_ptr<llvm::TargetMachine>> ptx_machine(PtxTarget target, int level) {
  initialize_nvptx();
  const auto* chip = std::ranges::find(kPtxChips, target.sm, &PtxChip::sm);
  if (chip == kPtxChips.end()) {
    return std::unexpected(make_diag(DiagCode::B001, Span::none(),
                                     fmt::format("this build writes no PTX for sm_{}", target.sm),
                                     "choose one of " + chip_names()));
  }
  std::string message;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(kTriple, message);
  if (found == nullptr) {
    return std::unexpected(make_diag(DiagCode::B001, Span::none(), "this LLVM has no PTX: " + message,
                                     "build with an LLVM that has the target NVPTX"));
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      kTriple, fmt::format("sm_{}", chip->sm), chip->features, options, std::nullopt, std::nullopt,
      level == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default));
}

/// Conversions from F16 of a pattern that is 0 or 1 as choices between their results. ptxas (13.0, for sm_80
/// to sm_100) takes `cvt.f32.f16` of `selp 1, 0` for the number of a truth value: it gives 1.0 for 2^-24.
void extend_truths(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* extend = llvm::dyn_cast<llvm::FPExtInst>(&inst);
      if (extend == nullptr || !extend->getSrcTy()->isHalfTy()) continue;
      auto* cast = llvm::dyn_cast<llvm::BitCastInst>(extend->getOperand(0));
      if (cast == nullptr || !cast->getSrcTy()->isIntegerTy(16)) continue;
      llvm::Value* pattern = cast->getOperand(0);
      if (computeKnownBits(pattern, module.getDataLayout()).countMaxActiveBits() > 1) continue;
      llvm::IRBuilder<> b(extend);
      const auto number = [&](double n) { return llvm::ConstantFP::get(extend->getDestTy(), n); };
      extend->replaceAllUsesWith(b.CreateSelect(b.CreateIsNotNull(pattern), number(0x1p-24), number(0)));
      extend->eraseFromParent();
    }
  }
}

/// Verified and optimised.
Result<void> finish_module(llvm::Module& module, llvm::TargetMachine& machine, int level) {
  std::string message;
  llvm::raw_string_ostream complaints(message);
  if (llvm::verifyModule(module, &complaints)) {
    return std::unexpected(cannot_emit("the LLVM verifier refuses the code: " + message));
  }
  optimise(module, machine, level);
  extend_truths(module);
  return audit(module);
}

Result<std::string> print_ptx(std::span<const Kernel> kernels, llvm::Module& module,
                              llvm::TargetMachine& machine, int level) {
  VYRE_CHECK(finish_module(module, machine, level));
  VYRE_TRY(text, to_assembly(module, machine));
  VYRE_CHECK(check_fused(kernels, module, machine, text));
  return text;
}

/// PTX reserves words and LLVM names; a prefix keeps clear of both. The name is for people, so it is cut
/// where it could outgrow what a caller has room for.
std::string symbol_of(const Kernel& kernel) {
  constexpr size_t kMostLetters = 64;
  return "vyre_" + kernel.name.substr(0, kMostLetters);
}

}  // namespace

Result<PtxBatch> ptx_of(std::span<const Kernel> kernels, PtxTarget target) {
  const int level = level_of(kernels);
  VYRE_TRY(machine, ptx_machine(target, level));
  llvm::LLVMContext context;
  llvm::Module module(kernels.size() == 1 ? kernels.front().name : "kernels", context);
  module.setTargetTriple(kTriple);
  module.setDataLayout(machine->createDataLayout());
  PtxBatch batch;
  for (size_t i = 0; i < kernels.size(); ++i) {
    // Programs may share a name; the number at the end is unique.
    std::string symbol = symbol_of(kernels[i]);
    if (kernels.size() > 1) symbol += fmt::format("__{}", i);
    VYRE_TRY(entry, emit_entry(kernels[i], module, symbol, target));
    batch.entries.push_back(std::move(entry));
  }
  VYRE_TRY(text, print_ptx(kernels, module, *machine, level));
  batch.text = std::move(text);
  return batch;
}

Result<std::unique_ptr<llvm::Module>> optimised_ptx_module(const Kernel& kernel, PtxTarget target,
                                                           llvm::LLVMContext& context) {
  const int level = level_of({&kernel, 1});
  VYRE_TRY(machine, ptx_machine(target, level));
  auto module = std::make_unique<llvm::Module>(kernel.name, context);
  module->setTargetTriple(kTriple);
  module->setDataLayout(machine->createDataLayout());
  VYRE_CHECK(emit_entry(kernel, *module, symbol_of(kernel), target));
  VYRE_CHECK(finish_module(*module, *machine, level));
  return module;
}

}  // namespace vyre::lower
