// Fast forms: the elementary functions of one f32, correctly rounded, by floats of 64 bits.
//
// A form is a straight line (sin, cos and tan have a branch for angles from 2^20 on): f64 has 29 bits more
// than the result needs, so a value that is right to nearly its last bit rounds the right way unless it lies
// within 2^-29 or so of the middle of two numbers. There are only 2^32 inputs, so all were run, with and
// without fused multiply-adds, and the handful that went wrong are listed in the forms and put right by
// selects. There is no rounding test and no second step. docs/evidence/functions/fast says how they were
// found and run; test/sweep runs them on a backend.
#pragma once

#include "lower/rules.h"

namespace vyre::lower {

/// Whether the operator has a fast form that is right under these promises, on F32.
bool has_fast_form(spec::Op op, const FloatPromises& floats);

/// The pattern of the result; of a NaN the canonical one. Domain: has_fast_form(op, the target's promises).
Value fast_form(Rewriter& r, spec::Op op, Value x);

}  // namespace vyre::lower
