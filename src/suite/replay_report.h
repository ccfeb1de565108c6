// What replays print of what they saw. Internal to suite.
#pragma once

#include <span>
#include <string_view>

#include "spec/types.h"
#include "suite/replay.h"
#include "verify/blame.h"

namespace vyre::suite {

/// Whether what a backend answered is a fault of the case that is replayed, and not a reason to stop.
bool is_fault(const Diag& diag, const backend::Backend& backend);

/// Adds what running cases together showed, wrong answers as a value of `type`. Errors: what is not a fault
/// of theirs.
Result<void> tell(const verify::Seen& seen, const backend::Backend& backend, std::string_view when,
                  spec::DataType type, Replay& out);

}  // namespace vyre::suite
