#include "ops/float_reference.h"

#include <arb.h>

#include <algorithm>
#include <limits>
#include <optional>

// Each function first answers where its value is a double or no number: the edges of IEEE 754-2019, 9.2.1,
// and the exact cases. Everywhere else the value lies strictly between two doubles, so a ball around it does
// too once it is small enough, and `enclosed` ends.
//
// Exact cases; all arguments are integers times a power of two.
//   sin, cos, tan, asin, acos, atan, atan2, exp, log: of an algebraic argument the value is transcendental,
//   but for zeros, acos 1, exp 0 and log 1 (theorems of Lindemann and of Hermite; Niven, Irrational Numbers,
//   9.3).
//   exp2, exp10: the value is irrational unless the argument is an integer; 10^-n is no sum of powers of two.
//   log2, log10: a rational logarithm p/q of a to base b says a^q = b^p, so a is an integral power of b, and
//   of 10 none below 1.
//   pow: exact_power().
namespace big_float {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Edge = std::optional<double>;

/// A thread's numbers. FLINT's caches of constants go with them.
struct Numbers {
  Numbers() {
    arb_init(x);
    arb_init(y);
    arb_init(value);
    arf_init(lower);
    arf_init(upper);
  }
  ~Numbers() {
    arb_clear(x);
    arb_clear(y);
    arb_clear(value);
    arf_clear(lower);
    arf_clear(upper);
    flint_cleanup();
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  arb_t x, y, value;
  arf_t lower, upper;
};
Numbers& numbers() {
  static thread_local Numbers mine;
  return mine;
}

double to_odd(arf_srcptr x) {
  const double cut = arf_get_d(x, ARF_RND_DOWN);
  return host_float::to_odd(cut, arf_cmp_d(x, cut));
}

/// The number that enclose(ball, x, y, precision) puts into a ball of any precision; y is scratch where there
/// is none. Domain: it is no double, and between 2^-1000 and 2^1000 in size.
template <class Enclose>
double enclosed(double x, double y, Enclose enclose) {
  Numbers& n = numbers();
  for (slong precision = 80;; precision *= 2) {
    arb_set_d(n.x, x);
    arb_set_d(n.y, y);
    enclose(n.value, n.x, n.y, precision);
    arb_get_lbound_arf(n.lower, n.value, precision);
    arb_get_ubound_arf(n.upper, n.value, precision);
    const double lower = to_odd(n.lower);
    if (lower == to_odd(n.upper)) return lower;
  }
}
template <auto function>
double enclosed(double x) {
  return enclosed(x, 0,
                  [](arb_ptr out, arb_srcptr a, arb_ptr, slong precision) { function(out, a, precision); });
}

/// The C library's value where that decides every rounding to a format of ours, else the one of `exactly`. A
/// rounding to at most 24 bits is decided where the value is far from all numbers of 25 bits: then whatever
/// is within kMargin units of the double's last place rounds as the double does. glibc's manual ("Known
/// Maximum Errors in Math Functions") has at most 2 of them for these functions; the margin is 256. One value
/// in 2^19 is left for Arb, and so are those whose formats have fewer bits, subnormal ones. What is beyond
/// every format, or below half of the least number of each, its error cannot bring back.
template <typename Exactly>
double decided(double near, Exactly exactly) {
  constexpr uint64_t kMargin = 256, kBelow = uint64_t{1} << (53 - 25);
  const uint64_t rest = std::bit_cast<uint64_t>(near) % kBelow;
  const double size = std::abs(near);
  if (size >= 0x1p130 || size <= 0x1p-160) return near;
  const bool clear = rest >= kMargin && rest <= kBelow - kMargin;
  return clear && size > 0x1p-120 ? near : exactly();
}

/// A value that is so little more or less than a number of at most 24 bits that no number of 25 bits, where
/// roundings turn, is between them: the next double does for it. From a number to the one of 25 bits that is
/// next to it is at least 2^-25 of it.
double beside(double number, double towards) { return std::nextafter(number, towards); }
/// Below this an argument's square is less than 2^-26. By their series |sin a| and |atan a| are less than |a|
/// and more than |a| (1 - a^2 / 3), |tan a| and |asin a| more than |a| and less than |a| (1 + a^2 / 2), and
/// cos a is less than 1 and more than 1 - a^2 / 2.
constexpr double kSmall = 0x1p-13;
/// Below this |b^a - 1| is less than 3 |a| < 2^-26 for all bases b from 2 to 10.
constexpr double kSmallExponent = 0x1p-28;

double quarters_of_pi(slong n) {
  return enclosed(0, 0, [n](arb_ptr out, arb_srcptr, arb_ptr, slong precision) {
    arb_const_pi(out, precision);
    arb_mul_si(out, out, n, precision);
    arb_mul_2exp_si(out, out, -2);
  });
}

/// sin, tan, and cos but for zeros.
Edge edge_of_turn(double a) {
  if (!std::isfinite(a)) return kNaN;
  if (a == 0) return a;
  return {};
}
Edge edge_of_exponential(double a) {
  if (std::isnan(a)) return kNaN;
  if (std::isinf(a)) return a > 0 ? kInfinity : 0.0;
  if (a == 0) return 1.0;
  if (std::abs(a) < kSmallExponent) return beside(1, a > 0 ? 2 : 0);
  return {};
}
Edge edge_of_logarithm(double a) {
  if (a == 0) return -kInfinity;
  if (!(a > 0)) return kNaN;
  if (std::isinf(a)) return kInfinity;
  if (a == 1) return 0.0;
  return {};
}
Edge edge_of_arc(double a) {
  if (!(std::abs(a) <= 1)) return kNaN;
  if (a == 0) return a;
  return {};
}

bool is_integer(double a) { return a == std::trunc(a); }
/// With a larger exponent too a power of e, 2 or 10 is beyond every format: those have 8 bits of exponent.
double within_doubles(double exponent) { return std::clamp(exponent, -300.0, 300.0); }

/// base^a for an a that is no integer; log_of_base is a constant.
template <auto log_of_base>
double power_of(double a) {
  return enclosed(a, 0, [](arb_ptr out, arb_srcptr x, arb_ptr scratch, slong precision) {
    log_of_base(scratch, precision);
    arb_mul(out, x, scratch, precision);
    arb_exp(out, out, precision);
  });
}
template <ulong base>
double log_to(double a) {
  return enclosed(a, 0, [](arb_ptr out, arb_srcptr x, arb_ptr, slong precision) {
    arb_log_base_ui(out, x, base, precision);
  });
}

/// a^b, where that may be a double. With a = k 2^e, k odd, and b = n / 2^j in lowest terms, a^b is rational
/// only if a is the power 2^j of such a number; taking roots of a and doubling b goes there in j steps. Then
/// b is an integer, and a^b has the odd part k^b: no double if that is a fraction, or longer than 53 bits.
/// Domain: a is positive and not 1, b is not 0.
Edge exact_power(double a, double b) {
  int exponent = 0;
  auto odd = uint64_t(std::ldexp(std::frexp(a, &exponent), 53));
  exponent -= 53;
  exponent += std::countr_zero(odd);
  odd >>= std::countr_zero(odd);
  for (; !is_integer(b); b *= 2, exponent /= 2) {
    const auto root = uint64_t(std::sqrt(double(odd)));  // exact for squares of 53 bits
    if (root * root != odd || exponent % 2 != 0) return {};
    odd = root;
  }
  const auto power_of_two = int(std::clamp(exponent * b, -1000.0, 900.0));  // the ends: beyond every format
  if (odd == 1) return std::ldexp(1.0, power_of_two);
  if (b < 0 || b > 33) return {};  // 3^34 has 54 bits
  uint64_t power = 1;
  for (double n = 0; n < b; ++n) {
    if (power > (uint64_t{1} << 53) / odd) return {};
    power *= odd;
  }
  return std::ldexp(double(power), power_of_two);
}

}  // namespace

double sin(double a) {
  if (const Edge edge = edge_of_turn(a)) return *edge;
  if (std::abs(a) < kSmall) return beside(a, 0.0);
  return decided(std::sin(a), [a] { return enclosed<arb_sin>(a); });
}
double cos(double a) {
  if (a == 0) return 1;
  if (const Edge edge = edge_of_turn(a)) return *edge;
  if (std::abs(a) < kSmall) return beside(1, 0);
  return decided(std::cos(a), [a] { return enclosed<arb_cos>(a); });
}
double tan(double a) {
  if (const Edge edge = edge_of_turn(a)) return *edge;
  if (std::abs(a) < kSmall) return beside(a, std::copysign(kInfinity, a));
  return decided(std::tan(a), [a] { return enclosed<arb_tan>(a); });
}
double asin(double a) {
  if (const Edge edge = edge_of_arc(a)) return *edge;
  if (std::abs(a) < kSmall) return beside(a, std::copysign(kInfinity, a));
  return decided(std::asin(a), [a] { return enclosed<arb_asin>(a); });
}
double acos(double a) {
  if (!(std::abs(a) <= 1)) return kNaN;
  if (a == 1) return 0;
  return decided(std::acos(a), [a] { return enclosed<arb_acos>(a); });
}
double atan(double a) {
  if (a == 0 || std::isnan(a)) return a;
  if (std::isinf(a)) return std::copysign(quarters_of_pi(2), a);
  if (std::abs(a) < kSmall) return beside(a, 0.0);
  return decided(std::atan(a), [a] { return enclosed<arb_atan>(a); });
}

double atan2(double y, double x) {
  if (std::isnan(y) || std::isnan(x)) return kNaN;
  if (std::isinf(y) || std::isinf(x)) {  // the direction alone counts
    y = std::copysign(std::isinf(y) ? 1.0 : 0.0, y);
    x = std::copysign(std::isinf(x) ? 1.0 : 0.0, x);
  }
  if (y == 0) return std::signbit(x) ? std::copysign(quarters_of_pi(4), y) : y;
  return decided(std::atan2(y, x), [y, x] {
    return enclosed(
        y, x, [](arb_ptr out, arb_srcptr b, arb_ptr a, slong precision) { arb_atan2(out, b, a, precision); });
  });
}

double exp(double a) {
  if (const Edge edge = edge_of_exponential(a)) return *edge;
  return decided(std::exp(a), [a] { return enclosed<arb_exp>(within_doubles(a)); });
}
double exp2(double a) {
  if (const Edge edge = edge_of_exponential(a)) return *edge;
  a = within_doubles(a);
  if (is_integer(a)) return std::ldexp(1.0, int(a));
  return decided(std::exp2(a), [a] { return power_of<arb_const_log2>(a); });
}
double exp10(double a) {
  if (const Edge edge = edge_of_exponential(a)) return *edge;
  a = within_doubles(a);
  // 10^23 is no double: 5^23 has 54 bits.
  if (a < 0 || a > 22 || !is_integer(a))
    return decided(::exp10(a), [a] { return power_of<arb_const_log10>(a); });
  return enclosed(0, 0, [n = ulong(a)](arb_ptr out, arb_srcptr, arb_ptr, slong precision) {
    arb_ui_pow_ui(out, 10, n, precision);  // without an error where 10^n is a double
  });
}

double log(double a) {
  if (const Edge edge = edge_of_logarithm(a)) return *edge;
  return decided(std::log(a), [a] { return enclosed<arb_log>(a); });
}
double log2(double a) {
  if (const Edge edge = edge_of_logarithm(a)) return *edge;
  int exponent = 0;
  if (std::frexp(a, &exponent) == 0.5) return exponent - 1;
  return decided(std::log2(a), [a] { return log_to<2>(a); });
}
double log10(double a) {
  if (const Edge edge = edge_of_logarithm(a)) return *edge;
  double power = 1;  // of 10: exact to 10^22
  for (int n = 0; n <= 22 && power <= a; ++n, power *= 10) {
    if (power == a) return n;
  }
  return decided(std::log10(a), [a] { return log_to<10>(a); });
}

double pow(double a, double b) {
  if (a == 1 || b == 0) return 1;  // whatever the other is, a NaN too
  if (std::isnan(a) || std::isnan(b)) return kNaN;
  const double size = std::abs(a);
  const double sign = std::signbit(a) && std::fmod(std::abs(b), 2) == 1 ? -1 : 1;
  if (size == 1) return is_integer(b) ? sign : kNaN;  // so is an infinity
  if (size == 0 || std::isinf(a) || std::isinf(b)) return sign * ((size > 1) == (b > 0) ? kInfinity : 0.0);
  if (a < 0 && !is_integer(b)) return kNaN;
  if (const Edge exact = exact_power(size, b)) return sign * *exact;
  return sign * decided(std::pow(size, b), [size, b] {
           return enclosed(size, b, [](arb_ptr out, arb_srcptr x, arb_ptr y, slong precision) {
             arb_log(out, x, precision);
             arb_mul(out, out, y, precision);
             // As within_doubles(): a ball of this size has a radius far below 1.
             if (arf_cmpabs_2exp_si(arb_midref(out), 9) > 0) arb_set_si(out, arf_sgn(arb_midref(out)) * 300);
             arb_exp(out, out, precision);
           });
         });
}

}  // namespace big_float
