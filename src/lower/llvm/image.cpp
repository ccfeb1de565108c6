#include "lower/llvm/image.h"

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "lower/llvm/audit.h"
#include "lower/llvm/codegen.h"
#include "lower/llvm/regions.h"

namespace vyre::lower {
namespace {

namespace jitlink = llvm::jitlink;

/// LLVM's verifier takes a twentieth of the time of level 0, so that only a share of what it compiles is
/// verified; builds with assertions verify all.
#ifdef NDEBUG
constexpr bool kVerifyAll = false;
#else
constexpr bool kVerifyAll = true;
#endif
constexpr size_t kVerifyEvery = 16;

/// Where code is linked as if it stood there, and functions of the C library: too far away for a call without
/// a pointer, as they are anywhere.
constexpr uint64_t kImageAddress = uint64_t{1} << 32;
constexpr uint64_t kFunctionAddress = uint64_t{1} << 46;

std::string symbol_of(size_t kernel) { return "vyre." + std::to_string(kernel); }

llvm::Error cannot(const llvm::Twine& why) {
  return llvm::make_error<llvm::StringError>(why, llvm::inconvertibleErrorCode());
}

std::unexpected<Diag> not_linked(const std::string& why) {
  return std::unexpected(make_diag(DiagCode::L003, Span::none(), "native code: linking: " + why,
                                   "use --backend reference, and report this"));
}

/// What one link makes.
struct Linked {
  Bytes bytes;
  std::vector<CpuImage::Import> imports;
  std::map<std::string, uint64_t, std::less<>> symbols;  // offsets
  std::string error;
};

/// JITLink's memory: the segments one behind the other in Linked::bytes.
class OneBlock final : public jitlink::JITLinkMemoryManager {
 public:
  explicit OneBlock(Linked& out) : out_(out) {}

  void allocate(const jitlink::JITLinkDylib*, jitlink::LinkGraph& graph, OnAllocatedFunction done) override {
    jitlink::BasicLayout layout(graph);
    std::vector<uint64_t> offsets;
    uint64_t end = 0;
    for (auto& [group, segment] : layout.segments()) {
      if ((unsigned(group.getMemProt()) & unsigned(llvm::orc::MemProt::Write)) != 0)
        return done(cannot("code has variables"));
      end = llvm::alignTo(end, segment.Alignment);
      offsets.push_back(end);
      end += segment.ContentSize + segment.ZeroFillSize;
    }
    out_.bytes.resize(end);
    auto offset = offsets.begin();
    for (auto& [group, segment] : layout.segments()) {
      segment.Addr = llvm::orc::ExecutorAddr(kImageAddress + *offset);
      segment.WorkingMem = reinterpret_cast<char*>(out_.bytes.data() + *offset++);
    }
    if (auto error = layout.apply()) return done(std::move(error));
    done(std::make_unique<Kept>());
  }
  void deallocate(std::vector<FinalizedAlloc>, OnDeallocatedFunction done) override {
    done(llvm::Error::success());
  }

 private:
  /// The bytes are the caller's.
  struct Kept final : InFlightAlloc {
    void finalize(OnFinalizedFunction done) override {
      done(FinalizedAlloc(llvm::orc::ExecutorAddr(kImageAddress)));
    }
    void abandon(OnAbandonedFunction done) override { done(llvm::Error::success()); }
  };
  Linked& out_;
};

/// Makes of each address that code holds an import, and refuses any that it could not hold elsewhere.
llvm::Error find_imports(jitlink::LinkGraph& graph, Linked& out) {
  for (jitlink::Block* block : graph.blocks()) {
    for (const jitlink::Edge& edge : block->edges()) {
      if (!edge.isRelocation()) continue;
      const llvm::StringRef kind = graph.getEdgeKindName(edge.getKind());
      const jitlink::Symbol& target = edge.getTarget();
      // Whatever is no pointer is a distance.
      if (target.isDefined() && !kind.starts_with("Pointer")) continue;
      const auto name = target.hasName() ? std::string_view(target.getName()) : std::string_view();
      const auto function = std::ranges::find(kCpuFunctions, name);
      if (kind != "Pointer64" || function == kCpuFunctions.end() || edge.getAddend() != 0)
        return cannot("code holds an address: " + kind + " of '" + llvm::StringRef(name) + "'");
      const uint64_t at = block->getFixupAddress(edge).getValue() - kImageAddress;
      out.imports.push_back({at, uint32_t(function - kCpuFunctions.begin())});
    }
  }
  return llvm::Error::success();
}

class Link final : public jitlink::JITLinkContext {
 public:
  explicit Link(Linked& out) : JITLinkContext(nullptr), out_(out), memory_(out) {}

