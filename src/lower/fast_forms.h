// Fast forms: the elementary functions of one f32, correctly rounded, by floats of 64 bits.
//
// A form is a straight line (sin, cos and tan have a branch for angles from 2^20 on): f64 has 29 bits more
// than the result needs, so a value that is right to nearly its last bit rounds the right way unless it lies
// within 2^-29 or so of the middle of two numbers. There are only 2^32 inputs, so all were run, with and
// without fused multiply-adds, and the handful that went wrong are listed in the forms and put right by
// selects. There is no rounding test and no second step. docs/evidence/functions/fast says how they were
// found and run; test/sweep runs them on a backend.
//
// Approximate forms are what the approximate functions are in a legal kernel, where they need not be the
// strict ones. In f32, by sums and products of the target's own (lower/fast/single.h); f16 and bf16 are
// widened, and rounded once more. Where a target does not round those right, keeps no subnormals or converts
// no f16, and for the functions that have no form, the strict form serves: it is within any bound.
#pragma once

#include <functional>

#include "lower/rules.h"

namespace vyre::lower {

/// Whether the operator has a fast form that is right under these promises, on F32.
bool has_fast_form(spec::Op op, const FloatPromises& floats);

/// The pattern of the result; of a NaN the canonical one. Domain: has_fast_form(op, the target's promises).
Value fast_form(Rewriter& r, spec::Op op, Value x);

/// Whether an approximate function has a form of its own under these promises. Domain:
/// spec::is_approximate(op).
bool has_approximate_form(spec::Op op, spec::DataType type, const FloatPromises& floats);

/// The pattern of the result, of a NaN the canonical one. `x` is an f32; strict() writes the strict function
/// of it and gives its pattern. Domain: has_approximate_form(op, F32, the target's promises).
Value approximate_form(Rewriter& r, spec::Op op, Value x, const std::function<Value()>& strict);

}  // namespace vyre::lower
