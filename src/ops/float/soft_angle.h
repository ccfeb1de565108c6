// What the inverse functions share: odd power series, and angles from their tangents.
#pragma once

#include <array>

#include "ops/float/soft_wide.h"

namespace vyre::ops {

/// An odd function near zero: v + v t or, where it is alternating, v - v t, with a power series t of w = 64
/// v^2 (then of alternating signs too) that has no constant term.
struct OddSeries {
  std::array<uint64_t, 4> first;  // coefficients of w, w^2 ... in units of 2^-71
  std::array<uint32_t, 2> last;   // in units of 2^-65
  bool alternating;
};
/// Its value at v, in the units of `v`, where 8 v in Q64 is `eightfold`: relative precision is that of v.
Ex odd_series(Composer& c, const OddSeries& series, Ex eightfold, Ex v);

/// digits 2^(-64 - zeros). Where digits below 2^63 have precision enough, zeros is 0.
struct Angle {
  Ex digits, zeros;
};

/// The arctangent of t = numerator / denominator 2^-shift, at most 1. Small ones have their leading bit at
/// bit 63 or 62 where `relative`, 0 or 1, is set; all others are in Q64.
///
/// Domain  both words have their leading bit at bit 31 and end in 8 zeros.
Angle arctangent(Composer& c, Ex numerator, Ex denominator, Ex shift, Ex relative);

/// a / b in Q31 of a < b in Q32, b at least 1/2; too small by at most 2.6 %, never too great.
Ex rough_quotient(Composer& c, Ex a, Ex b);

/// pi/2 in Q63, which is pi in Q62.
inline constexpr uint64_t kQuarterTurn = 14488038916154245685u;

}  // namespace vyre::ops
