#include "lower/llvm/ptx_entry_point.h"

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <vector>

#include "lower/inst_info.h"
#include "lower/llvm/emitter.h"
#include "lower/llvm/ptx_subgroup.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

// Address spaces of NVPTX.
constexpr unsigned kGlobal = 1;
constexpr unsigned kShared = 3;
constexpr uint64_t kAlignment = 16;  // of buffers, bound and of a workgroup: the widest element's

/// Every workgroup buffer lies in one array without a size: its size comes with the launch.
llvm::GlobalVariable* shared_memory(llvm::Module& module) {
  constexpr const char* kName = "workgroup_memory";
  if (auto* known = module.getNamedGlobal(kName)) return known;
  auto* bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 0);
  auto* shared =
      new llvm::GlobalVariable(module, bytes, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
                               nullptr, kName, nullptr, llvm::GlobalValue::NotThreadLocal, kShared);
  shared->setAlignment(llvm::Align(kAlignment));
  return shared;
}

/// A workgroup's size; where that is wanted, or z is longer than a block's may be, all along x. Source: CUDA
/// C++ Programming Guide, "Technical Specifications per Compute Capability".
std::array<uint32_t, 3> block_of(const Kernel& kernel, PtxTarget target) {
  constexpr uint32_t kLongestZ = 64;
  if (!target.along_x && kernel.workgroup_size[2] <= kLongestZ) return kernel.workgroup_size;
  return {kernel.invocations(), 1, 1};
}

/// Each invocation is a thread, so control flow is the kernel's own and slots are variables.
class PtxEmitter final : Emitter {
 public:
  PtxEmitter(const Kernel& kernel, llvm::Module& module, const std::string& symbol, PtxTarget target,
             const std::vector<uint64_t>& shared_offsets, uint64_t shared_bytes)
      : Emitter(kernel, module),
        target_(target),
        shared_offsets_(shared_offsets),
        shared_bytes_(shared_bytes) {
    values_.assign(k_.insts.size(), nullptr);
    make_entry(symbol);
  }

  void run() {
    read_ids();
    find_memory();
    for (uint32_t s = 0; s < k_.slots.size(); ++s) slots_.push_back(make_slot(s));
    clear_shared_memory();
    clear_private_memory();
    exit_ = llvm::BasicBlock::Create(context_, "exit");
    if (!emit_block(k_.entry)) b_.CreateBr(exit_);
    enter(exit_);
    b_.CreateRetVoid();
  }

 private:
  // ---- The entry -----------------------------------------------------------------------------------------

  void make_entry(const std::string& symbol) {
    std::vector<llvm::Type*> types;
    for (const KernelBuffer& buffer : k_.buffers) {
      if (!spec::is_bound(buffer.access)) continue;
      types.push_back(b_.getPtrTy(kGlobal));
      types.push_back(word());
    }
    make_function(symbol, types);
    function_->setCallingConv(llvm::CallingConv::PTX_Kernel);
    annotate("kernel", 1);
    const std::array<uint32_t, 3> block = block_of(k_, target_);
    annotate("reqntidx", block[0]);
    annotate("reqntidy", block[1]);
    annotate("reqntidz", block[2]);
  }
  void annotate(const char* name, uint32_t value) {
    module_.getOrInsertNamedMetadata("nvvm.annotations")
        ->addOperand(llvm::MDNode::get(
            context_, {llvm::ValueAsMetadata::get(function_), llvm::MDString::get(context_, name),
                       llvm::ConstantAsMetadata::get(b_.getInt32(value))}));
  }

