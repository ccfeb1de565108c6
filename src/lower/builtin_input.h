// Builtin inputs: literals, lengths and ids, which a printer materialises once, in the entry block, and which
// instructions reference.
#pragma once

#include "lower/kernel.h"

namespace vyre::lower {

enum class BuiltinInput : uint8_t { Literal, Length, InvocationId, WorkgroupId, LocalId, Nothing };

/// Nothing: the instruction computes its result where it stands, or has none.
constexpr BuiltinInput given_by(InstKind kind) {
  switch (kind) {
    case InstKind::Const: return BuiltinInput::Literal;
    case InstKind::Len: return BuiltinInput::Length;
    case InstKind::InvocationId: return BuiltinInput::InvocationId;
    case InstKind::WorkgroupId: return BuiltinInput::WorkgroupId;
    case InstKind::LocalId: return BuiltinInput::LocalId;
    case InstKind::Get:
    case InstKind::Set:
    case InstKind::If:
    case InstKind::Loop:
    case InstKind::Return:
    case InstKind::Barrier:
    case InstKind::Intrinsic:
    case InstKind::Apply:
    case InstKind::Load:
    case InstKind::Store:
    case InstKind::Atomic:
    case InstKind::Raw:
    case InstKind::RawLoad:
    case InstKind::RawStore:
    case InstKind::RawAtomic: break;
  }
  return BuiltinInput::Nothing;
}

}  // namespace vyre::lower
