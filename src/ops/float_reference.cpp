#include "ops/float_reference.h"

#include <mpfr.h>

namespace big_float {
namespace {

/// A thread's numbers. MPFR's caches of constants go with them.
struct Numbers {
  Numbers() {
    mpfr_init2(a, 53);
    mpfr_init2(b, 53);
    mpfr_init2(result, 24);
  }
  ~Numbers() {
    mpfr_clear(a);
    mpfr_clear(b);
    mpfr_clear(result);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  mpfr_t a, b, result;
};

/// What `compute` gives of the thread's numbers. It rounds to the format's precision with all exponents there
/// are; then the format's come into force, and mpfr_subnormalize rounds numbers that are shorter there as if
/// that had been the first time, for it is told which way the first went. Source: the MPFR manual, "Exception
/// Related Functions".
template <class Compute>
double rounded(Format f, double a, double b, Compute compute) {
  static thread_local Numbers n;
  const mpfr_exp_t min = mpfr_get_emin(), max = mpfr_get_emax();
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  mpfr_set_d(n.a, a, MPFR_RNDN);  // exact, NaN and infinities included
  mpfr_set_d(n.b, b, MPFR_RNDN);
  mpfr_set_prec(n.result, f.precision);
  int way = compute(n.result, n.a, n.b);
  mpfr_set_emin(f.least + 1);  // MPFR's numbers are fractions: 1 has the exponent 1
  mpfr_set_emax(f.end);
  way = mpfr_check_range(n.result, way, MPFR_RNDN);
  mpfr_subnormalize(n.result, way, MPFR_RNDN);
  mpfr_set_emin(min);
  mpfr_set_emax(max);
  return mpfr_get_d(n.result, MPFR_RNDN);
}

}  // namespace

#define VYRE_UNARY(name)                                                                                     \
  double name(Format f, double a) {                                                                          \
    return rounded(f, a, 0,                                                                                  \
                   [](mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr) { return mpfr_##name(out, x, MPFR_RNDN); }); \
  }
#define VYRE_BINARY(name)                                                    \
  double name(Format f, double a, double b) {                                \
    return rounded(f, a, b, [](mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y) { \
      return mpfr_##name(out, x, y, MPFR_RNDN);                              \
    });                                                                      \
  }

VYRE_UNARY(sin)
VYRE_UNARY(cos)
VYRE_UNARY(tan)
VYRE_UNARY(asin)
VYRE_UNARY(acos)
VYRE_UNARY(atan)
VYRE_BINARY(atan2)
VYRE_UNARY(exp)
VYRE_UNARY(log)
VYRE_UNARY(exp2)
VYRE_UNARY(log2)
VYRE_UNARY(exp10)
VYRE_UNARY(log10)
VYRE_BINARY(pow)

#undef VYRE_UNARY
#undef VYRE_BINARY

}  // namespace big_float
