// A legal kernel as the one function of a module: control flow, variables, ids. Internal to lower/wgsl.
#pragma once

#include "lower/wgsl/wgsl.h"

namespace vyre::lower {

/// Domain, Errors, Cost: as emit_wgsl(); without operations of subgroups.
Result<WgslModule> emit_wgsl_shell(const Kernel& kernel, const WgslOptions& options);

}  // namespace vyre::lower