  void find_memory() {
    const bool barriers = find(k_, InstKind::Barrier) != nullptr;
    for (size_t i = 0; i < k_.buffers.size(); ++i) {
      const KernelBuffer& buffer = k_.buffers[i];
      if (buffer.access == spec::BufferAccess::Workgroup) {
        shared_ = shared_memory(module_);
        memory_.push_back(
            {b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), shared_, shared_offsets_[i], buffer.name),
             imm(buffer.count)});
        continue;
      }
      if (buffer.access == spec::BufferAccess::Private) {
        memory_.push_back(make_private(buffer));
        continue;
      }
      const unsigned n = 2 * buffer.argument;
      function_->addParamAttr(n, llvm::Attribute::getWithAlignment(context_, llvm::Align(kAlignment)));
      // Bindings do not overlap: layout::bind refuses it. But LLVM takes `noalias` memory that did not escape
      // for this thread's own and carries what it knows of it across a barrier, where other threads write.
      const bool constant = buffer.access != spec::BufferAccess::ReadWrite;
      if (constant) function_->addParamAttr(n, llvm::Attribute::ReadOnly);
      if (constant || !barriers) function_->addParamAttr(n, llvm::Attribute::NoAlias);
      llvm::Argument* base = function_->getArg(n);
      llvm::Argument* length = function_->getArg(n + 1);
      base->setName(buffer.name);
      length->setName(buffer.name + ".len");
      memory_.push_back({base, length});
    }
  }

  Ir special(llvm::Intrinsic::ID id) { return b_.CreateIntrinsic(word(), id, {}); }
  /// A thread's place along an axis of its block. That it is below the block's size is said where there are
  /// several axes; of one LLVM makes slower code by it (histogram by a tenth).
  Ir thread(llvm::Intrinsic::ID id, uint32_t size) {
    if (size == 1) return imm(0);
    llvm::CallInst* place = b_.CreateIntrinsic(word(), id, {});
    if (size == k_.invocations()) return place;
    place->setMetadata(llvm::LLVMContext::MD_range,
                       llvm::MDBuilder(context_).createRange(llvm::APInt(32, 0), llvm::APInt(32, size)));
    return place;
  }
  // CUDA numbers a block's threads x first, as vyre does a workgroup's invocations: warps are subgroups.
  void read_ids() {
    using namespace llvm::Intrinsic;
    constexpr ID kGroup[] = {nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y,
                             nvvm_read_ptx_sreg_ctaid_z};
    constexpr ID kGroups[] = {nvvm_read_ptx_sreg_nctaid_x, nvvm_read_ptx_sreg_nctaid_y,
                              nvvm_read_ptx_sreg_nctaid_z};
    const IdUses uses = used_ids(k_);
    constexpr ID kThread[] = {nvvm_read_ptx_sreg_tid_x, nvvm_read_ptx_sreg_tid_y, nvvm_read_ptx_sreg_tid_z};
    const std::array<uint32_t, 3> block = block_of(k_, target_);
    std::array<Ir, 3> place{};
    for (size_t axis = 0; axis < 3; ++axis) place[axis] = thread(kThread[axis], block[axis]);
    const bool is_whole = block == k_.workgroup_size;
    const auto place_after = [&](Ir before, uint32_t size, Ir at) {
      return b_.CreateAdd(b_.CreateMul(before, imm(size), "", true, true), at, "", true, true);
    };
    thread_ = place_after(place_after(place[2], block[1], place[1]), block[0], place[0]);
    Ir left = thread_;
    for (size_t axis = 0; axis < 3; ++axis) {
      const uint32_t size = k_.workgroup_size[axis];
      local_[axis] = is_whole ? place[axis] : b_.CreateURem(left, imm(size));
      left = is_whole ? left : b_.CreateUDiv(left, imm(size));
      group_[axis] = special(kGroup[axis]);
      if (uses.num_groups[axis]) groups_[axis] = special(kGroups[axis]);
      // Ids stay below 65,535 * 1,024, so nothing wraps.
      Ir first = b_.CreateMul(group_[axis], imm(size), "", true, true);
      invocation_[axis] = b_.CreateAdd(first, local_[axis], "", true, true);
    }
  }

  // LLVM finds guards that always hold before it knows how far a loop's variable goes, and after it has made
  // one comparison of several that an if asks for together. So both are stated, one by one: of the access
  // to a row and a column of a matrix then nothing is left to compare.
  void enter_loop(const LoopFrame& loop) override {
    if (llvm::isa<llvm::ConstantInt>(loop.to)) b_.CreateAssumption(b_.CreateICmpULT(loop.index, loop.to));
  }
  bool emit_if(Value /*v*/, const Inst& inst) override {
    const Value asked = k_.arg(inst, 0);
    return emit_branch(
        condition(asked),
        [&] {
          if (is_both(asked)) assume_each(asked);
          return emit_block(inst.body);
        },
        inst.orelse != kNoKBlock, [&] { return emit_block(inst.orelse); });
  }
  /// Whether a value is an And of two truths.
  bool is_both(Value v) const {
    const Inst& inst = k_[v];
    if (inst.kind != InstKind::Raw || inst.raw != RawOp::And) return false;
    return std::ranges::all_of(k_.args(inst), [&](Value a) { return is_truth(a) || is_both(a); });
  }
  bool is_truth(Value v) const { return k_[v].kind == InstKind::Raw && gives_truth(k_[v].raw); }
  void assume_each(Value v) {
    if (!is_both(v)) {
      b_.CreateAssumption(condition(v));
      return;
    }
    for (const Value a : k_.args(k_[v])) assume_each(a);
  }

  void emit_barrier() override { b_.CreateIntrinsic(b_.getVoidTy(), llvm::Intrinsic::nvvm_barrier0, {}); }

  void clear_shared_memory() {
    if (shared_bytes_ == 0) return;
    LoopFrame clear =
        open_loop(thread_, imm(uint32_t(shared_bytes_ / 4)), "loop", Range::MaybeEmpty, k_.invocations());
    Ir at = b_.CreateInBoundsGEP(word(), shared_, b_.CreateZExt(clear.index, b_.getInt64Ty()));
    b_.CreateAlignedStore(imm(0), at, llvm::Align(4));
    close_loop(clear, false);
    emit_barrier();
  }

  // Not by memset, which this target writes byte by byte. Up to a size without a loop: then the array can
  // become registers where its indices are known.
  void clear_private_memory() {
    constexpr uint32_t kMostStraight = 512;
    auto* four = llvm::FixedVectorType::get(word(), 4);
    const auto clear = [&](Ir base, Ir at) {
      b_.CreateAlignedStore(llvm::Constant::getNullValue(four), b_.CreateInBoundsGEP(four, base, at),
                            llvm::Align(16));
    };
    for (size_t i = 0; i < k_.buffers.size(); ++i) {
      if (k_.buffers[i].access != spec::BufferAccess::Private) continue;
      const uint32_t bytes = private_bytes(k_.buffers[i]);
      if (bytes <= kMostStraight) {
        for (uint32_t at = 0; at < bytes / 16; ++at) clear(memory_[i].base, b_.getInt64(at));
        continue;
      }
      LoopFrame loop = open_loop(b_.getInt64(0), b_.getInt64(bytes / 16), "clear");
      clear(memory_[i].base, loop.index);
      close_loop(loop, false);
    }
  }

  // ---- Values --------------------------------------------------------------------------------------------

  void set(Value v, Ir value) override { values_[index(v)] = value; }
  /// As it was made: a word, or one bit.
  Ir made(Value v) {
    Ir given = builtin(k_[v]);
    return given != nullptr ? given : values_[index(v)];
  }
  Ir operand(Value v) override {
    Ir value = made(v);
    return value->getType()->isIntegerTy(1) ? b_.CreateZExt(value, word()) : value;
  }
  Ir condition(Value v) override {
    Ir value = made(v);
    return value->getType()->isIntegerTy(1) ? value : b_.CreateICmpNE(value, imm(0));
  }

  void emit_intrinsic(Value v, const Inst& inst) override {
    const auto args = k_.args(inst);
    SubgroupCall call{
        .lane = b_.CreateAnd(thread_, imm(kPtxSubgroupSize - 1)), .word = inst.target, .target = target_};
    if (!args.empty()) call.first = operand(args[0]);
    if (args.size() > 1) call.second = operand(args[1]);
    set(v, emit_subgroup(b_, spec::Intrinsic(inst.imm), call));
  }

  void emit_return() override { b_.CreateBr(exit_); }
  /// A buffer is aligned to its widest element, so that the words of one are loaded together.
  llvm::Align word_align(uint32_t element_bytes, uint32_t word) override {
    return llvm::Align(word == 0 ? element_bytes : word % 2 == 0 ? 8 : 4);
  }

  const PtxTarget target_;
  const std::vector<uint64_t>& shared_offsets_;  // by buffer
  const uint64_t shared_bytes_;
  llvm::BasicBlock* exit_ = nullptr;
  llvm::GlobalVariable* shared_ = nullptr;
  std::vector<Ir> values_;  // by Value
  Ir thread_ = nullptr;     // linear local id
};

}  // namespace

