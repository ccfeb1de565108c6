#include "lower/llvm/emitter.h"

#include <llvm/IR/Module.h>

#include "lower/inst_info.h"
#include "lower/llvm/raw.h"
#include "spec/ops.h"

namespace vyre::lower {

Emitter::Emitter(const Kernel& kernel, llvm::Module& module)
    : LegalEmitter(kernel), module_(module), context_(module.getContext()), b_(context_) {}

void Emitter::make_function(const std::string& symbol, const std::vector<llvm::Type*>& types) {
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr(llvm::Attribute::MustProgress);
  // The mode that the caller of the code sets (base/float_environment.h), in which LLVM's own model of
  // arithmetic is exact. "strictfp" would be for code that changes the mode or looks at exceptions.
  function_->addFnAttr("denormal-fp-math", "ieee,ieee");
  b_.SetInsertPoint(block("entry"));
}

void Emitter::enter(llvm::BasicBlock* block) {
  function_->insert(function_->end(), block);
  b_.SetInsertPoint(block);
}

Emitter::Ir Emitter::builtin(const Inst& inst) {
  switch (given_by(inst.kind)) {
    case BuiltinInput::Literal: return imm(inst.imm);
    case BuiltinInput::Length: return memory_[inst.target].length;
    case BuiltinInput::InvocationId: return invocation_[inst.imm];
    case BuiltinInput::WorkgroupId: return group_[inst.imm];
    case BuiltinInput::LocalId: return local_[inst.imm];
    case BuiltinInput::NumWorkgroups: return groups_[inst.imm];
    case BuiltinInput::Nothing: break;
  }
  return nullptr;
}

// ---- Instructions ----------------------------------------------------------------------------------------

Emitter::Ir Emitter::raw_operator(const Inst& inst) {
  const auto args = k_.args(inst);
  RawOperands o;
  if (selects(inst.raw)) {
    o.condition = condition(args[0]);
  } else {
    o.a = operand(args[0]);
  }
  if (args.size() > 1) o.b = operand(args[1]);
  if (args.size() > 2) o.c = operand(args[2]);
  return lower::emit_raw(b_, inst.raw, o);
}

void Emitter::emit_get(Value v, const Inst& inst) {
  set(v, b_.CreateLoad(slot_type(inst.target), slots_[inst.target]));
}
void Emitter::emit_set(const Inst& inst) { b_.CreateStore(operand(k_.arg(inst, 0)), slots_[inst.target]); }

bool Emitter::emit_if(Value /*v*/, const Inst& inst) {
  return emit_branch(
      condition(k_.arg(inst, 0)), [&] { return emit_block(inst.body); }, inst.orelse != kNoKBlock,
      [&] { return emit_block(inst.orelse); });
}
void Emitter::emit_loop(Value v, const Inst& inst) {
  emit_loop_over(v, operand(k_.arg(inst, 0)), operand(k_.arg(inst, 1)),
                 [&] { return emit_block(inst.body); });
}

// ---- Memory ----------------------------------------------------------------------------------------------

// Index and offset are taken together in 64 bits: 2^32 elements of 16 bytes are far beyond 32.
Emitter::MemoryOperand Emitter::memory_operand(const Inst& access) {
  const uint32_t bytes =
      access.access == Access::Words ? 4 : spec::info(k_.buffers[access.target].element).bytes;
  Ir base = memory_[access.target].base;
  Ir at = wide_index(k_.arg(access, 0));
  if (bytes == 2) return {b_.getInt16Ty(), b_.CreateInBoundsGEP(b_.getInt16Ty(), base, at), llvm::Align(2)};
  if (bytes == 4) return {word(), b_.CreateInBoundsGEP(word(), base, at), llvm::Align(4)};
  llvm::Type* whole = llvm::ArrayType::get(word(), bytes / 4);
  llvm::Type* moved = access.type == spec::DataType::U64 ? b_.getInt64Ty() : word();
  return {moved, b_.CreateInBoundsGEP(whole, base, {at, b_.getInt64(access.imm)}),
          word_align(bytes, access.imm)};
}

void Emitter::emit_load(Value v, const Inst& access) {
  const MemoryOperand at = memory_operand(access);
  Ir loaded = tag(b_.CreateAlignedLoad(at.type, at.address, at.align), memory_[access.target]);
  // Another invocation may write here at the same time. What is loaded is then indeterminate, and must be
  // one value for all that is computed from it: a guard and the access that it guards. Frozen before it is
  // widened, so that the upper half of a 16-bit element stays zero.
  if (spec::is_written_by_others(k_.buffers[access.target].access)) loaded = b_.CreateFreeze(loaded);
  set(v, access.type == spec::DataType::U64 ? loaded : b_.CreateZExt(loaded, word()));
}

void Emitter::emit_store(const Inst& access) {
  const MemoryOperand at = memory_operand(access);
  Ir value = b_.CreateTrunc(operand(k_.arg(access, 1)), at.type);  // of all but halves: itself
  tag(b_.CreateAlignedStore(value, at.address, at.align), memory_[access.target]);
}

void Emitter::emit_atomic(Value v, const Inst& access) {
  const MemoryOperand at = memory_operand(access);
  const Memory& m = memory_[access.target];
  // Order per location is all that the semantics ask for, and NVPTX mislowers stronger orders.
  constexpr auto kOrder = llvm::AtomicOrdering::Monotonic;
  Ir value = operand(k_.arg(access, 1));
  if (access.op == spec::Op::AtomicCompareExchange) {
    auto* pair =
        b_.CreateAtomicCmpXchg(at.address, value, operand(k_.arg(access, 2)), at.align, kOrder, kOrder);
    set(v, b_.CreateExtractValue(tag(pair, m), 0));
  } else {
    set(v, tag(b_.CreateAtomicRMW(rmw_of(access.op), at.address, value, at.align, kOrder), m));
  }
}

uint32_t Emitter::private_bytes(const KernelBuffer& buffer) {
  const uint32_t bytes = buffer.count * spec::info(buffer.element).bytes;  // check/ keeps it small
  return (bytes + 15) / 16 * 16;
}

Emitter::Memory Emitter::make_private(const KernelBuffer& buffer) {
  auto* type = llvm::ArrayType::get(word(), private_bytes(buffer) / 4);
  llvm::AllocaInst* array = b_.CreateAlloca(type, nullptr, buffer.name);
  array->setAlignment(llvm::Align(16));
  return {.base = array, .length = imm(buffer.count)};
}

// ---- Loops -----------------------------------------------------------------------------------------------

Emitter::LoopFrame Emitter::open_loop(Ir from, Ir to, const char* name, Range range, uint32_t step) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  LoopFrame loop{nullptr,
                 block(name),
                 llvm::BasicBlock::Create(context_, "next"),
                 llvm::BasicBlock::Create(context_, "done"),
                 to,
                 step};
  if (range == Range::NotEmpty) {
    b_.CreateBr(loop.body);
  } else {
    b_.CreateCondBr(b_.CreateICmpULT(from, to), loop.body, loop.exit);
  }
  b_.SetInsertPoint(loop.body);
  loop.index = b_.CreatePHI(from->getType(), 2, name);
  loop.index->addIncoming(from, before);
  return loop;
}

void Emitter::close_loop(LoopFrame& loop, bool terminated) {
  if (!terminated && loop.latch->hasNPredecessors(0)) {
    delete loop.latch;
    loop.latch = b_.GetInsertBlock();
  } else {
    if (!terminated) b_.CreateBr(loop.latch);
    enter(loop.latch);
  }
  function_->insert(function_->end(), loop.exit);
  Ir step = llvm::ConstantInt::get(loop.index->getType(), loop.step);
  Ir next = b_.CreateAdd(loop.index, step, "", /*HasNUW=*/true);  // it cannot wrap
  loop.index->addIncoming(next, loop.latch);
  b_.CreateCondBr(b_.CreateICmpULT(next, loop.to), loop.body, loop.exit);
  b_.SetInsertPoint(loop.exit);
}

void Emitter::unroll(const LoopFrame& loop) {
  llvm::Metadata* parts[] = {
      nullptr, llvm::MDNode::get(context_, {llvm::MDString::get(context_, "llvm.loop.unroll.full")})};
  llvm::MDNode* id = llvm::MDNode::getDistinct(context_, parts);
  id->replaceOperandWith(0, id);
  loop.latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, id);
}

}  // namespace vyre::lower
