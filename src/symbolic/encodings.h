// The check that every encoding passes before any verdict counts.
//
// A solver proves what the formula says. That the formula says what the operator does is another question, so
// each operator's encoding is evaluated beside ref::eval on all operands of 0 to 255, pairs included, signed
// ones extended, at every type; and each operation's definition beside its reference function likewise.
// Nothing is proved in a process in which this has not passed. Source: semantics, "Laws and evidence".
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "ops/operation.h"

namespace vyre::symbolic {

/// Runs once a process and is remembered: the number of instances, or the first that differs.
/// Thread  any. Cost: a second or so the first time.
const std::expected<uint64_t, std::string>& encodings_checked();

/// The definition against the reference function on all operands of 0 to 255, at full width; of three
/// operands those of 0 to 31 and the edges. Remembered by operation. Errors: they differ, with the first
/// operands; or there is no definition.
std::expected<uint64_t, std::string> definition_checked(const ops::Operation& operation);

}  // namespace vyre::symbolic
