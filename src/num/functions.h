// The elementary functions, correctly rounded: the oracle for FSin to FPow.
//
// Each gives the number of the format that is nearest to the exact value, ties to even, with the edges of
// IEEE 754-2019, 9.2; patterns, formats and the one NaN are as in num/float.h. A signalling NaN counts as
// quiet.
//
// Three parts, and each argument goes only as far as it has to. The edges of a domain (zeros, infinities,
// NaNs, what is invalid) are a few lines from the standard. For all other arguments num/estimates.h computes
// a ball, a number of 64 bits and a bound of its error; where no boundary of rounding is in it
// (num/decision.h), it decides. What is left are ties and cases that are as near to one: fewer than one
// argument in 2^28, of powers one in 2^18. Of those MPFR gives 62 digits and whether there are more
// (num/multiprecision.h), which decides every case, exact ones too.
//
// Any thread; nothing is allocated but once a thread. Cost: 20 to 100 ns a case, 1 to 40 us where MPFR
// decides.
#pragma once

#include <cstdint>

#include "num/float.h"

namespace vyre::num {

uint32_t sin(FloatFormat f, uint32_t a);
uint32_t cos(FloatFormat f, uint32_t a);
uint32_t tan(FloatFormat f, uint32_t a);
uint32_t asin(FloatFormat f, uint32_t a);
uint32_t acos(FloatFormat f, uint32_t a);
uint32_t atan(FloatFormat f, uint32_t a);
/// The angle of the point (x, y).
uint32_t atan2(FloatFormat f, uint32_t y, uint32_t x);
uint32_t exp(FloatFormat f, uint32_t a);
uint32_t log(FloatFormat f, uint32_t a);
uint32_t exp2(FloatFormat f, uint32_t a);
uint32_t log2(FloatFormat f, uint32_t a);
uint32_t exp10(FloatFormat f, uint32_t a);
uint32_t log10(FloatFormat f, uint32_t a);
/// a to the power b.
uint32_t pow(FloatFormat f, uint32_t a, uint32_t b);

// The same over columns; out[i] is the function of row i.
void sin(FloatFormat f, Column a, Results out);
void cos(FloatFormat f, Column a, Results out);
void tan(FloatFormat f, Column a, Results out);
void asin(FloatFormat f, Column a, Results out);
void acos(FloatFormat f, Column a, Results out);
void atan(FloatFormat f, Column a, Results out);
void atan2(FloatFormat f, Column y, Column x, Results out);
void exp(FloatFormat f, Column a, Results out);
void log(FloatFormat f, Column a, Results out);
void exp2(FloatFormat f, Column a, Results out);
void log2(FloatFormat f, Column a, Results out);
void exp10(FloatFormat f, Column a, Results out);
void log10(FloatFormat f, Column a, Results out);
void pow(FloatFormat f, Column a, Column b, Results out);

}  // namespace vyre::num
