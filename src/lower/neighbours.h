// Accesses to four neighbours in memory, which a printer with vectors makes one access.
//
// A GPU moves sixteen bytes as fast as four, but a compiler joins accesses only where it knows that their
// indices follow one another and that the first is a multiple of four: of a pointer it knows that from its
// alignment, of SPIR-V's arrays of words nothing. Here an index is what is left of it without literals that
// are added, and a literal; equal rests have equal numbers, and a rest has trailing zeros that are certain.
// An array whose accesses are mostly in fours is then declared as one of vectors, in which the others name an
// element's component.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

struct Neighbours {
  /// The parts of each four, from the lowest index on, by the Value where it stands: the first load, or the
  /// last store.
  std::unordered_map<uint32_t, std::vector<Value>> at;
  /// By Value: all parts.
  std::unordered_set<uint32_t> joined;
  /// By buffer: whether it is better an array of vectors of four.
  std::vector<bool> in_fours;
  /// By Value: an index that is a sum of which one operand is a multiple of four and that cannot wrap, so
  /// that its quarter is the sum of theirs.
  std::vector<bool> sums;
};

/// Domain: a legal kernel. Cost: linear, but for a look of some instructions ahead at each access.
Neighbours find_neighbours(const Kernel& kernel);

}  // namespace vyre::lower
