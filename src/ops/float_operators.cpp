// The operators on floats, beside the texts of floating/ and float/<type>/: what judges them.
#include "ops/float_reference.h"

#include <cmath>

namespace {

template <typename Float>
struct Operators {
  static auto of(uint32_t a) { return Float::value(a); }

  static uint32_t add(uint32_t a, uint32_t b) { return Float::pattern(host_float::sum(of(a), of(b))); }
  // The sum with the opposite.
  static uint32_t sub(uint32_t a, uint32_t b) { return Float::pattern(host_float::sum(of(a), -of(b))); }
  static uint32_t mul(uint32_t a, uint32_t b) { return Float::pattern(host_float::product(of(a), of(b))); }
  static uint32_t div(uint32_t a, uint32_t b) { return Float::pattern(host_float::quotient(of(a), of(b))); }
  static uint32_t mul_add(uint32_t a, uint32_t b, uint32_t c) {
    return Float::pattern(host_float::fused(of(a), of(b), of(c)));
  }
  static uint32_t sqrt(uint32_t a) { return Float::pattern(host_float::root(of(a))); }

  // Signs are bits, of NaN too.
  static constexpr uint32_t kSign = 1u << (Float::exponent_bits + Float::fraction_bits);
  static uint32_t abs(uint32_t a) { return a & ~kSign; }
  static uint32_t neg(uint32_t a) { return a ^ kSign; }

  static uint32_t min(uint32_t a, uint32_t b) {
    const auto x = of(a), y = of(b);
    if (std::isnan(x)) return std::isnan(y) ? Float::pattern(x) : b;
    if (std::isnan(y)) return a;
    if (x == y) return std::signbit(x) ? a : b;  // the zeros
    return x < y ? a : b;
  }
  static uint32_t max(uint32_t a, uint32_t b) {
    const auto x = of(a), y = of(b);
    if (std::isnan(x)) return std::isnan(y) ? Float::pattern(x) : b;
    if (std::isnan(y)) return a;
    if (x == y) return std::signbit(x) ? b : a;  // the zeros
    return x > y ? a : b;
  }

  static uint32_t eq(uint32_t a, uint32_t b) { return of(a) == of(b) ? 1 : 0; }
  static uint32_t lt(uint32_t a, uint32_t b) { return of(a) < of(b) ? 1 : 0; }
  static uint32_t le(uint32_t a, uint32_t b) { return of(a) <= of(b) ? 1 : 0; }
  static uint32_t gt(uint32_t a, uint32_t b) { return of(a) > of(b) ? 1 : 0; }
  static uint32_t ge(uint32_t a, uint32_t b) { return of(a) >= of(b) ? 1 : 0; }
  static uint32_t is_nan(uint32_t a) { return std::isnan(of(a)) ? 1 : 0; }
  static uint32_t is_inf(uint32_t a) { return std::isinf(of(a)) ? 1 : 0; }

  static uint32_t floor(uint32_t a) { return Float::pattern(std::floor(of(a))); }
  static uint32_t ceil(uint32_t a) { return Float::pattern(std::ceil(of(a))); }
  static uint32_t round(uint32_t a) { return Float::pattern(std::nearbyint(of(a))); }
  static uint32_t trunc(uint32_t a) { return Float::pattern(std::trunc(of(a))); }

  template <double (*function)(double)>
  static uint32_t elementary(uint32_t a) {
    return Float::pattern(function(of(a)));
  }
  static uint32_t atan2(uint32_t a, uint32_t b) { return Float::pattern(big_float::atan2(of(a), of(b))); }
  static uint32_t pow(uint32_t a, uint32_t b) { return Float::pattern(big_float::pow(of(a), of(b))); }

  template <typename To>
  static uint32_t to(uint32_t a) {
    return To::pattern(static_cast<decltype(To::value(0))>(of(a)));
  }
};

}  // namespace

#include "ops/floating.h"
#include "ops/text_operation.h"

namespace vyre::ops {
namespace {

using host_float::BF16;
using host_float::F16;
using host_float::F32;

template <double (*function)(double)>
FloatReferences elementary() {
  return at_each_float([]<typename F>() {
    return reference_of<host_float::remembered<F, Operators<F>::template elementary<function>>>;
  });
}

}  // namespace

FloatReferences floating_add() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::add>; });
}
FloatReferences floating_sub() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::sub>; });
}
FloatReferences floating_mul() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::mul>; });
}
FloatReferences floating_div() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::div>; });
}
FloatReferences floating_mul_add() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::mul_add>; });
}
FloatReferences floating_sqrt() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::sqrt>; });
}
FloatReferences floating_abs() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::abs>; });
}
FloatReferences floating_neg() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::neg>; });
}
FloatReferences floating_min() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::min>; });
}
FloatReferences floating_max() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::max>; });
}
FloatReferences floating_eq() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::eq>; });
}
FloatReferences floating_lt() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::lt>; });
}
FloatReferences floating_le() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::le>; });
}
FloatReferences floating_gt() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::gt>; });
}
FloatReferences floating_ge() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::ge>; });
}
FloatReferences floating_is_nan() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::is_nan>; });
}
FloatReferences floating_is_inf() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::is_inf>; });
}
FloatReferences floating_floor() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::floor>; });
}
FloatReferences floating_ceil() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::ceil>; });
}
FloatReferences floating_round() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::round>; });
}
FloatReferences floating_trunc() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::trunc>; });
}
FloatReferences floating_atan2() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::atan2>; });
}
FloatReferences floating_pow() {
  return at_each_float([]<typename F>() { return reference_of<Operators<F>::pow>; });
}

FloatReferences floating_exp() { return elementary<big_float::exp>(); }
FloatReferences floating_exp2() { return elementary<big_float::exp2>(); }
FloatReferences floating_exp10() { return elementary<big_float::exp10>(); }
FloatReferences floating_log() { return elementary<big_float::log>(); }
FloatReferences floating_log2() { return elementary<big_float::log2>(); }
FloatReferences floating_log10() { return elementary<big_float::log10>(); }
FloatReferences floating_sin() { return elementary<big_float::sin>(); }
FloatReferences floating_cos() { return elementary<big_float::cos>(); }
FloatReferences floating_tan() { return elementary<big_float::tan>(); }
FloatReferences floating_asin() { return elementary<big_float::asin>(); }
FloatReferences floating_acos() { return elementary<big_float::acos>(); }
FloatReferences floating_atan() { return elementary<big_float::atan>(); }

Beside float_f32_to_f16() { return {reference_of<Operators<F32>::to<F16>>}; }
Beside float_f32_to_bf16() { return {reference_of<Operators<F32>::to<BF16>>}; }
Beside float_f16_to_f32() { return {reference_of<Operators<F16>::to<F32>>}; }
Beside float_bf16_to_f32() { return {reference_of<Operators<BF16>::to<F32>>}; }

}  // namespace vyre::ops
