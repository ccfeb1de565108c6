// Which instructions of a kernel are run and have an effect. Internal to lower/wgsl.
#pragma once

#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

/// By Value: whether the instruction changes memory, waits or returns, or something that does needs it; and
/// it does not stand behind a return. An If or a Loop is live if anything in it is; a Set if a live Get reads
/// its slot.
/// Domain  a legal kernel.
/// Cost    linear.
std::vector<bool> live_instructions(const Kernel& kernel, const std::vector<bool>& leaving);

/// By Value: whether some live instruction has it as operand.
std::vector<bool> used_results(const Kernel& kernel, const std::vector<bool>& live);

}  // namespace vyre::lower
