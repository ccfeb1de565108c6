// The functions of num/functions.h beside MPFR's of the same name, their estimates, and where they are hard.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"
#include "cases.h"
#include "mpfr_float.h"
#include "num/decision.h"
#include "num/estimates.h"
#include "num/functions.h"

namespace vyre::num::test {

struct UnaryFunction {
  const char* name;
  uint32_t (*num)(FloatFormat, uint32_t);
  void (*columns)(FloatFormat, Column, Results);
  Ball (*estimate)(Ball);
  int (*mpfr)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  int32_t radius;  // estimates.h: below 2^radius of the value
};
struct BinaryFunction {
  const char* name;
  uint32_t (*num)(FloatFormat, uint32_t, uint32_t);
  void (*columns)(FloatFormat, Column, Column, Results);
  Ball (*estimate)(Ball, Ball);
  int (*mpfr)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  int32_t radius;
};

inline constexpr UnaryFunction kUnaryFunctions[] = {
    {"sin", sin, sin, estimate::sin, mpfr_sin, -57},
    {"cos", cos, cos, estimate::cos, mpfr_cos, -57},
    {"tan", tan, tan, estimate::tan, mpfr_tan, -55},
    {"asin", asin, asin, estimate::asin, mpfr_asin, -52},
    {"acos", acos, acos, estimate::acos, mpfr_acos, -52},
    {"atan", atan, atan, estimate::atan, mpfr_atan, -52},
    {"exp", exp, exp, estimate::exp, mpfr_exp, -60},
    {"exp2", exp2, exp2, estimate::exp2, mpfr_exp2, -60},
    {"exp10", exp10, exp10, estimate::exp10, mpfr_exp10, -60},
    {"log", log, log, estimate::log, mpfr_log, -53},
    {"log2", log2, log2, estimate::log2, mpfr_log2, -53},
    {"log10", log10, log10, estimate::log10, mpfr_log10, -53},
};
inline constexpr BinaryFunction kBinaryFunctions[] = {
    {"atan2", atan2, atan2, estimate::atan2, mpfr_atan2, -52},
    {"pow", pow, pow, estimate::pow, mpfr_pow, -42},
};

/// The number of the format nearest to multiple * unit(), or a neighbour of it.
inline uint32_t near_multiple(FloatFormat f, int (*unit)(mpfr_ptr, mpfr_rnd_t), long multiple,
                              int32_t steps) {
  mpfr_t x;
  mpfr_init2(x, 128);
  unit(x, MPFR_RNDN);
  mpfr_mul_si(x, x, multiple, MPFR_RNDN);
  mpfr_mul_2si(x, x, -1, MPFR_RNDN);
  const Ball ball{mpfr_signbit(x) != 0, int32_t(mpfr_get_exp(x)) - 1, 0, 0};
  mpfr_abs(x, x, MPFR_RNDN);
  mpfr_mul_2si(x, x, 64 - mpfr_get_exp(x), MPFR_RNDN);
  const uint64_t significand = mpfr_get_ui(x, MPFR_RNDZ);
  mpfr_clear(x);
  const uint32_t nearest = arithmetic::round(f, {ball.negative, ball.exponent - 63, significand});
  return nearest + uint32_t(steps);
}

/// One operand; of eight one is any pattern, one a value of directed(), three have an exponent near 0, where
/// the functions have most to do, one has few bits too, one is next to a multiple of pi / 2 and one to a
/// power of two.
inline uint32_t random_operand(FloatFormat f, RandomStream& random) {
  const auto near_one = [&] {
    const auto spread = std::min<uint32_t>(uint32_t(f.bias()), 14);
    return (uint32_t(f.bias()) - spread + random.below(2 * spread)) << f.fraction_bits;
  };
  const uint32_t sign = random.chance(2) ? f.sign_bit() : 0;
  const uint32_t fraction = random.next() & f.fraction_mask();
  switch (random.below(8)) {
    case 0: return random.next() & f.mask();
    case 1: {
      static thread_local FloatFormat of;
      static thread_local std::vector<uint32_t> values;
      if (values.empty() || of != f) values = directed(of = f);
      return values[random.below(uint32_t(values.size()))];
    }
    case 2: return sign | near_one() | (fraction << random.below(f.fraction_bits) & f.fraction_mask());
    case 3:
      return (sign | near_multiple(f, mpfr_const_pi, 1 + long(random.next() >> (8 + random.below(24))),
                                   int32_t(random.below(3)) - 1)) &
             f.mask();
    case 4: return ((sign | near_one()) + random.below(17) - 8) & f.mask();
    default: return sign | near_one() | fraction;
  }
}

/// Two operands; of eight pairs one is of any operands and one of equal exponents; the others are a second
/// operand of few bits (exact powers and ties), and of one that is not larger than 64 with any first one
/// near 1.
inline std::pair<uint32_t, uint32_t> random_pair(FloatFormat f, RandomStream& random) {
  uint32_t a = random_operand(f, random), b = random_operand(f, random);
  const auto few_bits = [&](uint32_t bits, uint32_t exponents) {
    const uint32_t shift = f.fraction_bits > bits ? f.fraction_bits - bits : 0;
    const uint32_t fraction = random.next() >> (32 - std::min(bits, f.fraction_bits)) << shift;
    const auto exponent = std::min(uint32_t(f.bias()) - 1 + random.below(exponents), 2 * uint32_t(f.bias()));
    return exponent << f.fraction_bits | fraction;
  };
  switch (random.below(8)) {
    case 0: break;
    case 1: b = (b & ~f.infinity()) | (a & f.infinity()); break;
    case 2:
    case 3: b = few_bits(3, 6) | (random.chance(2) ? f.sign_bit() : 0); break;
    case 4:
    case 5:
      a = few_bits(1 + random.below(12), 8);
      b = few_bits(3, 6);
      break;
    case 6: b = few_bits(f.fraction_bits, 12); break;
    default: {
      const uint32_t kept = random.below(f.fraction_bits) + 1;
      a = f.one() + (random.next() >> (32 - kept)) - (random.chance(2) ? 1u << (kept - 1) : 0);
      b = few_bits(f.fraction_bits, kept > 16 ? 8 : 20);
    }
  }
  return {a & f.mask(), b & f.mask()};
}

/// Whether the ball with `part` of its radius contains what the function gives, rounded to 200 bits.
class Truth {
 public:
  Truth() {
    mpfr_init2(value_, 200);
    mpfr_init2(distance_, 200);
  }
  ~Truth() {
    mpfr_clear(value_);
    mpfr_clear(distance_);
  }
  Truth(const Truth&) = delete;
  Truth& operator=(const Truth&) = delete;

  /// |centre - value| over the radius; negative where there is nothing to compare: the value is no number, or
  /// has left every format, of which the ball then says no more.
  template <class Function, class... Operands>
  double distance(const Ball& ball, Function function, const Operands&... operands) {
    function(value_, operands.get()..., MPFR_RNDN);
    mpfr_abs(value_, value_, MPFR_RNDN);
    const bool beyond = !mpfr_number_p(value_) || mpfr_zero_p(value_) || mpfr_get_exp(value_) > 300 ||
                        mpfr_get_exp(value_) < -300;
    if (beyond || ball.radius >= kWide) return -1;
    mpfr_set_ui_2exp(distance_, ball.significand, ball.exponent - 63, MPFR_RNDN);
    mpfr_sub(distance_, distance_, value_, MPFR_RNDN);
    mpfr_mul_2si(distance_, distance_, 63 - ball.exponent, MPFR_RNDN);
    return std::abs(mpfr_get_d(distance_, MPFR_RNDA)) / double(ball.radius);
  }

 private:
  mpfr_t value_, distance_;
};

}  // namespace vyre::num::test
