#include "lower/llvm/ptx_entry_point.h"

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <vector>

#include "lower/builtin_input.h"
#include "lower/llvm/ptx_subgroup.h"
#include "lower/llvm/raw.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using Builder = llvm::IRBuilder<>;
using Ir = llvm::Value*;

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

const Inst* find(const Kernel& kernel, InstKind kind) {
  const auto found = std::ranges::find(kernel.insts, kind, &Inst::kind);
  return found == kernel.insts.end() ? nullptr : &*found;
}

/// Each invocation is a thread, so control flow is the kernel's own and slots are variables.
class EntryPointEmitter {
 public:
  EntryPointEmitter(const Kernel& kernel, llvm::Module& module, const std::string& symbol, PtxTarget target,
                    const std::vector<uint64_t>& shared_offsets, uint64_t shared_bytes)
      : k_(kernel),
        module_(module),
        context_(module.getContext()),
        b_(context_),
        target_(target),
        shared_offsets_(shared_offsets),
        shared_bytes_(shared_bytes) {
    values_.assign(k_.insts.size(), nullptr);
    make_function(symbol);
  }

  void run() {
    read_ids();
    find_memory();
    for (const SlotInfo& slot : k_.slots) slots_.push_back(b_.CreateAlloca(word(), nullptr, slot.name));
    clear_shared_memory();
    exit_ = llvm::BasicBlock::Create(context_, "exit");
    if (!emit_block(k_.entry)) b_.CreateBr(exit_);
    function_->insert(function_->end(), exit_);
    b_.SetInsertPoint(exit_);
    b_.CreateRetVoid();
  }

 private:
  struct Memory {
    Ir base = nullptr;
    Ir length = nullptr;
  };

