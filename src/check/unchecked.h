// Programs whose barriers may diverge, to see what they do.
//
// check() accepts a barrier only where control flow is proved to be the same for the whole workgroup (V010),
// so a program whose condition happens to be is refused like one that hangs. The reference can distinguish
// the two for one dispatch: it sees which invocation waits where (ref/machine.h). Only a driver that watches
// for that may be given such a program; no backend for a device ever is.
#pragma once

#include <expected>

#include "check/checked.h"

namespace vyre::check {

struct Watchable {
  Checked checked;        // keeps every rule but that of barriers
  Diagnostics divergent;  // V010 of those that may diverge; none: check() accepts it too
};

/// As check(), but that a barrier may diverge is no error. Errors: all other broken rules.
std::expected<Watchable, Diagnostics> check_but_barriers(ir::Program program, const spec::OpTable& ops);

}  // namespace vyre::check
