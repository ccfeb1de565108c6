// How large words can be: what is known of indices before anything runs.
//
// An access whose index is always below the array's length needs no guard. That is known of many indices into
// workgroup and private memory, whose lengths are constants: ids of invocations, loops with constant bounds,
// masks and remainders, and sums and products of such. Compilers behind the code prove the same only where
// they see through a guard's own select, and a guard between two accesses keeps them from being joined.
#pragma once

#include <cstdint>
#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

/// All that a word may be: least to most, as unsigned.
struct WordRange {
  uint32_t least = 0, most = UINT32_MAX;
};

/// By Value: the range of its result; of what is no single word of u32, everything. Nothing is known of what
/// memory and variables hold. Domain: a kernel of build(). Cost: linear.
std::vector<WordRange> word_ranges(const Kernel& kernel);

}  // namespace vyre::lower