Result<PtxEntry> emit_entry(const Kernel& kernel, llvm::Module& module, const std::string& symbol,
                            PtxTarget target) {
  constexpr size_t kMostBuffers = 4352 / 16;  // bytes of parameters before PTX 8.1; an address and a count
  std::vector<uint64_t> offsets;
  uint64_t shared = 0;  // check/ keeps it far below 2^32
  size_t bound = 0;
  for (const KernelBuffer& buffer : kernel.buffers) {
    offsets.push_back(shared);
    if (buffer.access == spec::BufferAccess::Workgroup) {
      const uint64_t bytes = uint64_t{buffer.count} * spec::info(buffer.element).bytes;
      shared += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    }
    bound += spec::is_bound(buffer.access);
  }
  if (bound > kMostBuffers) {
    return std::unexpected(make_diag(
        DiagCode::B003, Span::none(),
        fmt::format("`{}` binds {} buffers; a PTX entry takes {}", kernel.name, bound, kMostBuffers),
        "put several arrays into one buffer"));
  }
  const uint32_t threads = kernel.invocations();
  const Inst* subgroup = find(kernel, InstKind::Intrinsic);
  if (subgroup != nullptr && threads % kPtxSubgroupSize != 0) {
    return std::unexpected(
        make_diag(DiagCode::B008, subgroup->origin,
                  fmt::format("`{}` calls operations of subgroups, and its workgroup of {} invocations is "
                              "not a multiple of {}",
                              kernel.name, threads, kPtxSubgroupSize),
                  fmt::format("choose a workgroup size that is a multiple of {}", kPtxSubgroupSize)));
  }
  PtxEmitter(kernel, module, symbol, target, offsets, shared).run();
  return PtxEntry{.name = symbol, .block = block_of(kernel, target), .shared_bytes = uint32_t(shared)};
}

}  // namespace vyre::lower
