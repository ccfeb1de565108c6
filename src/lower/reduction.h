// Reductions as build() expands them: a loop over a buffer's elements, in a shape that depends on nothing but
// their number.
//
// Each invocation evaluates its reduction by itself. A strict one folds from the left. A tree over n elements
// splits after the largest power of two below n: elements arrive one by one, and blocks of equal size merge
// as they complete, as the digits of a binary counter carry; with the last element, what is left merges from
// the right. The blocks that wait, at most one a size, are kept in slots, and the operator that folds stands
// in one place only, since composed of integers it may be a hundred instructions. An approximate one needs no
// order at all (lower/approximate_reduction.h). Source: semantics, "Floats".
#pragma once

#include <optional>
#include <utility>

#include "lower/kernel.h"

namespace vyre::lower {

struct Reduction {
  spec::Op op{};          // is_reduction
  spec::Op fold{};        // is_fold
  spec::DataType type{};  // of the elements: a float
  uint32_t buffer = 0;
  std::optional<std::pair<Value, Value>> range;  // u32; else all elements
};

/// Writes it to the end of a block of a semantic kernel, and gives its result.
Value write_reduction(Kernel& kernel, KBlock block, Span origin, const Reduction& reduction);

}  // namespace vyre::lower
