// The one walk over a legal kernel that writes it in another language: LLVM IR, SPIR-V, WGSL, C++, CUDA C++.
//
// A target derives from LegalEmitter and says how it writes each kind of instruction; which function an
// instruction goes to, and where the rest of a block is not reached, stands here once. Builtin inputs
// (literals, lengths, ids) have no place of their own in the text: they are written where they are used, and
// semantic instructions are not in a legal kernel.
#pragma once

#include "lower/kernel.h"

namespace vyre::lower {

class LegalEmitter {
 protected:
  explicit LegalEmitter(const Kernel& kernel) : k_(kernel) {}
  ~LegalEmitter() = default;

  /// Writes a block, up to where it returns on every way; true when it does. Nests as deep as blocks do,
  /// which check/ bounds.
  virtual bool emit_block(KBlock id);
  /// Writes one instruction; true when nothing behind it in its block is reached.
  bool emit(Value v);

  virtual void emit_get(Value v, const Inst& inst) = 0;
  virtual void emit_set(const Inst& inst) = 0;
  /// True when both blocks returned on every way.
  virtual bool emit_if(Value v, const Inst& inst) = 0;
  virtual void emit_loop(Value v, const Inst& inst) = 0;
  virtual void emit_return() = 0;
  virtual void emit_barrier() = 0;
  /// Targets without subgroups refuse them before.
  virtual void emit_intrinsic(Value /*v*/, const Inst& /*inst*/) {}
  virtual void emit_raw(Value v, const Inst& inst) = 0;
  virtual void emit_load(Value v, const Inst& inst) = 0;
  virtual void emit_store(const Inst& inst) = 0;
  virtual void emit_atomic(Value v, const Inst& inst) = 0;

  const Kernel& k_;
};

}  // namespace vyre::lower
