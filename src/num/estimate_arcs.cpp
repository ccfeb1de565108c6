// Arcs: all four are the angle of a point, which is found by turning the point back.
#include "num/constants.h"
#include "num/estimates.h"

namespace vyre::num::estimate {
namespace {

/// d - atan(d) over d, in units of 2^-64, for d < 2^-6 with w = d^2: w/3 - w^2/5 + w^3/7 - w^4/9. The rest,
/// w^5/11, is below 2^-63; times d it is less than a unit.
uint64_t arc_shortfall(uint64_t w) {
  constexpr uint64_t kOne = ~uint64_t{0};
  uint64_t sum = kOne / 9;
  sum = kOne / 7 - high(sum, w);
  sum = kOne / 5 - high(sum, w);
  sum = kOne / 3 - high(sum, w);
  return high(sum, w);
}

/// atan(y / x) where y / x is below 2^-6.
Ball small_arc(Ball y, Ball x) {
  const Ball d = y / x;
  const Fixed f = fixed(d);
  const auto value = uint64_t(f.value);
  // w is wrong by 2 d e + 1 units and the shortfall by a third of it, the cuts and the rest: 2 and e.
  return d * one_minus(arc_shortfall(high(value, value)), 4 + f.error);
}

/// atan(y / x) in (0, pi / 4]. Domain: positive; y <= x but for their radii.
Ball first_arc(Ball y, Ball x) {
  const int32_t distance = x.exponent - y.exponent;
  if (distance > 7) return small_arc(y, x);
  // Both in units of 2^(x.exponent - 62).
  const uint64_t far = x.significand >> 1, far_error = (x.radius >> 1) + 1;
  const uint64_t near = y.significand >> (1 + distance), near_error = (y.radius >> (1 + distance)) + 1;
  // The multiple of 1/64 next to y / x, by their leading bits: within 0.51 of one.
  const uint64_t i = ((near >> 31) * 64 + (far >> 32)) / (far >> 31);
  if (i == 0) return small_arc(y, x);
  // atan(y / x) = atan(c) + atan(d) with d = (y - c x) / (x + c y), c = i / 64; 64 times both parts, exactly.
  const SignedWide part = SignedWide(near) * 64 - SignedWide(far) * int64_t(i);
  const Wide whole = Wide(far) * 64 + Wide(near) * i;  // at least 2^68
  const bool back = part < 0;
  const auto rest = uint64_t(back ? -part : part);
  // d in units of 2^-64. Both parts are wrong by 64 (near_error + far_error) units at most, of 2^68 or more:
  // the numerator's make d wrong by 4 times the sum, the denominator's by 2^-5 of it and less than a unit for
  // its cut.
  const auto d = uint64_t((Wide(rest) << 57) / uint64_t(whole >> 7));
  // A unit for d's cut, 1.1 for the arc's, one for the table's.
  const uint64_t arc = d - high(d, arc_shortfall(high(d, d)));
  const uint64_t from_table = constants().angles[i];
  const Wide angle = back ? Wide(from_table) - arc : Wide(from_table) + arc;
  return ball(false, {angle, 5 * (near_error + far_error) + 4});
}

/// The angle of the point (x, y) in the upper half plane, of magnitudes; `left`: x is negative.
Ball angle(Ball y, Ball x, bool left) {
  const bool steep = y.exponent > x.exponent || (y.exponent == x.exponent && y.significand > x.significand);
  const Ball arc = steep ? first_arc(x, y) : first_arc(y, x);
  if (!steep && !left) return arc;
  const Fixed f = fixed(arc);
  const Constants& c = constants();
  const Wide base = steep ? c.half_pi : c.pi;
  return ball(false, {steep && left ? base + f.value : base - f.value, f.error + 1});
}

Ball magnitude(Ball x) {
  x.negative = false;
  return x;
}
Ball with_sign_of(Ball x, Ball of) {
  x.negative = of.negative;
  return x;
}
constexpr Ball kOne{false, 0, uint64_t{1} << 63, 0};

/// sqrt(1 - x^2). Domain: |x| < 1.
Ball cathetus(Operand x) {
  // x^2 in units of 2^-64. A number of 24 bits has one of 48: exact while |x| is at least 2^-9, so whenever
  // the difference is below 1/2, where it would matter.
  const uint64_t m = x.significand >> 40;
  const int32_t shift = 2 * x.exponent + 18;
  const uint64_t squared = shift >= 0 ? m * m << shift : shift > -64 ? m * m >> -shift : 0;
  if (squared == 0) return one_minus(0, 1);
  const uint64_t difference = 0 - squared;
  const int32_t even = std::countl_zero(difference) & ~1;
  const uint64_t v = difference << even;  // 2^62 <= v
  // A root of 32 bits, in the middle of its last place: within 2^-32 of the root. A step of Newton's leaves
  // half the square of that, half a unit; the cuts are two more, and v's unit counts half.
  const uint64_t guess = arithmetic::integer_root(v) << 32 | uint64_t{1} << 31;
  const Wide root = (Wide(guess) + (Wide(v) << 64) / guess) >> 1;
  return {false, -1 - even / 2, (root >> 64) != 0 ? ~uint64_t{0} : uint64_t(root), 3};
}

}  // namespace

Ball atan(Operand x) { return with_sign_of(angle(magnitude(x), kOne, false), x); }
Ball atan2(Operand y, Operand x) { return with_sign_of(angle(magnitude(y), magnitude(x), x.negative), y); }
Ball asin(Operand x) { return with_sign_of(angle(magnitude(x), cathetus(x), false), x); }
Ball acos(Operand x) { return angle(cathetus(x), magnitude(x), x.negative); }

Ball eighths_of_a_turn(uint32_t n) { return ball(false, {constants().pi * n >> 2, 2}); }

}  // namespace vyre::num::estimate