  jitlink::JITLinkMemoryManager& getMemoryManager() override { return memory_; }
  void notifyFailed(llvm::Error error) override { out_.error = llvm::toString(std::move(error)); }
  void lookup(const LookupMap& wanted,
              std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> then) override {
    jitlink::AsyncLookupResult found;
    for (const auto& [name, flags] : wanted) {
      const auto function = std::ranges::find(kCpuFunctions, std::string_view(name));
      if (function == kCpuFunctions.end()) return then->run(cannot("code calls '" + name + "'"));
      const uint64_t place = uint64_t(function - kCpuFunctions.begin());
      found[name] = {llvm::orc::ExecutorAddr(kFunctionAddress + place * 16),
                     llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    }
    then->run(std::move(found));
  }
  llvm::Error notifyResolved(jitlink::LinkGraph& graph) override {
    for (const jitlink::Symbol* symbol : graph.defined_symbols()) {
      if (symbol->hasName())
        out_.symbols[symbol->getName().str()] = symbol->getAddress().getValue() - kImageAddress;
    }
    return llvm::Error::success();
  }
  void notifyFinalized(jitlink::JITLinkMemoryManager::FinalizedAlloc memory) override { memory.release(); }
  llvm::Error modifyPassConfig(jitlink::LinkGraph&, jitlink::PassConfiguration& passes) override {
    passes.PreFixupPasses.emplace_back(
        [this](jitlink::LinkGraph& graph) { return find_imports(graph, out_); });
    return llvm::Error::success();
  }

 private:
  Linked& out_;
  OneBlock memory_;
};

/// The object file's code and constants.
Result<Linked> link(const llvm::MemoryBuffer& object) {
  Linked out;
  auto graph = jitlink::createLinkGraphFromObject(object.getMemBufferRef());
  if (!graph) return not_linked(llvm::toString(graph.takeError()));
  jitlink::link(std::move(*graph), std::make_unique<Link>(out));  // all of it, before it returns
  if (!out.error.empty()) return not_linked(out.error);
  for (const CpuImage::Import& import : out.imports)
    std::ranges::fill(std::span(out.bytes).subspan(import.offset, sizeof(uint64_t)), std::byte{0});
  return out;
}

}  // namespace

ImageMaker::ImageMaker() = default;
ImageMaker::~ImageMaker() = default;

Result<CpuImage> ImageMaker::make(std::span<const Kernel> kernels, int level) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  VYRE_TRY(machine, take_machine(level));
  llvm::Module module("vyre", context);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  CpuImage image;
  for (size_t i = 0; i < kernels.size(); ++i) {
    EmitOptions options = emit_options(level);
    options.verify = kVerifyAll || level > 0 || i % kVerifyEvery == 0;
    auto emitted = emit_cpu(kernels[i], module, symbol_of(i), options);
    if (emitted) {
      image.entries.push_back(CpuImage::Entry{.workgroup_bytes = plan_regions(kernels[i]).bytes});
    } else {
      if (llvm::Function* function = module.getFunction(symbol_of(i))) function->eraseFromParent();
      image.entries.push_back(std::unexpected(std::move(emitted).error()));
    }
  }
  optimise(module, *machine, level);
  VYRE_CHECK(audit(module));
  VYRE_CHECK(check_fused(kernels, module, *machine));
  VYRE_TRY(object, to_object(module, *machine));
  give_back(level, std::move(machine));
  VYRE_TRY(linked, link(*object));
  image.bytes = std::move(linked.bytes);
  image.imports = std::move(linked.imports);
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (image.entries[i]) image.entries[i]->offset = linked.symbols.at(symbol_of(i));
  }
  return image;
}

Result<ImageMaker::Machine> ImageMaker::take_machine(int level) {
  {
    const std::scoped_lock lock(mutex_);
    auto& idle = machines_[level > 0];
    if (!idle.empty()) {
      Machine machine = std::move(idle.back());
      idle.pop_back();
      return machine;
    }
  }
  return host_machine(level);
}

void ImageMaker::give_back(int level, Machine machine) {
  const std::scoped_lock lock(mutex_);
  machines_[level > 0].push_back(std::move(machine));
}

}  // namespace vyre::lower
