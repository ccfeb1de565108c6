// Reductions: what the specification fixes about folds, for the interpreter and for the compilers.
#pragma once

#include "spec/float_format.h"
#include "spec/ops.h"

namespace vyre::spec {

/// The pattern that no elements reduce to: +0, 1, and for the smaller and the larger of two the infinity that
/// loses against every number. Domain: is_fold(fold), a float type. Source: semantics, "Floats".
constexpr uint32_t fold_identity(Op fold, DataType type) {
  const FloatFormat f = float_format(type);
  if (fold == Op::FMul) return f.one();
  if (fold == Op::FMin) return f.infinity();
  return fold == Op::FMax ? f.infinity() | f.sign_bit() : 0;
}

}  // namespace vyre::spec
