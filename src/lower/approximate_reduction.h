// FReduceApprox as build() expands it: integers that are added in any order.
//
// A sum is a fixed-point one. A first loop finds the greatest magnitude; the second aligns each element to
// it, cuts it off below 2^-59 of the greatest one's binade, and adds what is left as three digits of 20 bits.
// A product multiplies significands as fractions of 64 bits, in two chains of four at a time, and adds
// exponents. The least and the greatest are those of patterns, ordered as integers. No float is added, so
// nothing overflows on the way, no subnormal is lost, the form is the same on every target, whatever its
// floats promise, and compilers may vectorise the loops, which those of a strict fold forbid.
//
// Why any tolerance from 1 is kept. At most 2^32 elements are each cut off by less than 2^(e-59), e the
// exponent of the greatest; so all together by less than 2^(e-27), and an ULP of the sum of magnitudes is at
// least 2^(e-23): 1/16 of it. Four elements multiplied and taken into a chain lose less than 2^-56 of it
// (three of 2^60 and three of 2^59), 2^30 fours less than 2^-26, and an ULP is at least 2^-24 of it: 1/4.
// Each is rounded to f32 once, off by half an ULP. Narrower types are widened first, exactly, and rounded
// from f32 once more: half an ULP of their own. Source: docs/spec/floats.md, "Approximate operators".
#pragma once

#include "lower/reduction.h"

namespace vyre::lower {

/// Domain: reduction.op is FReduceApprox; its result is right for every tolerance.
Value write_approximate_reduction(Kernel& kernel, KBlock block, Span origin, const Reduction& reduction);

}  // namespace vyre::lower
