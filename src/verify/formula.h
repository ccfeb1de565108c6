// Formulas on the device: an operation's definition as a program of its own, which shares nothing with its
// composition.
//
// A definition by formula (ops/operation.h) is what solvers believe. Here it is written in the IR as word
// arithmetic that is slow and plain: sums by halves of 16 bits, products by halves, quotients by long
// division in plain sums and borrows, `and` by De Morgan, comparisons by borrows; no select, no comparison,
// no shift by anything but a number. So a backend that gets an operator wrong gets the operation and its
// formula wrong in different ways, and the two can be compared where they are, on the device. Source:
// oracles, "How to pick the oracle"; docs/proofs.md, "Adding a definition".
#pragma once

#include <expected>
#include <string>

#include "ir/builder.h"
#include "ops/operation.h"

namespace vyre::verify {

/// "definition.math.add": what a program calls it.
std::string formula_id(const ops::Operation& operation);

/// The formula as a function of the operation's operands. The error is why there is none: no definition by
/// formula, or a term that word arithmetic has no words for. Cost: some hundred instructions at most.
std::expected<ir::Function, std::string> formula_of(const ops::Operation& operation);

}  // namespace vyre::verify
