// Exponentials, logarithms and powers.
#include "num/constants.h"
#include "num/estimates.h"

namespace vyre::num::estimate {
namespace {

/// 2^k and far beyond every format. What is beyond both ends needs no digits.
constexpr int32_t kBeyond = 1 << 12;
Ball beyond(bool below) { return {false, below ? -kBeyond : kBeyond, uint64_t{1} << 63, 1}; }

/// (e^z - 1) / z in units of 2^-63, of a z below 2^-7.5 in units of 2^-64: 1 + z/2 + z^2/6 + ... + z^5/720.
/// What is left, z^6/5040 and on, is below 2^-57; coefficients and products are cut, so all errors are
/// downward.
uint64_t exponential_slope(uint64_t z) {
  constexpr uint64_t kUnit = uint64_t{1} << 63;
  uint64_t sum = kUnit / 720;
  sum = kUnit / 120 + high(sum, z);
  sum = kUnit / 24 + high(sum, z);
  sum = kUnit / 6 + high(sum, z);
  sum = kUnit / 2 + high(sum, z);
  return kUnit + high(sum, z);
}

/// 2^t. Domain: |t| < 2^10.
Ball power_of_two(bool negative, Fixed t) {
  const Constants& c = constants();
  const SignedWide exact = negative ? -SignedWide(t.value) : SignedWide(t.value);
  const auto whole = int32_t(exact >> 64);
  const auto fraction = uint64_t(exact);
  // 2^fraction = 2^(i / 128) * e^z with z below ln 2 / 128 < 2^-7.5, cut by 1.01 units of 2^-64.
  const uint64_t base = c.powers[fraction >> 57];
  const uint64_t z = high(fraction << 7 >> 7, c.ln_2);
  // e^z - 1 in units of 2^-63: 0.3 units are missing for the slope, 0.6 for z and 1 for the cut.
  const uint64_t excess = high(exponential_slope(z), z);
  // Twice that, 1.1 for the base and 1 for the cut, all downward: less than 2^fraction, so below 2^64.
  const uint64_t significand = base + uint64_t(Wide(base) * excess >> 63);
  // A unit of t changes 2^fraction by 2 ln 2 units of 2^-64.
  return {false, whole, significand, 6 + t.error};
}

/// base^x, log2(base) in units of 2^-126.
Ball exponential(Operand x, Wide log2_base) {
  if (x.exponent >= 9) return beyond(x.negative);
  // x has 24 bits, so the product of 152 keeps 88 of them: less than two units too small, of 2^(exponent -
  // 85).
  const uint64_t m = x.significand >> 40;
  const Wide product = Wide(m) * uint64_t(log2_base >> 64) + (Wide(m) * uint64_t(log2_base) >> 64);
  const int32_t shift = 21 - x.exponent;  // to units of 2^-64, at least 13
  return power_of_two(x.negative, {shift > 127 ? 0 : product >> shift, 2});
}

/// ln(1 + u) / u in units of 2^-62, for |u| < 2^-7.7 in units of 2^-63: 1 - u/2 + u^2/3 - ... - u^7/8. The
/// rest is below 1.01 u^8/9 < 2^-64.7, a sixth of a unit. The last product is cut by a unit; the coefficients
/// and the products before it, two units together at each step, are multiplied by u once and more.
int64_t logarithm_slope(int64_t u) {
  constexpr int64_t kUnit = int64_t{1} << 62;
  const auto times_u = [u](int64_t sum) { return int64_t(SignedWide(sum) * u >> 63); };
  int64_t sum = -kUnit / 8;
  sum = kUnit / 7 + times_u(sum);
  sum = -kUnit / 6 + times_u(sum);
  sum = kUnit / 5 + times_u(sum);
  sum = -kUnit / 4 + times_u(sum);
  sum = kUnit / 3 + times_u(sum);
  sum = -kUnit / 2 + times_u(sum);
  return kUnit + times_u(sum);
}
constexpr uint64_t kSlopeError = 2;

constexpr bool reductions_are_small() {
  for (uint32_t i = 0; i < 192; ++i) {
    // c r - 1 at both ends of an interval, in units of 2^-16.
    const int64_t low = int64_t{192 + i} * reciprocal(i) - 65536;
    const int64_t end = int64_t{193 + i} * reciprocal(i) - 65536;
    if (low < -315 || end > 315) return false;  // 2^-7.7 is 315.05
  }
  return true;
}
static_assert(reductions_are_small());

}  // namespace

Ball exp(Operand x) { return exponential(x, constants().log2_e); }
Ball exp2(Operand x) { return exponential(x, Wide{1} << 126); }
Ball exp10(Operand x) { return exponential(x, constants().log2_10); }

Ball log(Operand x) {
  const Constants& c = constants();
  // x = 2^k * m * 2^-24, 3/4 <= m * 2^-24 < 3/2.
  auto m = uint32_t(x.significand >> 40);
  int32_t k = x.exponent + 1;
  if (m < 0xc00000) {
    m *= 2;
    --k;
  }
  // Times the reciprocal: 1 + u, exactly.
  const uint32_t i = (m >> 16) - 192;
  const int64_t u = int64_t{m} * reciprocal(i) - (int64_t{1} << 32);  // units of 2^-32
  const int64_t slope = logarithm_slope(u * (int64_t{1} << 31));
  if (k == 0 && (i == 63 || i == 64)) {  // ln(1 + u) alone
    const uint64_t magnitude = uint64_t(u < 0 ? -u : u);
    const int32_t zeros = std::countl_zero(magnitude);
    const Ball exact{u < 0, 31 - zeros, magnitude << zeros, 0};
    const int32_t up = std::countl_zero(uint64_t(slope));
    return exact * Ball{false, 1 - up, uint64_t(slope) << up, kSlopeError << up};
  }
  // In units of 2^-64: the slope's error is multiplied by u, the cut is a unit; the table's and ln 2's errors
  // are a unit and |k| units.
  const SignedWide sum = SignedWide(k) * SignedWide(c.ln_2) + c.logarithms[i] + (SignedWide(u) * slope >> 30);
  return ball(sum < 0, {Wide(sum < 0 ? -sum : sum), uint64_t(k < 0 ? -k : k) + 3});
}
Ball log2(Operand x) { return log(x) * constants().log2_e_ball; }
Ball log10(Operand x) { return log(x) * constants().log10_e_ball; }

Ball pow(Operand a, Operand b) {
  a.negative = false;
  const Ball exponent = log2(a) * b;
  if (exponent.exponent >= 9) return beyond(exponent.negative);
  return power_of_two(exponent.negative, fixed(exponent));
}

}  // namespace vyre::num::estimate
