#include "num/functions.h"

#include <mpfr.h>

#include <optional>

#include "num/arithmetic.h"
#include "num/decision.h"
#include "num/estimates.h"
#include "num/multiprecision.h"

#define VYRE_NUM_INLINE [[gnu::always_inline]] inline

namespace vyre::num {
namespace {

using arithmetic::is_negative;
using arithmetic::is_special;
using arithmetic::is_zero;
using arithmetic::magnitude_bits;
using arithmetic::with_sign;

/// The pattern nearest to the numbers in the ball, or what `exact` says where they have not all the same.
template <class Exact>
VYRE_NUM_INLINE uint32_t decided(FloatFormat f, Ball x, Exact exact) {
  if (!is_decided(f, x)) [[unlikely]]
    return exact();
  return arithmetic::round(f, {x.negative, x.exponent - 63, x.significand});
}

// The edges of each domain, a line a row of IEEE 754-2019, 9.2.1. Nothing: an ordinary case.
using Edge = std::optional<uint32_t>;

VYRE_NUM_INLINE bool is_one(FloatFormat f, uint32_t a) { return (a & f.mask()) == f.one(); }

/// sin, tan.
VYRE_NUM_INLINE Edge edge_of_odd_turn(FloatFormat f, uint32_t a) {
  if (is_special(f, a)) return f.nan();    // infinity: invalid
  if (is_zero(f, a)) return a & f.mask();  // keeps its sign
  return {};
}
VYRE_NUM_INLINE Edge edge_of_cos(FloatFormat f, uint32_t a) {
  if (is_special(f, a)) return f.nan();  // infinity: invalid
  if (is_zero(f, a)) return f.one();
  return {};
}
VYRE_NUM_INLINE Edge edge_of_asin(FloatFormat f, uint32_t a) {
  if (magnitude_bits(f, a) > f.one()) return f.nan();  // |a| > 1: invalid; NaN
  if (is_zero(f, a)) return a & f.mask();              // keeps its sign
  if (magnitude_bits(f, a) == f.one()) {
    return decided(f, negated(estimate::eighths_of_a_turn(2), is_negative(f, a)),
                   [&] { return multiprecision::rounded(f, mpfr_asin, a); });
  }
  return {};
}
VYRE_NUM_INLINE Edge edge_of_acos(FloatFormat f, uint32_t a) {
  if (magnitude_bits(f, a) > f.one()) return f.nan();  // |a| > 1: invalid; NaN
  if (is_one(f, a)) return 0;                          // acos(1) = +0
  const bool minus_one = magnitude_bits(f, a) == f.one();
  if (minus_one || is_zero(f, a)) {
    return decided(f, estimate::eighths_of_a_turn(minus_one ? 4 : 2),
                   [&] { return multiprecision::rounded(f, mpfr_acos, a); });
  }
  return {};
}
VYRE_NUM_INLINE Edge edge_of_atan(FloatFormat f, uint32_t a) {
  if (f.is_nan(a)) return f.nan();
  if (is_zero(f, a)) return a & f.mask();  // keeps its sign
  if (f.is_infinite(a)) {                  // +-pi / 2
    return decided(f, negated(estimate::eighths_of_a_turn(2), is_negative(f, a)),
                   [&] { return multiprecision::rounded(f, mpfr_atan, a); });
  }
  return {};
}
/// exp, exp2, exp10.
VYRE_NUM_INLINE Edge edge_of_exponential(FloatFormat f, uint32_t a) {
  if (f.is_nan(a)) return f.nan();
  if (f.is_infinite(a)) return is_negative(f, a) ? 0 : f.infinity();
  if (is_zero(f, a)) return f.one();
  return {};
}
/// log, log2, log10.
VYRE_NUM_INLINE Edge edge_of_logarithm(FloatFormat f, uint32_t a) {
  if (f.is_nan(a)) return f.nan();
  if (is_zero(f, a)) return with_sign(f, true, f.infinity());  // of both zeros: a division by zero
  if (is_negative(f, a)) return f.nan();                       // invalid
  if (f.is_infinite(a)) return f.infinity();
  if (is_one(f, a)) return 0;  // +0
  return {};
}

VYRE_NUM_INLINE Edge edge_of_atan2(FloatFormat f, uint32_t y, uint32_t x) {
  if (f.is_nan(y) || f.is_nan(x)) return f.nan();
  const bool y_infinite = f.is_infinite(y), x_infinite = f.is_infinite(x), left = is_negative(f, x);
  uint32_t eighths = 0;
  if (y_infinite && x_infinite) {
    eighths = left ? 3 : 1;
  } else if (y_infinite || (is_zero(f, x) && !is_zero(f, y))) {
    eighths = 2;
  } else if (x_infinite || is_zero(f, y)) {
    eighths = left ? 4 : 0;  // -0 is left too: atan2(+-0, -0) = +-pi
  } else {
    return {};
  }
  if (eighths == 0) return with_sign(f, is_negative(f, y), 0);
  return decided(f, negated(estimate::eighths_of_a_turn(eighths), is_negative(f, y)),
                 [&] { return multiprecision::rounded(f, mpfr_atan2, y, x); });
}

enum class Parity : uint8_t { NoInteger, Even, Odd };
/// Domain: finite.
VYRE_NUM_INLINE Parity parity(FloatFormat f, uint32_t a) {
  const auto x = arithmetic::unpack(f, a);
  if (x.magnitude == 0) return Parity::Even;
  const int32_t lowest = x.exponent + std::countr_zero(x.magnitude);
  return lowest < 0 ? Parity::NoInteger : lowest == 0 ? Parity::Odd : Parity::Even;
}

VYRE_NUM_INLINE Edge edge_of_pow(FloatFormat f, uint32_t a, uint32_t b) {
  if (is_one(f, a) || is_zero(f, b)) return f.one();  // whatever the other is, a NaN too
  if (f.is_nan(a) || f.is_nan(b)) return f.nan();
  const bool falls = is_negative(f, b);
  if (f.is_infinite(b)) {
    if (magnitude_bits(f, a) == f.one()) return f.one();                  // pow(-1, +-infinity)
    return (magnitude_bits(f, a) < f.one()) == falls ? f.infinity() : 0;  // |a| < 1, zeros too; |a| > 1
  }
  const Parity p = parity(f, b);
  const bool negative = is_negative(f, a) && p == Parity::Odd;
  if (is_zero(f, a)) return with_sign(f, negative, falls ? f.infinity() : 0);  // falls: a division by zero
  if (f.is_infinite(a)) return with_sign(f, negative, falls ? 0 : f.infinity());
  if (is_negative(f, a) && p == Parity::NoInteger) return f.nan();  // invalid
  if (magnitude_bits(f, a) == f.one()) return with_sign(f, negative, f.one());
  return {};
}

VYRE_NUM_INLINE Ball signed_pow(FloatFormat f, uint32_t a, uint32_t b) {
  return negated(estimate::pow(exact_ball(f, a), exact_ball(f, b)),
                 is_negative(f, a) && parity(f, b) == Parity::Odd);
}

template <auto edge, auto estimate, auto exact>
VYRE_NUM_INLINE uint32_t value(FloatFormat f, uint32_t a) {
  if (const Edge known = edge(f, a)) [[unlikely]]
    return *known;
  return decided(f, estimate(exact_ball(f, a)), [&] { return multiprecision::rounded(f, exact, a); });
}
template <auto edge, auto estimate, auto exact>
VYRE_NUM_INLINE uint32_t value(FloatFormat f, uint32_t a, uint32_t b) {
  if (const Edge known = edge(f, a, b)) [[unlikely]]
    return *known;
  return decided(f, estimate(f, a, b), [&] { return multiprecision::rounded(f, exact, a, b); });
}

VYRE_NUM_INLINE Ball angle_of_point(FloatFormat f, uint32_t y, uint32_t x) {
  return estimate::atan2(exact_ball(f, y), exact_ball(f, x));
}

}  // namespace

// One line a function: its case and its columns.
#define VYRE_UNARY(name, edge)                                                                              \
  uint32_t name(FloatFormat f, uint32_t a) {                                                                \
    return value<edge, static_cast<Ball (*)(estimate::Operand)>(estimate::name), mpfr_##name>(f, a);        \
  }                                                                                                         \
  void name(FloatFormat f, Column a, Results out) {                                                         \
    arithmetic::with_format(f, [&](auto format) {                                                           \
      for (size_t i = 0; i < out.size(); ++i) {                                                             \
        out[i] = value<edge, static_cast<Ball (*)(estimate::Operand)>(estimate::name), mpfr_##name>(format, \
                                                                                                    a[i]);  \
      }                                                                                                     \
    });                                                                                                     \
  }
