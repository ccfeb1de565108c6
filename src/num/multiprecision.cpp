#include "num/multiprecision.h"

#include <algorithm>

#include "num/arithmetic.h"

namespace vyre::num::multiprecision {
namespace {

/// A thread's numbers. MPFR keeps constants such as pi in caches of the thread, which go with it.
class Numbers {
 public:
  Numbers() {
    mpfr_init2(a, 32);
    mpfr_init2(b, 32);
    mpfr_init2(result, kPrecision);
  }
  ~Numbers() {
    mpfr_clear(a);
    mpfr_clear(b);
    mpfr_clear(result);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  static constexpr mpfr_prec_t kPrecision = 62;
  mpfr_t a, b, result;
};
Numbers& numbers() {
  thread_local Numbers mine;
  return mine;
}

/// MPFR's whole range of exponents, whatever the thread has set; and its flags as they were.
class WholeRange {
 public:
  WholeRange() {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }
  ~WholeRange() {
    mpfr_set_emin(min_);
    mpfr_set_emax(max_);
    mpfr_flags_restore(flags_, MPFR_FLAGS_ALL);
  }
  WholeRange(const WholeRange&) = delete;
  WholeRange& operator=(const WholeRange&) = delete;

 private:
  mpfr_exp_t min_ = mpfr_get_emin(), max_ = mpfr_get_emax();
  mpfr_flags_t flags_ = mpfr_flags_save();
};

void set(mpfr_ptr x, FloatFormat f, uint32_t a) {
  const auto number = arithmetic::unpack(f, a);
  if (f.is_infinite(a)) {
    mpfr_set_inf(x, number.negative ? -1 : 1);
  } else {
    mpfr_set_ui_2exp(x, number.magnitude, number.exponent, MPFR_RNDN);  // exact: 24 bits
    mpfr_setsign(x, x, number.negative, MPFR_RNDN);
  }
}

/// The pattern nearest to x, which was rounded towards zero; something is left if `way` is not 0.
uint32_t pattern(FloatFormat f, mpfr_ptr x, int way) {
  if (mpfr_nan_p(x)) return f.nan();
  const bool negative = mpfr_signbit(x) != 0;
  if (mpfr_inf_p(x)) return arithmetic::with_sign(f, negative, f.infinity());
  if (mpfr_zero_p(x)) return arithmetic::with_sign(f, negative, 0);
  // No format has exponents beyond 2^10, and MPFR's have 62 bits.
  const auto exponent = int32_t(std::clamp<mpfr_exp_t>(mpfr_get_exp(x), -4096, 4096));
  mpfr_set_exp(x, Numbers::kPrecision);  // an integer
  mpfr_abs(x, x, MPFR_RNDZ);
  const uint64_t magnitude = mpfr_get_ui(x, MPFR_RNDZ) | uint64_t(way != 0);
  return arithmetic::round(f, {negative, exponent - int32_t(Numbers::kPrecision), magnitude});
}

uint32_t fold(FloatFormat f, mpfr_prec_t precision, Binary function, uint32_t count, const Element& element) {
  const WholeRange range;
  Numbers& n = numbers();
  mpfr_t all;
  mpfr_init2(all, precision);
  bool less = false;  // than it was: towards zero
  for (uint32_t k = 0; k < count; ++k) {
    const uint32_t x = element(k);
    if (f.is_nan(x))
      mpfr_set_nan(n.a);
    else
      set(n.a, f, x);
    less |= (k == 0 ? mpfr_set(all, n.a, MPFR_RNDZ) : function(all, all, n.a, MPFR_RNDZ)) != 0;
  }
  less |= mpfr_set(n.result, all, MPFR_RNDZ) != 0;
  mpfr_clear(all);
  return pattern(f, n.result, less ? 1 : 0);
}

}  // namespace

uint32_t sum(FloatFormat f, uint32_t count, const Element& element) {
  constexpr mpfr_prec_t kExact = 320;  // bits of 2^32 numbers of f32, one below the other
  return fold(f, kExact, mpfr_add, count, element);
}
uint32_t product(FloatFormat f, uint32_t count, const Element& element) {
  return fold(f, 128, mpfr_mul, count, element);
}

uint32_t rounded(FloatFormat f, Unary function, uint32_t a) {
  const WholeRange range;
  Numbers& n = numbers();
  set(n.a, f, a);
  return pattern(f, n.result, function(n.result, n.a, MPFR_RNDZ));
}

uint32_t rounded(FloatFormat f, Binary function, uint32_t a, uint32_t b) {
  const WholeRange range;
  Numbers& n = numbers();
  set(n.a, f, a);
  set(n.b, f, b);
  return pattern(f, n.result, function(n.result, n.a, n.b, MPFR_RNDZ));
}

}  // namespace vyre::num::multiprecision
