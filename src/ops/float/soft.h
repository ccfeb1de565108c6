// The integer compositions: every operator on floats, from operators on u32 words alone.
//
// A target that promises nothing of its own arithmetic on floats still gives exact answers: legalization
// inlines these functions there. They take and give patterns (the low bits of a word; the bits above are
// zero), round once, to nearest, ties to even, keep subnormals, and know one NaN. Each is written once over
// spec::FloatFormat, so that what is shown for all inputs of a small format is the code that runs at 16 and
// 32 bits.
//
// They are straight lines: selects in the place of branches, no loop, so that a vectoriser takes them whole
// and lanes of a GPU stay together. The general case is computed for every input; zeros, infinities and NaN
// are put in by selects at the end. Quotients and roots are estimated from below by Newton's iteration and
// settled by their exact remainder. What all have in common is in soft_compose.h; docs/adr/0018 says why.
//
// They see neither the oracle (num/) nor arithmetic on floats; tests compare them with both. Source: IEEE
// 754-2019, 4.3, 5.3 to 5.11; semantics, "Floats" and "Casts".
#pragma once

#include "check/checked.h"
#include "ir/ir.h"
#include "spec/float_format.h"
#include "spec/ops.h"

namespace vyre::ops {

/// Whether an operator has a composition: all on floats, but for reductions and approximate ones, of which
/// the strict operator's will do.
constexpr bool has_soft(spec::Op op) {
  return spec::info(op).types == spec::kFloats && !spec::is_reduction(op) && !spec::is_approximate(op);
}

/// Whether an operator takes two steps: its composition decides all operands but a few and says which, and a
/// second one, with more digits, is for those. So it is of functions of two operands, whose results come
/// closer to the middle between two numbers than has been searched.
constexpr bool has_second_step(spec::Op op) {
  return spec::is_elementary(op) && spec::operand_count(op) == 2;
}

/// Whether the compositions are right for a format. They want room for the exponents of products of two
/// subnormals to vanish in: binary16, bfloat16, binary32, and small ones like 1-3-2, 1-4-3 and 1-5-2, do.
constexpr bool soft_format(spec::FloatFormat f) {
  return f.exponent_bits >= 3 && f.exponent_bits <= 8 && f.fraction_bits >= 2 && f.fraction_bits <= 23 &&
         (f.fraction_bits < 11 || f.bias() > int32_t(f.fraction_bits) + 2);
}

/// The composition of an operator: u32 patterns to a u32 pattern, or 0 or 1 of comparisons and tests.
///
/// Domain  has_soft(op); soft_format(f). FMulAdd(a, b, c) is a * b + c. Of an operator with two steps the
/// result
///         is a vec2u32: the pattern, and 1 where it may be another than the right one, else 0.
ir::Function soft_operator(spec::Op op, spec::FloatFormat f);
/// The second step: a vec2u32 likewise. No operand that it leaves open is known. Domain: has_second_step(op).
ir::Function soft_second(spec::Op op, spec::FloatFormat f);
/// From one format to another; of a format to itself it makes NaN canonical.
ir::Function soft_convert(spec::FloatFormat from, spec::FloatFormat to);
/// Domain: from U32, I32 (its bits, a u32) or U64 (a u64).
ir::Function soft_from_integer(spec::DataType from, spec::FloatFormat to);
/// Saturating; NaN gives 0. Domain: to U32 or I32 (its bits, a u32); a mode, not None.
ir::Function soft_to_integer(spec::FloatFormat from, spec::DataType to, spec::RoundingMode mode);

/// The same for the types of the language, checked; built on first use, kept for ever.
///
/// Domain  has_soft(op); a float type.
/// Thread  any.
const check::CheckedFunction& soft(spec::Op op, spec::DataType type);
const check::CheckedFunction& soft_second(spec::Op op, spec::DataType type);
/// A cast between two different types one of which is a float (or both), as semantics, "Casts", lists them.
/// Parameters and results that are floats or i32 are u32 patterns.
///
/// Domain  spec::can_cast(from, to); the mode where the cast takes one, else None.
/// Thread  any.
const check::CheckedFunction& soft_cast(spec::DataType from, spec::DataType to, spec::RoundingMode mode);

}  // namespace vyre::ops
