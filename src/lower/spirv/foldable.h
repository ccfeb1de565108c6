// Which words a driver could work out while it compiles.
//
// What a driver computes itself it computes in ways of its own: llvmpipe takes x + 0 for x and x * 0 for 0
// whatever the signs, NVIDIA's driver (580) folds a * b - c of constants with one rounding, NoContraction or
// not, and drops a rounding to half that is widened again. So what was rounded to half, and an operand of
// arithmetic on floats that may be known before the program runs is made opaque: an exclusive or with a
// word that is zero in every dispatch, which only the caller of the dispatch knows. Internal to lower/spirv.
// docs/adr/0023.
#pragma once

#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

/// By Value: whether it follows from constants alone, through operators, variables, loops of constant bounds
/// and memory that the kernel itself writes; whichever way control and selects go.
/// Domain  a legal kernel.
/// Cost    linear, times the buffers into which something known is stored.
std::vector<bool> foldable_values(const Kernel& kernel);

}  // namespace vyre::lower