#define VYRE_BINARY(name, edge, estimate)                                  \
  uint32_t name(FloatFormat f, uint32_t a, uint32_t b) {                   \
    return value<edge, estimate, mpfr_##name>(f, a, b);                    \
  }                                                                        \
  void name(FloatFormat f, Column a, Column b, Results out) {              \
    arithmetic::with_format(f, [&](auto format) {                          \
      for (size_t i = 0; i < out.size(); ++i)                              \
          out[i] = value<edge, estimate, mpfr_##name>(format, a[i], b[i]); \
    });                                                                    \
  }

VYRE_UNARY(sin, edge_of_odd_turn)
VYRE_UNARY(cos, edge_of_cos)
VYRE_UNARY(tan, edge_of_odd_turn)
VYRE_UNARY(asin, edge_of_asin)
VYRE_UNARY(acos, edge_of_acos)
VYRE_UNARY(atan, edge_of_atan)
VYRE_UNARY(exp, edge_of_exponential)
VYRE_UNARY(exp2, edge_of_exponential)
VYRE_UNARY(exp10, edge_of_exponential)
VYRE_UNARY(log, edge_of_logarithm)
VYRE_UNARY(log2, edge_of_logarithm)
VYRE_UNARY(log10, edge_of_logarithm)
VYRE_BINARY(atan2, edge_of_atan2, angle_of_point)
VYRE_BINARY(pow, edge_of_pow, signed_pow)

#undef VYRE_UNARY
#undef VYRE_BINARY

}  // namespace vyre::num
