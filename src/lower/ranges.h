// How large words can be: what is known of indices before anything runs.
//
// An access whose index is always below the array's length needs no guard. That is known of many indices into
// workgroup and private memory, whose lengths are constants: ids of invocations, loops with constant bounds,
// masks and remainders, and sums and products of such. It is known of buffers where an if has asked how long
// they are and how many workgroups there are. Compilers behind the code prove the same only where
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

struct KnownRanges {
  /// By Value: the range of its result where that stands; of what is no single word of u32, everything.
  std::vector<WordRange> words;
  /// By Value: of an access to a buffer that is no tensor, whether its index is always below the length.
  std::vector<bool> inside;
};

/// Nothing is known of what memory and variables hold. Where an if's condition has said that a word, an id of
/// workgroups or a length is above or below some other word, that is known inside of it. Domain: a kernel of
/// build(). Cost: linear, times how deep comparisons in conditions nest.
KnownRanges word_ranges(const Kernel& kernel);

}  // namespace vyre::lower
