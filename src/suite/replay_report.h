// What replays print of what they saw. Internal to suite.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "check/checked.h"
#include "spec/types.h"
#include "suite/replay.h"
#include "verify/culprit.h"

namespace vyre::suite {

/// Whether what a backend answered is a fault of the case that is replayed, and not a reason to stop.
bool is_fault(const Diag& diag, const backend::Backend& backend);

/// Buffers of a program in the order of their bindings, a line each, of which `label` begins the first:
/// "  input     a = 0x00000001 (1)". Of each as many elements as describe_elements() shows; with `written` of
/// those alone that the program may write.
std::string buffer_lines(const check::Checked& checked, const std::vector<Bytes>& buffers,
                         std::string_view label, bool written);

/// Adds what running cases together showed, wrong answers as a value of `type`. Errors: what is not a fault
/// of theirs.
Result<void> tell(const verify::Seen& seen, const backend::Backend& backend, std::string_view when,
                  spec::DataType type, Replay& out);

}  // namespace vyre::suite
