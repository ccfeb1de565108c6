// Accesses to all words of one element, which a printer with vectors makes one access.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

struct WholeAccesses {
  /// The parts of each, from the lowest word on, by the Value where it stands: the first load, or the last
  /// store.
  std::unordered_map<uint32_t, std::vector<Value>> at;
  /// By Value: all parts.
  std::unordered_set<uint32_t> joined;
};

/// Accesses of one kind to all words of one element, from the lowest on, with nothing between them but what
/// is computed. `width`: how many words the elements of a buffer have; of one with 1 there are none. `skip`:
/// by Value, what counts as not there; may be empty.
WholeAccesses find_whole_accesses(const Kernel& kernel, const std::function<uint32_t(uint32_t buffer)>& width,
                                  const std::vector<bool>& skip = {});

/// How many words of its element a load or a store has.
inline uint32_t words_of_access(const Inst& access) { return access.type == spec::DataType::U64 ? 2 : 1; }

}  // namespace vyre::lower
