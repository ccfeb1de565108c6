// The elementary functions, correctly rounded: the oracle for FSin to FPow.
//
// Each gives the number of the format that is nearest to the exact value, ties to even, with the edges of IEEE
// 754-2019, 9.2; patterns, formats and the one NaN are as in num/float.h.
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
