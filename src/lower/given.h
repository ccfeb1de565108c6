// What an invocation is given: values that printers make once, at the beginning of an entry, and that
// instructions only name.
#pragma once

#include "lower/kernel.h"

namespace vyre::lower {

enum class Given : uint8_t { Literal, Length, InvocationId, WorkgroupId, LocalId, Nothing };

/// Nothing: the instruction computes its result where it stands, or has none.
constexpr Given given_by(InstKind kind) {
  switch (kind) {
    case InstKind::Const: return Given::Literal;
    case InstKind::Len: return Given::Length;
    case InstKind::InvocationId: return Given::InvocationId;
    case InstKind::WorkgroupId: return Given::WorkgroupId;
    case InstKind::LocalId: return Given::LocalId;
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
  return Given::Nothing;
}

}  // namespace vyre::lower
