// A legal kernel's instructions as LLVM IR: what the two entry points have in common.
//
// An entry point says how a kernel is entered: on a CPU one function runs whole workgroups (emit.cpp), on an
// NVIDIA GPU a thread is one invocation (ptx_entry_point.cpp). Inside, both are the kernel's own control flow
// around raw operators and accesses, with slots as variables; that is written here once. An entry point
// derives from Emitter, sets the builtin inputs, memory and slots, and overrides what it does in a way of its
// own. This header has LLVM's own in it: only lower/llvm includes it.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "lower/legal_emitter.h"

namespace vyre::lower {

class Emitter : protected LegalEmitter {
 protected:
  using Ir = llvm::Value*;

  /// An array: a buffer, workgroup memory, or what an entry point keeps for itself.
  struct Memory {
    Ir base = nullptr;
    Ir length = nullptr;  // i32
    llvm::MDNode* scope = nullptr;
    llvm::MDNode* others = nullptr;
  };
  /// A loop under construction, bottom-tested: it runs at least once.
  struct LoopFrame {
    llvm::PHINode* index;
    llvm::BasicBlock* body;
    llvm::BasicBlock* latch;
    llvm::BasicBlock* exit;
    Ir to;
    uint32_t step;
  };

  Emitter(const Kernel& kernel, llvm::Module& module);
  ~Emitter() = default;

  /// Adds the function with arguments of these types, and its first block.
  void make_function(const std::string& symbol, const std::vector<llvm::Type*>& types);

  llvm::Type* word() { return b_.getInt32Ty(); }
  llvm::Type* slot_type(uint32_t slot) {
    return k_.slots[slot].type == spec::DataType::U64 ? b_.getInt64Ty() : word();
  }
  llvm::AllocaInst* make_slot(uint32_t slot) {
    return b_.CreateAlloca(slot_type(slot), nullptr, k_.slots[slot].name);
  }
  Ir imm(uint32_t value) { return b_.getInt32(value); }
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }
  /// Puts a block at the end of the function and goes on there.
  void enter(llvm::BasicBlock* block);

  // Values. `operand` is a value as a word, `condition` as one bit.
  virtual Ir operand(Value v) = 0;
  virtual Ir condition(Value v) = 0;
  virtual void set(Value v, Ir value) = 0;
  /// An index in 64 bits.
  virtual Ir wide_index(Value v) { return b_.CreateZExt(operand(v), b_.getInt64Ty()); }
  /// A literal, a length or an id, which are at hand everywhere; else null.
  Ir builtin(const Inst& inst);

  // Instructions.
  void emit_get(Value v, const Inst& inst) override;
  void emit_set(const Inst& inst) override;
  bool emit_if(Value v, const Inst& inst) override;
  void emit_loop(Value v, const Inst& inst) final;
  void emit_raw(Value v, const Inst& inst) override { set(v, raw_operator(inst)); }
  Ir raw_operator(const Inst& inst);
  void emit_load(Value v, const Inst& inst) override;
  void emit_store(const Inst& inst) final;
  void emit_atomic(Value v, const Inst& inst) final;
  /// The alignment of one word of an element of several.
  virtual llvm::Align word_align(uint32_t /*element_bytes*/, uint32_t /*word*/) { return llvm::Align(4); }

  // Private arrays.
  /// On the stack, aligned to 16 bytes, with words up to there.
  Memory make_private(const KernelBuffer& buffer);
  static uint32_t private_bytes(const KernelBuffer& buffer);

  // Control.
  enum class Range { NotEmpty, MaybeEmpty };
  /// Opens a loop over from, from + step, ... below to. Domain: index + step does not wrap.
  LoopFrame open_loop(Ir from, Ir to, const char* name, Range range = Range::NotEmpty, uint32_t step = 1);
  /// Closes it from the current block, or with `terminated` when the body has left that already. Where
  /// nothing branches to the latch, the current block becomes it.
  void close_loop(LoopFrame& loop, bool terminated);
  /// What an entry point has to say at the beginning of the body of one of the kernel's loops.
  virtual void enter_loop(const LoopFrame& /*loop*/) {}
  /// Tells the optimiser to write a closed loop's rounds one after the other.
  void unroll(const LoopFrame& loop);
  /// `body` says whether it left the current block. A hint to unroll the loop is followed where it is asked
  /// for.
  template <typename Body>
  void emit_loop_over(Value v, Ir from, Ir to, Body&& body, bool follow_hint = true) {
    LoopFrame loop = open_loop(from, to, "loop", Range::MaybeEmpty);
    set(v, loop.index);
    enter_loop(loop);
    const bool terminated = body();
    if (terminated && loop.latch->hasNPredecessors(0)) {
      // Every way through the body leaves: it runs once.
      loop.index->replaceAllUsesWith(from);
      loop.index->eraseFromParent();
      set(v, from);
      delete loop.latch;
      enter(loop.exit);
    } else {
      close_loop(loop, terminated);
      if (follow_hint && k_[v].imm != 0) unroll(loop);
    }
  }
  /// `then` and `otherwise` say whether they left the current block.
  template <typename Then, typename Else>
  bool emit_branch(Ir condition, Then&& then, bool has_else, Else&& otherwise) {
    llvm::BasicBlock* yes = block("then");
    llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "endif");
    llvm::BasicBlock* no = has_else ? llvm::BasicBlock::Create(context_, "else") : after;
    b_.CreateCondBr(condition, yes, no);
    b_.SetInsertPoint(yes);
    const bool left_yes = then();
    if (!left_yes) b_.CreateBr(after);
    bool left_no = false;
    if (has_else) {
      enter(no);
      left_no = otherwise();
      if (!left_no) b_.CreateBr(after);
    }
    if (left_yes && left_no) {
      delete after;
      return true;
    }
    enter(after);
    return false;
  }

  /// Says of an access what the array does not overlap with.
  template <typename Access>
  Access* tag(Access* access, const Memory& m) {
    if (m.scope != nullptr) {
      access->setMetadata(llvm::LLVMContext::MD_alias_scope, m.scope);
      access->setMetadata(llvm::LLVMContext::MD_noalias, m.others);
    }
    return access;
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_ = nullptr;
  std::vector<Memory> memory_;            // by buffer
  std::vector<llvm::AllocaInst*> slots_;  // by Slot
  Ir local_[3] = {};                      // local_id
  Ir group_[3] = {};                      // workgroup_id
  Ir invocation_[3] = {};                 // invocation_id
  Ir groups_[3] = {};                     // of the dispatch: num_workgroups

 private:
  /// What a raw access moves, and where.
  struct MemoryOperand {
    llvm::Type* type;  // a word, 16 bits or two words
    Ir address;
    llvm::Align align;
  };
  MemoryOperand memory_operand(const Inst& access);
};

}  // namespace vyre::lower
