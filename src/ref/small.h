// Small types: what their casts give.
//
// An element of a small type is a number of few bits, so all of its values fit in a table: the value of each
// pattern as the bits of an f32, which is exact. Rounding is a search in it: the patterns of positive numbers
// ascend with their values, and so do the bits of positive f32, so a number is rounded by counting the
// middles between neighbours that it is above. There is no arithmetic of floats here, and nothing that the
// layer `tensor` has. Source: docs/spec/graphs.md, "Small types"; OCP 8-bit Floating Point Specification 1.0,
// tables 1 and 2; OCP Microscaling Formats 1.0, section 5.3.3.
#pragma once

#include "ref/eval.h"
#include "spec/types.h"

namespace vyre::ref {

/// The f32 of a pattern. Domain: a small float; a pattern of its bits.
uint32_t f32_of_small(spec::DataType from, uint32_t pattern);
/// The pattern that an f32 is rounded to, ties to even. Domain: a small float.
uint32_t small_of_f32(spec::DataType to, uint32_t bits);

/// A cast from a small type to its wide type, from f32 to a small type, or from u32 or i32 to i8 or u8. mode:
/// of f32 to i8 or u8.
Bits cast_small(spec::DataType from, spec::DataType to, spec::RoundingMode mode, Bits value);

}  // namespace vyre::ref
