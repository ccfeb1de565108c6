// Whether a ball decides how its number rounds: whether it keeps clear of the boundaries of rounding.
//
// To nearest, the boundaries are the numbers half way between two neighbours of the format, one of which
// stands half a unit above the greatest number: beyond it is infinity. Exact results are no boundaries unless
// they are half way themselves, so of those alone (exact powers, mostly) does the caller have to know that
// they are exact.
#pragma once

#include <cstdint>

#include "num/arithmetic.h"
#include "num/ball.h"

namespace vyre::num {

using spec::FloatFormat;

/// The number a pattern stands for. Domain: not zero, infinite or NaN.
[[gnu::always_inline]] inline Ball exact_ball(FloatFormat f, uint32_t a) {
  const auto x = arithmetic::normalized(arithmetic::unpack(f, a));
  return {x.negative, x.exponent + 63, x.magnitude, 0};
}

/// How far the centre is from the boundary next to it, in units of its last place.
[[gnu::always_inline]] inline uint64_t distance_to_boundary(FloatFormat f, Ball x) {
  const int32_t below_normal = f.min_exponent() > x.exponent ? f.min_exponent() - x.exponent : 0;
  const int32_t dropped =
      64 - int32_t(f.precision()) + below_normal;  // places of the significand: 40 and more
  if (dropped > 65) return ~uint64_t{0};           // below a quarter of the least number
  if (dropped == 65) return 0 - x.significand;     // above stands half of the least number
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  const uint64_t rest = x.significand << (64 - dropped);
  return (rest > kHalf ? rest - kHalf : kHalf - rest) >> (64 - dropped);
}

/// A ball that reaches into another binade, where boundaries are half as far or twice, still keeps clear of
/// them: next to a power of two the nearest is 2^38 units away or half of the least number, and no such ball
/// has so many.
[[gnu::always_inline]] inline bool is_decided(FloatFormat f, Ball x) {
  return x.radius < kWide && distance_to_boundary(f, x) > x.radius;
}

}  // namespace vyre::num
