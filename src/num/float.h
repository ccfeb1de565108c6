// Floats as the standard defines them: the oracle for all arithmetic on floats.
//
// Every function here is written from IEEE 754-2019 over integers: it takes patterns apart, computes the
// exact result (or enough of it and whether anything is left), and rounds once, to nearest, ties to even. It
// sees no host arithmetic on floats, no library, and none of the compositions that programs are compiled to;
// those are compared with it. Any format of up to 32 bits will do. Patterns travel in the low bits of a word;
// the bits above are zero in results and ignored in operands.
//
// One NaN: a NaN result is format.nan(), whatever NaNs went in; negate and abs alone keep every bit. Source:
// IEEE 754-2019, 4.3, 5.4 to 5.11; semantics, "Floats", "Casts".
//
// Each function answers for one case; for many there is the same over columns, which looks at the format
// once, and num/arithmetic.h, the same inline. Thread any; cost 5 to 35 ns a case, in columns 2 to 30.
#pragma once

#include <cstdint>
#include <span>

#include "spec/float_format.h"
#include "spec/types.h"

namespace vyre::num {

using spec::FloatFormat;
using spec::RoundingMode;

uint32_t add(FloatFormat f, uint32_t a, uint32_t b);
uint32_t sub(FloatFormat f, uint32_t a, uint32_t b);
uint32_t mul(FloatFormat f, uint32_t a, uint32_t b);
uint32_t div(FloatFormat f, uint32_t a, uint32_t b);
/// a * b + c with one rounding.
uint32_t mul_add(FloatFormat f, uint32_t a, uint32_t b, uint32_t c);
uint32_t sqrt(FloatFormat f, uint32_t a);
/// A number wins over NaN; -0 < +0.
uint32_t min(FloatFormat f, uint32_t a, uint32_t b);
uint32_t max(FloatFormat f, uint32_t a, uint32_t b);
uint32_t negate(FloatFormat f, uint32_t a);
uint32_t abs(FloatFormat f, uint32_t a);
// False when an operand is NaN; -0 = +0.
bool equal(FloatFormat f, uint32_t a, uint32_t b);
bool less(FloatFormat f, uint32_t a, uint32_t b);
bool less_equal(FloatFormat f, uint32_t a, uint32_t b);
/// To an integral value in the same format; a zero result keeps the sign. Domain: a mode, not None. Nearest:
/// ties to even. A format whose greatest number is not integral gives infinity above it (no type's is so).
uint32_t round_to_integral(FloatFormat f, RoundingMode mode, uint32_t a);

/// From one format to another, one rounding.
uint32_t convert(FloatFormat from, FloatFormat to, uint32_t a);
/// (-1)^negative * magnitude, one rounding.
uint32_t from_integer(FloatFormat f, bool negative, uint64_t magnitude);
/// Rounded as the mode says, saturated to u32 or i32; NaN gives 0. The result of to_i32 is the integer's
/// bits.
uint32_t to_u32(FloatFormat f, RoundingMode mode, uint32_t a);
uint32_t to_i32(FloatFormat f, RoundingMode mode, uint32_t a);

// Neighbours, for error bounds counted in units of the last place. Source: IEEE 754-2019, 5.3.1.

/// The least number above a: of both zeros the least subnormal, of +infinity itself; NaN gives NaN.
uint32_t next_up(FloatFormat f, uint32_t a);
uint32_t next_down(FloatFormat f, uint32_t a);
/// What a unit without subnormals sees: zero of the same sign for a subnormal; any other pattern as it is.
uint32_t flush(FloatFormat f, uint32_t a);

// Columns: out[i] is the function of row i. Domain: as many rows in each operand as in out, which may be one
// of the operands.
using Column = std::span<const uint32_t>;
using Results = std::span<uint32_t>;

void add(FloatFormat f, Column a, Column b, Results out);
void sub(FloatFormat f, Column a, Column b, Results out);
void mul(FloatFormat f, Column a, Column b, Results out);
void div(FloatFormat f, Column a, Column b, Results out);
void mul_add(FloatFormat f, Column a, Column b, Column c, Results out);
void sqrt(FloatFormat f, Column a, Results out);
void min(FloatFormat f, Column a, Column b, Results out);
void max(FloatFormat f, Column a, Column b, Results out);
void negate(FloatFormat f, Column a, Results out);
void abs(FloatFormat f, Column a, Results out);
void equal(FloatFormat f, Column a, Column b, Results out);
void less(FloatFormat f, Column a, Column b, Results out);
void less_equal(FloatFormat f, Column a, Column b, Results out);
void round_to_integral(FloatFormat f, RoundingMode mode, Column a, Results out);
void convert(FloatFormat from, FloatFormat to, Column a, Results out);
void to_u32(FloatFormat f, RoundingMode mode, Column a, Results out);
void to_i32(FloatFormat f, RoundingMode mode, Column a, Results out);

}  // namespace vyre::num
