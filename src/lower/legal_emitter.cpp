#include "lower/legal_emitter.h"

namespace vyre::lower {

bool LegalEmitter::emit_block(KBlock id) {
  for (const Value v : k_.block(id)) {
    if (emit(v)) return true;
  }
  return false;
}

bool LegalEmitter::emit(Value v) {
  const Inst& inst = k_[v];
  switch (inst.kind) {
    case InstKind::Get: emit_get(v, inst); break;
    case InstKind::Set: emit_set(inst); break;
    case InstKind::If: return emit_if(v, inst);
    case InstKind::Loop: emit_loop(v, inst); break;
    case InstKind::Return: emit_return(); return true;
    case InstKind::Barrier: emit_barrier(); break;
    case InstKind::Intrinsic: emit_intrinsic(v, inst); break;
    case InstKind::Raw: emit_raw(v, inst); break;
    case InstKind::RawLoad: emit_load(v, inst); break;
    case InstKind::RawStore: emit_store(inst); break;
    case InstKind::RawAtomic: emit_atomic(v, inst); break;
    case InstKind::Const:  // builtin inputs
    case InstKind::Len:
    case InstKind::InvocationId:
    case InstKind::WorkgroupId:
    case InstKind::LocalId:
    case InstKind::NumWorkgroups:
    case InstKind::Apply:  // not in a legal kernel
    case InstKind::Load:
    case InstKind::Store:
    case InstKind::Atomic: break;
  }
  return false;
}

}  // namespace vyre::lower
