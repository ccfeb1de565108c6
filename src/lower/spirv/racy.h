// Which loads must happen exactly once, because a race could make a second one differ.
//
// A word that another invocation may write at the same time is indeterminate, but it must be one word: where
// the guard of an access and the access itself each load it anew, the guard proves nothing. SPIR-V has no
// freeze, and an optimiser may load plain memory as often as it likes; a volatile access it may neither
// duplicate nor merge. So those loads are volatile whose word can reach a place that would turn a surprise
// into a wild access or an endless loop; all others stay plain, as what they bring is data, and a race may
// make any data of it. Internal to lower/spirv. Source: SPIR-V specification, "Memory Operands";
// docs/adr/0023.
#pragma once

#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

/// By Value: whether it is a load from memory that this kernel writes, whose word may reach an index, the
/// bounds of a loop, an operand of a raw operator that is undefined outside its domain, or the condition of
/// more than of what variables hold.
/// Domain  a legal kernel.
/// Cost    linear.
std::vector<bool> volatile_loads(const Kernel& kernel);

}  // namespace vyre::lower
