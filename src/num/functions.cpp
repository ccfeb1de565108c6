#include "num/functions.h"

#include "num/arithmetic.h"
#include "num/multiprecision.h"

namespace vyre::num {
namespace {

bool is_one(FloatFormat f, uint32_t a) { return (a & f.mask()) == f.one(); }

uint32_t decide(FloatFormat f, multiprecision::Unary function, uint32_t a) {
  return f.is_nan(a) ? f.nan() : multiprecision::rounded(f, function, a);
}
uint32_t decide(FloatFormat f, multiprecision::Binary function, uint32_t a, uint32_t b) {
  return f.is_nan(a) || f.is_nan(b) ? f.nan() : multiprecision::rounded(f, function, a, b);
}

}  // namespace

// One line a function: its case and its columns.
#define VYRE_UNARY(name)                                                  \
  uint32_t name(FloatFormat f, uint32_t a) {                              \
    return decide(f, static_cast<multiprecision::Unary>(mpfr_##name), a); \
  }                                                                       \
  void name(FloatFormat f, Column a, Results out) {                       \
    for (size_t i = 0; i < out.size(); ++i) out[i] = name(f, a[i]);       \
  }
VYRE_UNARY(sin)
VYRE_UNARY(cos)
VYRE_UNARY(tan)
VYRE_UNARY(asin)
VYRE_UNARY(acos)
VYRE_UNARY(atan)
VYRE_UNARY(exp)
VYRE_UNARY(log)
VYRE_UNARY(exp2)
VYRE_UNARY(log2)
VYRE_UNARY(exp10)
VYRE_UNARY(log10)
#undef VYRE_UNARY

uint32_t atan2(FloatFormat f, uint32_t y, uint32_t x) { return decide(f, mpfr_atan2, y, x); }
void atan2(FloatFormat f, Column y, Column x, Results out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = atan2(f, y[i], x[i]);
}

uint32_t pow(FloatFormat f, uint32_t a, uint32_t b) {
  if (is_one(f, a) || arithmetic::is_zero(f, b)) return f.one();  // of NaN too
  return decide(f, mpfr_pow, a, b);
}
void pow(FloatFormat f, Column a, Column b, Results out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = pow(f, a[i], b[i]);
}

}  // namespace vyre::num