  llvm::Type* word() { return b_.getInt32Ty(); }
  Ir imm(uint32_t value) { return b_.getInt32(value); }
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }

  // ---- The entry -----------------------------------------------------------------------------------------

  void make_function(const std::string& symbol) {
    std::vector<llvm::Type*> types;
    for (const KernelBuffer& buffer : k_.buffers) {
      if (buffer.access == spec::BufferAccess::Workgroup) continue;
      types.push_back(b_.getPtrTy(kGlobal));
      types.push_back(word());
    }
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module_);
    function_->setCallingConv(llvm::CallingConv::PTX_Kernel);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    function_->addFnAttr(llvm::Attribute::MustProgress);
    function_->addFnAttr("denormal-fp-math", "ieee,ieee");
    annotate("kernel", 1);
    annotate("reqntidx", k_.invocations());
    annotate("reqntidy", 1);
    annotate("reqntidz", 1);
    b_.SetInsertPoint(block("entry"));
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
  // A block has one axis, so its threads are in linear order: the order of lanes too.
  void read_ids() {
    using namespace llvm::Intrinsic;
    constexpr ID kGroup[] = {nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y,
                             nvvm_read_ptx_sreg_ctaid_z};
    thread_ = special(nvvm_read_ptx_sreg_tid_x);
    Ir left = thread_;
    uint32_t threads = k_.invocations();  // how many values `left` may have
    for (size_t axis = 0; axis < 3; ++axis) {
      const uint32_t size = k_.workgroup_size[axis];
      local_[axis] = size == threads ? left : b_.CreateURem(left, imm(size));
      left = b_.CreateUDiv(left, imm(size));
      threads /= size;
      group_[axis] = special(kGroup[axis]);
      // Ids stay below 65,535 * 1,024, so nothing wraps.
      Ir first = b_.CreateMul(group_[axis], imm(size), "", true, true);
      invocation_[axis] = b_.CreateAdd(first, local_[axis], "", true, true);
    }
  }

  void barrier() { b_.CreateIntrinsic(b_.getVoidTy(), llvm::Intrinsic::nvvm_barrier0, {}); }

  void clear_shared_memory() {
    if (shared_bytes_ == 0) return;
    loop(thread_, imm(uint32_t(shared_bytes_ / 4)), k_.invocations(), [&](Ir i) {
      Ir at = b_.CreateInBoundsGEP(word(), shared_, b_.CreateZExt(i, b_.getInt64Ty()));
      b_.CreateAlignedStore(imm(0), at, llvm::Align(4));
      return false;
    });
    barrier();
  }

  /// for (i = from; i < to; i += step) body(i), bottom-tested. Domain: i + step does not wrap. `body` says
  /// whether it left for the exit on every way.
  template <typename Body>
  void loop(Ir from, Ir to, uint32_t step, Body&& body) {
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* run = block("loop");
    llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "done");
    b_.CreateCondBr(b_.CreateICmpULT(from, to), run, after);
    b_.SetInsertPoint(run);
    llvm::PHINode* index = b_.CreatePHI(word(), 2, "i");
    index->addIncoming(from, before);
    if (!body(index)) {
      Ir next = b_.CreateAdd(index, imm(step), "", /*HasNUW=*/true);
      index->addIncoming(next, b_.GetInsertBlock());
      b_.CreateCondBr(b_.CreateICmpULT(next, to), run, after);
    }
    function_->insert(function_->end(), after);
    b_.SetInsertPoint(after);
  }

  // ---- Values --------------------------------------------------------------------------------------------

  void set(Value v, Ir value) { values_[index(v)] = value; }
  /// As it was made: a word, or one bit.
  Ir made(Value v) {
    const Inst& inst = k_[v];
    switch (given_by(inst.kind)) {
      case BuiltinInput::Literal: return imm(inst.imm);
      case BuiltinInput::Length: return memory_[inst.target].length;
      case BuiltinInput::InvocationId: return invocation_[inst.imm];
      case BuiltinInput::WorkgroupId: return group_[inst.imm];
      case BuiltinInput::LocalId: return local_[inst.imm];
      case BuiltinInput::Nothing: break;
    }
    return values_[index(v)];
  }
  Ir operand(Value v) {
    Ir value = made(v);
    return value->getType()->isIntegerTy(1) ? b_.CreateZExt(value, word()) : value;
  }
  Ir condition(Value v) {
    Ir value = made(v);
    return value->getType()->isIntegerTy(1) ? value : b_.CreateICmpNE(value, imm(0));
  }

  Ir emit_raw(const Inst& inst) {
    const auto args = k_.args(inst);
    RawOperands o;
    if (inst.raw == RawOp::Select || inst.raw == RawOp::WideSelect) {
      o.condition = condition(args[0]);
    } else {
      o.a = operand(args[0]);
    }
    if (args.size() > 1) o.b = operand(args[1]);
    if (args.size() > 2) o.c = operand(args[2]);
    return lower::emit_raw(b_, inst.raw, o);
  }

  Ir emit_intrinsic(const Inst& inst) {
    const auto args = k_.args(inst);
    SubgroupCall call{
        .lane = b_.CreateAnd(thread_, imm(kPtxSubgroupSize - 1)), .word = inst.target, .target = target_};
    if (!args.empty()) call.first = operand(args[0]);
    if (args.size() > 1) call.second = operand(args[1]);
    return emit_subgroup(b_, spec::Intrinsic(inst.imm), call);
  }

  // ---- Memory --------------------------------------------------------------------------------------------

  /// What a raw access moves, and where.
  struct Place {
    llvm::Type* type;  // a word, or 16 bits
    Ir address;
    llvm::Align align;
  };
  Place place(const Inst& inst) {
    const uint32_t bytes =
        inst.access == Access::Words ? 4 : spec::info(k_.buffers[inst.target].element).bytes;
    Ir base = memory_[inst.target].base;
    Ir at = b_.CreateZExt(operand(k_.arg(inst, 0)), b_.getInt64Ty());
    if (bytes == 2) {
      return {b_.getInt16Ty(), b_.CreateInBoundsGEP(b_.getInt16Ty(), base, at), llvm::Align(2)};
    }
    if (bytes == 4) return {word(), b_.CreateInBoundsGEP(word(), base, at), llvm::Align(4)};
    llvm::Type* whole = llvm::ArrayType::get(word(), bytes / 4);
    const llvm::Align align(inst.imm == 0 ? bytes : inst.imm % 2 == 0 ? 8 : 4);
    return {word(), b_.CreateInBoundsGEP(whole, base, {at, b_.getInt64(inst.imm)}), align};
  }

  Ir load(const Inst& inst) {
    const Place at = place(inst);
    Ir loaded = b_.CreateAlignedLoad(at.type, at.address, at.align);
    const auto access = k_.buffers[inst.target].access;
    // Another thread may write here at the same time: what is loaded must be one value for all that follows.
    // Frozen before it is widened, so that the upper half of a 16-bit element stays zero.
    const bool racy = access == spec::BufferAccess::ReadWrite || access == spec::BufferAccess::Workgroup;
    if (racy) loaded = b_.CreateFreeze(loaded);
    return b_.CreateZExt(loaded, word());
  }
  void store(const Inst& inst) {
    const Place at = place(inst);
    b_.CreateAlignedStore(b_.CreateTrunc(operand(k_.arg(inst, 1)), at.type), at.address, at.align);
  }
  Ir atomic(const Inst& inst) {
    const Place at = place(inst);
    // NVPTX mislowers stronger orders, and order per location is all that the semantics ask for.
    constexpr auto kOrder = llvm::AtomicOrdering::Monotonic;
    if (inst.op == spec::Op::AtomicCompareExchange) {
      auto* pair = b_.CreateAtomicCmpXchg(at.address, operand(k_.arg(inst, 1)), operand(k_.arg(inst, 2)),
                                          at.align, kOrder, kOrder);
      return b_.CreateExtractValue(pair, 0);
    }
    return b_.CreateAtomicRMW(rmw_of(inst.op), at.address, operand(k_.arg(inst, 1)), at.align, kOrder);
  }

  // ---- Control -------------------------------------------------------------------------------------------

  /// True when the block was left for the exit. Nests as deep as blocks do, which check/ bounds.
  bool emit_block(KBlock id) {
    for (const Value v : k_.block(id)) {
      if (emit(v)) return true;
    }
    return false;
  }

  bool emit_if(const Inst& inst) {
    llvm::BasicBlock* then = block("then");
    llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "endif");
    const bool has_else = inst.orelse != kNoKBlock;
    llvm::BasicBlock* otherwise = has_else ? llvm::BasicBlock::Create(context_, "else") : after;
    b_.CreateCondBr(condition(k_.arg(inst, 0)), then, otherwise);
    b_.SetInsertPoint(then);
    const bool then_left = emit_block(inst.body);
    if (!then_left) b_.CreateBr(after);
    bool else_left = false;
    if (has_else) {
      function_->insert(function_->end(), otherwise);
      b_.SetInsertPoint(otherwise);
      else_left = emit_block(inst.orelse);
      if (!else_left) b_.CreateBr(after);
    }
    if (then_left && else_left) {
      delete after;
      return true;
    }
    function_->insert(function_->end(), after);
    b_.SetInsertPoint(after);
    return false;
  }

  bool emit(Value v) {
    const Inst& inst = k_[v];
    switch (inst.kind) {
      case InstKind::Const:
      case InstKind::Len:
      case InstKind::InvocationId:
      case InstKind::WorkgroupId:
      case InstKind::LocalId: break;
      case InstKind::Get: set(v, b_.CreateLoad(word(), slots_[inst.target])); break;
      case InstKind::Set: b_.CreateStore(operand(k_.arg(inst, 0)), slots_[inst.target]); break;
      case InstKind::If: return emit_if(inst);
      case InstKind::Loop:
        loop(operand(k_.arg(inst, 0)), operand(k_.arg(inst, 1)), 1, [&](Ir i) {
          set(v, i);
          return emit_block(inst.body);
        });
        break;
      case InstKind::Return: b_.CreateBr(exit_); return true;
      case InstKind::Barrier: barrier(); break;
      case InstKind::Raw: set(v, emit_raw(inst)); break;
      case InstKind::RawLoad: set(v, load(inst)); break;
      case InstKind::RawStore: store(inst); break;
      case InstKind::RawAtomic: set(v, atomic(inst)); break;
      case InstKind::Intrinsic: set(v, emit_intrinsic(inst)); break;
      case InstKind::Apply:  // not in a legal kernel
      case InstKind::Load:
      case InstKind::Store:
      case InstKind::Atomic: break;
    }
    return false;
  }

  const Kernel& k_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  Builder b_;
  const PtxTarget target_;
  const std::vector<uint64_t>& shared_offsets_;  // by buffer
  const uint64_t shared_bytes_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* exit_ = nullptr;
  llvm::GlobalVariable* shared_ = nullptr;
  std::vector<Memory> memory_;            // by buffer
  std::vector<llvm::AllocaInst*> slots_;  // by Slot
  std::vector<Ir> values_;                // by Value
  Ir thread_ = nullptr;                   // linear local id
  Ir local_[3] = {}, group_[3] = {}, invocation_[3] = {};
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
    } else {
      ++bound;
    }
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
  EntryPointEmitter(kernel, module, symbol, target, offsets, shared).run();
  return PtxEntry{.name = symbol, .threads = threads, .shared_bytes = uint32_t(shared)};
}

}  // namespace vyre::lower
