// Approximate forms: what the approximate functions are in a legal kernel, where they need not be the strict
// ones.
//
// In f32, by sums and products of the target's own (lower/fast/single.h); f16 and bf16 are widened, and
// rounded once more. Where a target does not round those right, keeps no subnormals or converts no f16, and
// for the functions that have no form, the strict form serves: it is within any bound.
#pragma once

#include <functional>

#include "lower/rules.h"

namespace vyre::lower {

/// Whether an approximate function has a form of its own under these promises. Domain:
/// spec::is_approximate(op).
bool has_approximate_form(spec::Op op, spec::DataType type, const FloatPromises& floats);

/// The pattern of the result, of a NaN the canonical one. `x` is an f32; strict() writes the strict function
/// of it and gives its pattern. Domain: has_approximate_form(op, F32, the target's promises).
Value approximate_form(Rewriter& r, spec::Op op, Value x, const std::function<Value()>& strict);

}  // namespace vyre::lower
