// A legal kernel as the one function of a module: control flow, variables, ids. Internal to lower/spirv.
#pragma once

#include "lower/spirv/spirv.h"

namespace vyre::lower {

/// Domain, Cost: as emit_spirv(), whose limits have been checked.
SpirvModule emit_shell(const Kernel& kernel, const SpirvTarget& target);

}  // namespace vyre::lower
