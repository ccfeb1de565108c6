// Diagnostics for a worker that broke its contract: B012 in one wording for each kind, so that kinds can be
// distinguished.
#pragma once

#include <string_view>

#include "worker/worker.h"

namespace vyre::worker {

/// `what`: which byte of which buffer, which message.
Diag make_breach(Breach breach, std::string_view what);

}  // namespace vyre::worker
