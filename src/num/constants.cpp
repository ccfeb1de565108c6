#include "num/constants.h"

#include <mpfr.h>

namespace vyre::num {
namespace {

/// A number of 512 bits.
class Real {
 public:
  Real() { mpfr_init2(x_, 512); }
  ~Real() { mpfr_clear(x_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return x_; }

  /// x * 2^places, cut to an integer. Domain: 0 <= the result < 2^128.
  Wide cut(long places) {
    Real scaled, rest;
    mpfr_mul_2si(scaled.x_, x_, places - 64, MPFR_RNDN);
    const uint64_t upper = mpfr_get_ui(scaled.x_, MPFR_RNDZ);
    mpfr_sub_ui(rest.x_, scaled.x_, upper, MPFR_RNDN);
    mpfr_mul_2si(rest.x_, rest.x_, 64, MPFR_RNDN);
    return Wide(upper) << 64 | mpfr_get_ui(rest.x_, MPFR_RNDZ);
  }

 private:
  mpfr_t x_;
};

/// log_base(of).
void logarithm(Real& out, unsigned long base, Real& of) {
  Real b;
  mpfr_set_ui(b.get(), base, MPFR_RNDN);
  mpfr_log(b.get(), b.get(), MPFR_RNDN);
  mpfr_log(out.get(), of.get(), MPFR_RNDN);
  mpfr_div(out.get(), out.get(), b.get(), MPFR_RNDN);
}

void make_logarithms(Constants& c) {
  Real x, e, ten;
  mpfr_set_ui(x.get(), 1, MPFR_RNDN);
  mpfr_exp(e.get(), x.get(), MPFR_RNDN);
  mpfr_set_ui(ten.get(), 10, MPFR_RNDN);
  logarithm(x, 2, e);
  c.log2_e = x.cut(126);
  c.log2_e_ball = {false, 0, uint64_t(x.cut(63)), 1};
  logarithm(x, 2, ten);
  c.log2_10 = x.cut(126);
  logarithm(x, 10, e);
  c.log10_e_ball = {false, -2, uint64_t(x.cut(65)), 1};
  mpfr_const_log2(x.get(), MPFR_RNDN);
  c.ln_2 = uint64_t(x.cut(64));
  for (uint32_t i = 0; i < c.logarithms.size(); ++i) {
    const uint32_t r = reciprocal(i);
    mpfr_set_ui(x.get(), r, MPFR_RNDN);
    mpfr_div_2ui(x.get(), x.get(), 8, MPFR_RNDN);
    mpfr_log(x.get(), x.get(), MPFR_RNDN);
    const bool positive = r < 256;  // ln(256 / r)
    mpfr_abs(x.get(), x.get(), MPFR_RNDN);
    const auto cut = int64_t(x.cut(64));
    c.logarithms[i] = positive ? cut : -cut;
  }
}

void make_powers(Constants& c) {
  Real x;
  for (uint32_t i = 0; i < c.powers.size(); ++i) {
    mpfr_set_ui_2exp(x.get(), i, -7, MPFR_RNDN);
    mpfr_exp2(x.get(), x.get(), MPFR_RNDN);
    c.powers[i] = uint64_t(x.cut(63));
  }
}

void make_angles(Constants& c) {
  Real x;
  mpfr_const_pi(x.get(), MPFR_RNDN);
  c.pi = x.cut(64);
  c.half_pi = x.cut(63);
  c.half_pi_ball = {false, 0, uint64_t(x.cut(62)), 1};
  mpfr_ui_div(x.get(), 2, x.get(), MPFR_RNDN);
  for (uint32_t i = 1; i < c.two_over_pi.size(); ++i) {
    const auto word = uint64_t(x.cut(64));
    c.two_over_pi[i] = word;
    mpfr_mul_2ui(x.get(), x.get(), 64, MPFR_RNDN);
    mpfr_sub_ui(x.get(), x.get(), word, MPFR_RNDN);
  }
  for (uint32_t i = 0; i < c.angles.size(); ++i) {
    mpfr_set_ui_2exp(x.get(), i, -6, MPFR_RNDN);
    mpfr_atan(x.get(), x.get(), MPFR_RNDN);
    c.angles[i] = uint64_t(x.cut(64));
  }
}

}  // namespace

const Constants& constants() {
  static const Constants made = [] {
    Constants c;
    make_logarithms(c);
    make_powers(c);
    make_angles(c);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
    return c;
  }();
  return made;
}

}  // namespace vyre::num
