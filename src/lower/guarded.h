// Guarded float forms: the device's instruction, with a run-time check that falls back to integer code where
// the result may be wrong. (Bounds of memory are guarded in legalize.cpp.)
//
// Where a target promises less than IEEE 754, an operator is its raw instruction with a test beside it: the
// result, and a word that is zero only if the result is the right one under every answer that the promise
// allows. In doubt a second, longer test lets pass what is harmless but common (zeros); what is left is
// composed of integers, in a branch that is seldom taken. Division and square root take the device's answer
// for a guess. Cut to half its digits it leaves a rest that sums and products, where those are rounded right,
// give exactly; the rest's own quotient is then known within bounds, and if both bounds round to the same
// number, that is it. Where they do not, or sums are not to be trusted, what a guess leaves over is computed
// by integers and says which of three neighbours is right, and whether one of them is. A fused multiply-add
// is a product, which is exact in twice the width, and a sum, which is rounded twice; that shows in the bits
// that the second rounding drops.
//
// All forms are written over the two numbers of a format, so that formats of 6 to 8 bits run the code of 32,
// over all operands and under all choices: test/unit/lower/guarded_test.cpp. docs/adr/0025.
#pragma once

#include <functional>

#include "lower/rules.h"
#include "spec/float_format.h"

namespace vyre::lower {

struct FloatOperands {
  Value a{}, b{}, c{};
};

/// The format that operands and results have, and the digits of the wide one beside it.
struct GuardedFormat {
  spec::FloatFormat narrow;
  uint32_t wide_fraction_bits = 0;
};
inline constexpr GuardedFormat kGuardedSingle{spec::kBinary32, 52};

/// Whether the operator has a guarded form that holds under these promises, for operands of F32.
bool has_guarded_form(spec::Op op, const FloatPromises& floats);

/// What a guarded form leaves to its user.
struct GuardedEnds {
  std::function<Value(Value)> narrowed;  // makes the result's pattern of one in the format; each attempt's
  std::function<Value()> composed;  // the right result by other means, in the innermost branch; called once
};
/// The guarded form under the promises of the rewriter's target. Domain: has_guarded_form(op, those); of
/// roots, 5 fraction bits at least, for a guess that is nothing like the root has the same remainder as
/// another number.
Value guarded(Rewriter& r, const GuardedFormat& format, spec::Op op, const FloatOperands& x,
              const GuardedEnds& ends);

/// A result and a word that is not zero where it may be another than the right one.
struct Attempt {
  Value result{};
  Value doubt{};
};

/// Whether the operator has a form for lines (lower/speculation.h). Domain: an operator of F32.
bool has_line_form(spec::Op op, spec::FloatFormat f, const FloatPromises& floats);
/// The device's answer, for a line: right where it has no doubt of its own and, of sums and products, no
/// operand is subnormal and the exact result is zero or at least twice the least normal number. Domain:
/// has_line_form(). Without a doubt of its own the word is meaningless: doubts_itself().
Attempt in_line(Rewriter& r, const GuardedFormat& format, spec::Op op, const FloatOperands& x);
/// Whether in_line() gives a doubt.
bool doubts_itself(spec::Op op, const FloatPromises& floats);
/// Quotients that in_line() does not doubt are zero or at least 2^this; roots' operands.
int32_t quotient_exponent(spec::FloatFormat f);
int32_t root_operand_exponent(spec::FloatFormat f);

/// 1 where a, a pattern, is not zero and its size is below 2^exponent. Domain: 2^exponent is a normal number.
Value is_below(Rewriter& r, spec::FloatFormat f, Value a, int32_t exponent);

/// The exponent field from which on no subnormal operand matters to a sum: a power of two.
uint32_t sum_threshold(spec::FloatFormat f);

}  // namespace vyre::lower
