// A legal kernel as the one function of a module: control flow, variables, ids. Internal to lower/wgsl.
#pragma once

#include "lower/wgsl/wgsl.h"

namespace vyre::lower {

/// Domain, Cost: as emit_wgsl(), whose limits have been checked.
WgslModule emit_wgsl_shell(const Kernel& kernel);

}  // namespace vyre::lower
