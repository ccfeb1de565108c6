// Where the oracle for functions ends: MPFR, for what nothing cheaper decides.
//
// MPFR has functions of any precision, each rounded correctly by Ziv's strategy: it computes with more and
// more digits until the rounding is certain, and it knows the exact cases of each function, where that would
// never end. It is asked for 62 bits towards zero and whether anything is left. That makes a number with a
// sticky lowest bit, which the one rounding of num/arithmetic.h takes to any format, subnormals and
// infinities included: nothing is rounded twice. Source: the MPFR manual, "Rounding" (the ternary value).
//
// Any thread; each has numbers of its own, made once. Cost: 1 to 40 us.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <functional>

#include "spec/float_format.h"

namespace vyre::num::multiprecision {

using spec::FloatFormat;
using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/// The pattern nearest to the function's value, ties to even; the function is one of mpfr.h. Domain: a is no
/// NaN; nor is the function's value but by an invalid operand, where the result is f.nan().
uint32_t rounded(FloatFormat f, Unary function, uint32_t a);
uint32_t rounded(FloatFormat f, Binary function, uint32_t a, uint32_t b);

/// The numbers nearest to the sum and to the product of elements 0 to count - 1: the sum is exact before it
/// is rounded, the product has 128 bits. Of infinities, NaNs and zeros what an order of operations would
/// give. Domain: count > 0.
using Element = std::function<uint32_t(uint32_t)>;
uint32_t sum(FloatFormat f, uint32_t count, const Element& element);
uint32_t product(FloatFormat f, uint32_t count, const Element& element);

}  // namespace vyre::num::multiprecision
