// Estimates of the elementary functions: balls that contain the exact value.
//
// Integers of 64 bits throughout: no arithmetic of the host on floats, and no library but for constants. A
// function reduces its argument, exactly or nearly so, looks into a table of a few dozen entries, and sums
// the first terms of a Taylor series. What each step may lose stands at the step and is carried in the ball's
// radius, so the bound of a result comes with it. The greatest radii, relative to the value
// (test/unit/num/functions_test.cpp holds them to this, and the balls to their values):
//
//   exp, exp2, exp10  2^-60     log, log2, log10  2^-53     asin, acos, atan, atan2  2^-52
//   sin, cos          2^-57     tan               2^-55     pow                      2^-42
//
// A number of 24 bits stands for 2^40 units of the significand and has one boundary of rounding: a radius of
// 2^-53 leaves one argument in 2^29 undecided, one of 2^-42 one in 2^18; exact ties, which powers have, are
// not counted. Cost: 20 to 90 ns. Any thread; the first call makes the tables, in a millisecond.
#pragma once

#include <cstdint>

#include "num/ball.h"

namespace vyre::num::estimate {

/// An operand: an exact number, not zero, of at most 24 bits from a format of at most 8 bits of exponent.
using Operand = Ball;

Ball exp(Operand x);
Ball exp2(Operand x);
Ball exp10(Operand x);

// Domain: x > 0, not 1.
Ball log(Operand x);
Ball log2(Operand x);
Ball log10(Operand x);

/// |a|^b. Domain: |a| not 1.
Ball pow(Operand a, Operand b);

Ball sin(Operand x);
Ball cos(Operand x);
Ball tan(Operand x);

// Domain: |x| < 1.
Ball asin(Operand x);
Ball acos(Operand x);
Ball atan(Operand x);
Ball atan2(Operand y, Operand x);

/// n * pi / 4, for operands that are zero or infinite. Domain: 1 <= n <= 4.
Ball eighths_of_a_turn(uint32_t n);

}  // namespace vyre::num::estimate
