// Where the kernel evaluator keeps values and slots: as few registers as are alive at once.
//
// A workgroup runs in lock-step, so each register is an array over up to 1024 invocations; one for each value
// and each slot would be gigabytes for a large program.
#pragma once

#include <cstdint>
#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

struct Registers {
  std::vector<uint32_t> values;  // by Value
  std::vector<uint32_t> slots;   // by Slot
  uint32_t count = 0;
};

/// A register for each value from its instruction to its last use, and for each slot from its first Set to
/// its last Get or Set. A use within a nested block keeps its register to the end of the If or Loop that
/// stands in the block of the definition, since a loop comes back to it.
///
/// Domain  the first Set of a slot, in the order of the text, stands in a block that encloses all its uses:
/// so it
///         is in what build() and legalize() make, where a variable begins with its Let.
Registers allocate_registers(const Kernel& kernel);

}  // namespace vyre::lower
