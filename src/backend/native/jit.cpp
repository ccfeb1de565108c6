#include "backend/native/jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>

#include "lower/llvm/audit.h"
#include "lower/llvm/codegen.h"

namespace vyre::backend {
namespace {

namespace orc = llvm::orc;

/// LLVM's verifier takes a twentieth of the time of level 0, so that only a share of what it compiles is
/// verified; builds with assertions verify all.
#ifdef NDEBUG
constexpr bool kVerifyAll = false;
#else
constexpr bool kVerifyAll = true;
#endif
constexpr size_t kVerifyEvery = 16;

Diag failure(DiagCode code, const std::string& doing, llvm::Error error) {
  return make_diag(code, Span::none(), "native code: " + doing + ": " + llvm::toString(std::move(error)),
                   "use --backend reference, and report this");
}

class LoadedCode final : public Code {
 public:
  LoadedCode(std::shared_ptr<orc::LLJIT> jit, orc::ResourceTrackerSP tracker,
             std::vector<Result<lower::CpuEntry>> entries)
      : jit_(std::move(jit)), tracker_(std::move(tracker)), entries_(std::move(entries)) {}
  ~LoadedCode() override { llvm::consumeError(tracker_->remove()); }
  const Result<lower::CpuEntry>& entry(size_t i) const override { return entries_[i]; }

 private:
  std::shared_ptr<orc::LLJIT> jit_;  // outlives its code
  orc::ResourceTrackerSP tracker_;
  std::vector<Result<lower::CpuEntry>> entries_;
};

class OrcJit final : public Jit {
 public:
  explicit OrcJit(std::shared_ptr<orc::LLJIT> jit) : jit_(std::move(jit)) {}

  Result<std::shared_ptr<const Code>> compile(std::span<const lower::Kernel> kernels, int level) override {
    // Symbols are unique in the process's one library, so that batches cannot meet.
    const std::string prefix = "vyre." + std::to_string(next_batch_++) + ".";
    std::vector<Result<lower::CpuEntry>> entries(kernels.size());
    VYRE_TRY(object, object_of(kernels, level, prefix, entries));

    auto tracker = jit_->getMainJITDylib().createResourceTracker();
    if (auto error = jit_->addObjectFile(tracker, std::move(object))) {
      return std::unexpected(failure(DiagCode::L003, "loading", std::move(error)));
    }
    orc::SymbolLookupSet wanted;
    std::vector<orc::SymbolStringPtr> names;
    for (size_t i = 0; i < kernels.size(); ++i) {
      names.push_back(jit_->mangleAndIntern(prefix + std::to_string(i)));
      if (entries[i]) wanted.add(names.back());
    }
    auto found = jit_->getExecutionSession().lookup(orc::makeJITDylibSearchOrder(&jit_->getMainJITDylib()),
                                                    std::move(wanted));
    if (!found) {
      llvm::consumeError(tracker->remove());
      return std::unexpected(failure(DiagCode::L003, "linking", found.takeError()));
    }
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (entries[i]) entries[i] = (*found)[names[i]].getAddress().toPtr<lower::CpuEntry>();
    }
    return std::make_shared<const LoadedCode>(jit_, std::move(tracker), std::move(entries));
  }

 private:
  Result<std::unique_ptr<llvm::MemoryBuffer>> object_of(std::span<const lower::Kernel> kernels, int level,
                                                        const std::string& prefix,
                                                        std::vector<Result<lower::CpuEntry>>& entries) {
    llvm::LLVMContext context;
    context.setDiscardValueNames(true);
    VYRE_TRY(machine, take_machine(level));
    llvm::Module module(prefix, context);
    module.setTargetTriple(machine->getTargetTriple().str());
    module.setDataLayout(machine->createDataLayout());
    for (size_t i = 0; i < kernels.size(); ++i) {
      const std::string symbol = prefix + std::to_string(i);
      lower::EmitOptions options = lower::emit_options(level);
      options.verify = kVerifyAll || level > 0 || i % kVerifyEvery == 0;
      if (auto emitted = lower::emit_cpu(kernels[i], module, symbol, options); !emitted) {
        if (llvm::Function* function = module.getFunction(symbol)) function->eraseFromParent();
        entries[i] = std::unexpected(std::move(emitted).error());
      }
    }
    lower::optimise(module, *machine, level);
    VYRE_CHECK(lower::audit(module));
    VYRE_CHECK(lower::check_fused(kernels, module, *machine));
    auto object = lower::to_object(module, *machine);
    give_back(level, std::move(machine));
    return object;
  }

  // A machine serves one module at a time, and costs as much to make as the code of a small program.
  Result<std::unique_ptr<llvm::TargetMachine>> take_machine(int level) {
    {
      const std::scoped_lock lock(machines_mutex_);
      auto& idle = machines_[level > 0];
      if (!idle.empty()) {
        auto machine = std::move(idle.back());
        idle.pop_back();
        return machine;
      }
    }
    return lower::host_machine(level);
  }
  void give_back(int level, std::unique_ptr<llvm::TargetMachine> machine) {
    const std::scoped_lock lock(machines_mutex_);
    machines_[level > 0].push_back(std::move(machine));
  }

  std::shared_ptr<orc::LLJIT> jit_;
  std::atomic<uint64_t> next_batch_{0};
  std::mutex machines_mutex_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> machines_[2];  // idle ones: of level 0, of the others
};

}  // namespace

Result<std::shared_ptr<Jit>> make_jit() {
  VYRE_TRY(machine, lower::host_machine(0));  // initialises the target
  auto jit = orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(orc::JITTargetMachineBuilder(machine->getTargetTriple()))
                 .create();
  if (!jit) return std::unexpected(failure(DiagCode::B001, "starting ORC", jit.takeError()));
  // All that code generation may call by itself; kernels call nothing.
  const auto function = [](auto* f) {
    return orc::ExecutorSymbolDef(orc::ExecutorAddr::fromPtr(f),
                                  llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable);
  };
  orc::SymbolMap symbols;
  symbols[(*jit)->mangleAndIntern("memset")] =
      function(static_cast<void* (*)(void*, int, size_t)>(&std::memset));
  symbols[(*jit)->mangleAndIntern("memcpy")] =
      function(static_cast<void* (*)(void*, const void*, size_t)>(&std::memcpy));
  symbols[(*jit)->mangleAndIntern("memmove")] =
      function(static_cast<void* (*)(void*, const void*, size_t)>(&std::memmove));
  if (auto error = (*jit)->getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)))) {
    return std::unexpected(failure(DiagCode::B001, "starting ORC", std::move(error)));
  }
  return std::make_shared<OrcJit>(std::shared_ptr<orc::LLJIT>(std::move(*jit)));
}

}  // namespace vyre::backend
