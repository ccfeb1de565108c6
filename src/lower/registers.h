// Where the kernel evaluator keeps values: as few registers as are alive at once.
//
// A workgroup runs in lock-step, so each register is an array over up to 1024 invocations; one a value would
// be gigabytes for a large program.
#pragma once

#include <cstdint>
#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

struct Registers {
  std::vector<uint32_t> of;  // by Value
  uint32_t count = 0;
};

/// A register for each value from its instruction to its last use; a use within a nested block keeps the
/// value to the end of the If or Loop that stands in the value's own block, since a loop comes back to it.
Registers allocate_registers(const Kernel& kernel);

}  // namespace vyre::lower
