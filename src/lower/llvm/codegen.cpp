#include "lower/llvm/codegen.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/float_environment.h"
#include "lower/codegen/host_cpu.h"
#include "lower/llvm/audit.h"

namespace vyre::lower {
namespace {

constexpr uint64_t kMaxPromotion = 100'000'000;

/// What takes a fifth of the time of compiling small kernels, was measured to give the kernels of `./dev
/// bench` nothing, and has no other switch than LLVM's command line: a second vector loop behind that of 16
/// lanes, for what is left of a row (with vectors of 8 lanes there is none either), and the pass that looks
/// whether whole chains of words could live in mask registers.
constexpr std::pair<const char*, const char*> kOptions[] = {
    {"enable-epilogue-vectorization", "false"},
    {"disable-x86-domain-reassignment", "true"},
};

void initialize_target() {
  static const bool once = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    for (const auto& [name, value] : kOptions) {
      const auto option = llvm::cl::getRegisteredOptions().find(name);
      if (option != llvm::cl::getRegisteredOptions().end()) option->second->addOccurrence(0, name, value);
    }
    return true;
  }();
  (void)once;
}

Diag refused(const std::string& what) {
  return make_diag(DiagCode::L003, Span::none(), "LLVM cannot generate code: " + what,
                   "report the program; the reference backend can still run it");
}

}  // namespace

Result<std::unique_ptr<llvm::TargetMachine>> host_machine(int level) {
  initialize_target();
  const HostCpu& host = host_cpu();
  std::string message;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host.triple, message);
  if (target == nullptr) {
    return std::unexpected(
        make_diag(DiagCode::B001, Span::none(),
                  "native code: this LLVM has no target for " + host.triple + ": " + message,
                  "use --backend reference"));
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const auto effort = level == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  // Code runs wherever it is put, far from the process's own: position-independent, with distances that fit
  // into its own image, and the few calls (memset and its kin) through the image's own stubs.
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(host.triple, host.name, host.features, options, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, effort, /*JIT=*/true));
  if (level == 0) machine->setFastISel(true);
  return machine;
}

EmitOptions emit_options(int level) {
  return {.alias_scopes = level > 0, .version_loops = level > 0, .memset = level > 0, .verify = true};
}

namespace {

/// Variables into values: all that level 0 does, for the code that it spares is more than it costs. But
/// finding phis costs (variables) * (blocks), which the largest programs cannot afford.
void promote_variables(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& inst : function.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&inst);
    if (variable != nullptr && llvm::isAllocaPromotable(variable)) variables.push_back(variable);
  }
  if (variables.empty() || uint64_t{function.size()} * variables.size() >= kMaxPromotion) return;
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(variables, dominators);
}

}  // namespace

namespace {

/// What is loaded from memory that others write is frozen, so that all that is computed from it sees one
/// value. What has a single use is one value anyhow, and without the freeze an instruction may take it from
/// memory.
void thaw_single_uses(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& inst : llvm::make_early_inc_range(block)) {
        auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(&inst);
        if (frozen == nullptr || !frozen->hasOneUse()) continue;
        auto* load = llvm::dyn_cast<llvm::LoadInst>(frozen->getOperand(0));
        if (load == nullptr || !load->hasOneUse()) continue;
        frozen->replaceAllUsesWith(load);
        frozen->eraseFromParent();
      }
    }
  }
}

/// LLVM warns of every hint to unroll that it does not follow. `vyre lower` says which cannot be.
struct QuietHandler final : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    return info.getSeverity() != llvm::DS_Error;
  }
};

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level) {
  const DefaultFloatEnvironment environment;  // LLVM folds some constants with the host's arithmetic
  if (level == 0) {
    for (llvm::Function& function : module) {
      if (!function.isDeclaration()) promote_variables(function);
    }
    return;
  }
  module.getContext().setDiagnosticHandler(std::make_unique<QuietHandler>());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
  // Instructions of PTX take no operand from memory.
  if (!machine.getTargetTriple().isNVPTX()) thaw_single_uses(module);
}

Result<std::string> to_assembly(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile,
                                  /*DisableVerify=*/true)) {
    return std::unexpected(refused("no assembly for " + machine.getTargetTriple().str()));
  }
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

Result<std::unique_ptr<llvm::MemoryBuffer>> to_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile,
                                  /*DisableVerify=*/true)) {
    return std::unexpected(refused("no object files for " + host_cpu().triple));
  }
  passes.run(module);
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), /*RequiresNullTerminator=*/false);
}

namespace {

/// A module with one kernel in it, under a name or the kernel's own.
Result<std::unique_ptr<llvm::Module>> module_of(const Kernel& kernel, llvm::LLVMContext& context,
                                                llvm::TargetMachine* machine, const EmitOptions& options,
                                                const std::string& symbol = {}) {
  auto module = std::make_unique<llvm::Module>(kernel.name, context);
  if (machine != nullptr) {
    module->setTargetTriple(machine->getTargetTriple().str());
    module->setDataLayout(machine->createDataLayout());
  }
  VYRE_CHECK(emit_cpu(kernel, *module, symbol.empty() ? kernel.name : symbol, options));
  return module;
}

}  // namespace

Result<std::string> llvm_text(const Kernel& kernel, bool optimised, const std::string& symbol) {
  llvm::LLVMContext context;
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!optimised) {  // names no target: the same text on every host
    VYRE_TRY(module, module_of(kernel, context, nullptr, emit_options(2), symbol));
    module->print(out, nullptr);
    return text;
  }
  const int level = is_optimised(kernel) ? 2 : 0;
  VYRE_TRY(machine, host_machine(level));
  VYRE_TRY(module, module_of(kernel, context, machine.get(), emit_options(level), symbol));
  optimise(*module, *machine, level);
  module->print(out, nullptr);
  return text;
}

Result<std::string> asm_text(const Kernel& kernel) {
  llvm::LLVMContext context;
  const int level = is_optimised(kernel) ? 2 : 0;
  VYRE_TRY(machine, host_machine(level));
  VYRE_TRY(module, module_of(kernel, context, machine.get(), emit_options(level)));
  optimise(*module, *machine, level);
  VYRE_CHECK(audit(*module));
  VYRE_TRY(text, to_assembly(*module, *machine));
  VYRE_CHECK(check_fused({&kernel, 1}, *module, *machine, text));
  return text;
}

}  // namespace vyre::lower
