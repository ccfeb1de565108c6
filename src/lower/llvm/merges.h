// Slots that are merges.
//
// Most slots are what a guarded access leaves behind: set, set again at the top of one arm of an if, and read
// after it. Those are one phi and need no memory; that keeps kernels of 10^5 accesses linear, which they
// would not be if LLVM had to find the phis.
#pragma once

#include <cstdint>
#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

struct Merge {
  uint32_t slot;
  Value owner;   // the If, which has no else
  Value before;  // its value when the arm is not taken
  Value inside;
};

/// By slot. Cost: linear in the kernel.
std::vector<Merge> find_merges(const Kernel& kernel);

}  // namespace vyre::lower
