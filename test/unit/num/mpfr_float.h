// MPFR's opinion on floats: numbers of any precision, rounded correctly by another project's code.
//
// MPFR has no formats: one sets a precision and a range of exponents, and asks mpfr_subnormalize to round
// again where the format's numbers get shorter, which is right in one go because it knows which way the
// first rounding went. Patterns are taken apart and put together here, by MPFR's integers. Source: the MPFR
// manual, "Exception Related Functions".
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cstdint>

#include "spec/float_format.h"
#include "spec/types.h"

namespace vyre::num::test {

using spec::FloatFormat;
using spec::RoundingMode;

inline mpfr_rnd_t mpfr_mode(RoundingMode mode) {
  switch (mode) {
    case RoundingMode::None:
    case RoundingMode::Nearest: break;
    case RoundingMode::Trunc: return MPFR_RNDZ;
    case RoundingMode::Floor: return MPFR_RNDD;
    case RoundingMode::Ceil: return MPFR_RNDU;
  }
  return MPFR_RNDN;
}

/// A number of up to 64 bits with MPFR's whole range of exponents.
class Exact {
 public:
  Exact() { mpfr_init2(x_, 64); }
  Exact(FloatFormat f, uint32_t a) : Exact() { set(f, a); }
  ~Exact() { mpfr_clear(x_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;

  void set(FloatFormat f, uint32_t a) {
    const bool negative = ((a >> (f.exponent_bits + f.fraction_bits)) & 1) != 0;
    const uint32_t fraction = a % (1u << f.fraction_bits);
    const uint32_t field = (a >> f.fraction_bits) % (1u << f.exponent_bits);
    const long least = 2 - (1l << (f.exponent_bits - 1)) - long(f.fraction_bits);
    if (field == (1u << f.exponent_bits) - 1 && fraction != 0) {
      mpfr_set_nan(x_);
    } else if (field == (1u << f.exponent_bits) - 1) {
      mpfr_set_inf(x_, negative ? -1 : 1);
    } else if (field == 0) {
      mpfr_set_ui_2exp(x_, fraction, least, MPFR_RNDN);
      mpfr_setsign(x_, x_, negative, MPFR_RNDN);
    } else {
      mpfr_set_ui_2exp(x_, fraction + (1ul << f.fraction_bits), least + long(field) - 1, MPFR_RNDN);
      mpfr_setsign(x_, x_, negative, MPFR_RNDN);
    }
  }
  mpfr_ptr get() { return x_; }
  mpfr_srcptr get() const { return x_; }

 private:
  mpfr_t x_;
};

/// Results in one format. Not for threads: MPFR's range of exponents is the thread's.
class Mpfr {
 public:
  explicit Mpfr(FloatFormat f) : f_(f) {
    mpfr_init2(result_, f.fraction_bits + 1);
    mpz_init(integer_);
  }
  ~Mpfr() {
    mpfr_clear(result_);
    mpz_clear(integer_);
  }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;

  template <class Function, class... Operands>
  uint32_t apply(Function function, const Operands&... operands) {
    return rounded(function(result_, operands.get()..., MPFR_RNDN), MPFR_RNDN);
  }
  FloatFormat format() const { return f_; }
  template <class Function>
  uint32_t unary(Function function, uint32_t a) {
    a_.set(f_, a);
    return apply(function, a_);
  }
  template <class Function>
  uint32_t binary(Function function, uint32_t a, uint32_t b) {
    a_.set(f_, a);
    b_.set(f_, b);
    return apply(function, a_, b_);
  }
  uint32_t relation(int (*function)(mpfr_srcptr, mpfr_srcptr), uint32_t a, uint32_t b) {
    a_.set(f_, a);
    b_.set(f_, b);
    return function(a_.get(), b_.get()) != 0;
  }
  uint32_t test(int (*function)(mpfr_srcptr), uint32_t a) {
    a_.set(f_, a);
    return function(a_.get()) != 0;
  }
  uint32_t mul_add(uint32_t a, uint32_t b, uint32_t c) {
    a_.set(f_, a);
    b_.set(f_, b);
    c_.set(f_, c);
    return apply(mpfr_fma, a_, b_, c_);
  }
  uint32_t round_to_integral(RoundingMode mode, uint32_t a) {
    a_.set(f_, a);
    return rounded(mpfr_rint(result_, a_.get(), mpfr_mode(mode)), mpfr_mode(mode));
  }
  uint32_t convert(FloatFormat from, uint32_t a) {
    a_.set(from, a);
    return rounded(mpfr_set(result_, a_.get(), MPFR_RNDN), MPFR_RNDN);
  }
  uint32_t from_integer(bool negative, uint64_t magnitude) {
    mpfr_set_ui(a_.get(), magnitude, MPFR_RNDN);
    return rounded(negative ? mpfr_neg(result_, a_.get(), MPFR_RNDN) : mpfr_set(result_, a_.get(), MPFR_RNDN),
                   MPFR_RNDN) &
           (magnitude == 0 ? 0 : ~0u);  // the integer zero has no sign
  }
  /// mpfr_get_si saturates at 64 bits and gives 0 for NaN.
  int64_t to_integer(RoundingMode mode, uint32_t a, int64_t least, int64_t greatest) {
    a_.set(f_, a);
    return std::clamp(int64_t(mpfr_get_si(a_.get(), mpfr_mode(mode))), least, greatest);
  }

 private:
  /// The pattern of result_, which was rounded to the format's precision alone; `way` is where to.
  uint32_t rounded(int way, mpfr_rnd_t mode) {
    const long least = 2 - (1l << (f_.exponent_bits - 1)) - long(f_.fraction_bits);
    const mpfr_exp_t old_min = mpfr_get_emin();
    const mpfr_exp_t old_max = mpfr_get_emax();
    mpfr_set_emin(least + 1);  // MPFR's numbers are fractions: 1 has the exponent 1
    mpfr_set_emax(1l << (f_.exponent_bits - 1));
    way = mpfr_check_range(result_, way, mode);
    mpfr_subnormalize(result_, way, mode);
    mpfr_set_emin(old_min);
    mpfr_set_emax(old_max);
    return pattern(least);
  }
  uint32_t pattern(long least) {
    const uint32_t sign = mpfr_signbit(result_) ? 1u << (f_.exponent_bits + f_.fraction_bits) : 0;
    const uint32_t infinity = ((1u << f_.exponent_bits) - 1) << f_.fraction_bits;
    if (mpfr_nan_p(result_)) return infinity + (1u << (f_.fraction_bits - 1));
    if (mpfr_inf_p(result_)) return sign + infinity;
    if (mpfr_zero_p(result_)) return sign;
    const long exponent = mpfr_get_z_2exp(integer_, result_);
    mpz_abs(integer_, integer_);
    if (exponent < least) return sign + uint32_t(mpz_get_ui(integer_) >> (least - exponent));
    return sign + (uint32_t(exponent - least) << f_.fraction_bits) + uint32_t(mpz_get_ui(integer_));
  }

  FloatFormat f_;
  Exact a_, b_, c_;
  mpfr_t result_;
  mpz_t integer_;
};

}  // namespace vyre::num::test
