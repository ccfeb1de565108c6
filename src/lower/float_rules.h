// The rules of legalization for floats.
//
// A legal kernel has no floats, only words, and raw float operators, which are relations (lower/promise.h).
// For each operator there is one native form, right on the part of its domain where what the target promises
// is the one right answer; where that is not everything there is a guard, and beyond the guard, or without a
// promise, the integer composition of ops/float. A native form of a 16-bit type goes through f32 and rounds
// once more, which is right where f32 has more than twice its digits and no exponent is missing.
//
// Results may be raw NaNs, of any payload: lower/nan.h makes them canonical where that can be seen. What is
// said here of a NaN result must not depend on which NaN an operand is.
#pragma once

#include "lower/rules.h"
#include "spec/float_format.h"

namespace vyre::lower {

/// How an operator on floats, or a cast to or from one, is legalized.
enum class Route : uint8_t {
  Bits,      // integer operators on patterns, whatever is promised
  Native,    // raw float operators, promised to be right everywhere
  Guarded,   // raw float operators where they are promised to be right, else composed
  Composed,  // an integer composition
};
/// Domain: an Apply with an operand or a result that is a float; not Select or Bitcast.
Route float_route(const Inst& apply, const FloatPromises& floats);

/// Whether the result, a float, may be a NaN other than the canonical one although the operator makes those.
bool gives_raw_nan(const Kernel& kernel, const Inst& apply, const FloatPromises& floats);

/// The rules. Domain: as float_route; casts, between two types.
Limbs legalize_float(Rewriter& r, const Inst& apply);
Limbs legalize_float_cast(Rewriter& r, const Inst& cast);
/// Domain: spec::is_approximate(apply.op).
Limbs legalize_approximate(Rewriter& r, const Inst& apply);

// Of casts.
Route cast_route(const Inst& cast, const FloatPromises& floats);
/// Domain: not composed.
bool cast_gives_raw_nan(const Inst& cast, const FloatPromises& floats);

// Shared by the two.
/// The pattern of an F16 or BF16 as an f32 of the same value; a raw NaN of NaN. Domain of F16: FFromF16 is
/// exact.
Value widen(Rewriter& r, spec::DataType type, Value a);
/// The pattern nearest to an f32, ties to even; of NaN a raw NaN where a raw operator converts, else the NaN.
/// Domain: as widen.
Value narrow(Rewriter& r, spec::DataType type, Value a);
/// Whether raw operators alone make a float of that type from an f32. Domain: as widen, or F32 itself.
bool converts_by_raw(spec::DataType type, const FloatPromises& floats);
/// Whether an F16 or BF16 can be widened, and narrowed, exactly.
bool converts(spec::DataType type, const FloatPromises& floats);
/// The word without the sign.
Value magnitude(Rewriter& r, spec::FloatFormat f, Value a);
Value inline_composition(Rewriter& r, const Composition& composition, const Inst& apply);

/// Whether an operator is rounded right; subnormals aside.
constexpr bool rounds_right(const Promise& p) { return p.given && p.half_ulps == 0 && p.fused; }

}  // namespace vyre::lower
