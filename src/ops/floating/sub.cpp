// float.<type>.sub: the difference, rounded once.
#include "ops/float_reference.h"

namespace {

// The sum with the opposite.
template <typename Float>
uint32_t reference(uint32_t a, uint32_t b) {
  return Float::pattern(host_float::sum(Float::value(a), -Float::value(b)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_sub() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FSub>("sub", reference_of<reference<Float>>);
    o.summary = "a - b, to nearest even";
    o.laws = {laws::absorbing(V::nan)};
    o.denied = {
        {laws::commutative(), {V::one, V::two}},
        {laws::associative(), {V::one, V::one, V::one}},
        {laws::identity(V::zero), {V::one}},           // 0 - 1 is -1
        {laws::self_inverse(V::zero), {V::infinity}},  // infinity less infinity is NaN
    };
    o.classes = operand_classes<Float, 2>();
    o.boundaries = binary_boundaries<Float>();
    o.rows = {
        {{V::two, V::one}, V::one, "two less one", "vyre-conform-spec: Float semantics"},
        {{V::zero, V::one}, V::minus_one, "below zero", "vyre-conform-spec: Float semantics"},
        {{V::one, V::one}, V::zero, "a number less itself is +0", "vyre-conform-spec: Float semantics"},
        {{V::minus_zero, V::zero}, V::minus_zero, "-0 less +0", "vyre-conform-spec: Float semantics"},
        {{V::zero, V::zero}, V::zero, "+0 less +0", "vyre-conform-spec: Float semantics"},
        {{V::one, V::tie},
         V::one - 1,
         "the neighbour below one is half a unit away",
         "vyre-conform-spec: Float semantics"},
        {{V::one, V::power(-int(V::format.precision()) - 1)},
         V::one,
         "half of that is a tie, and one is even",
         "vyre-conform-spec: Float semantics"},
        {{V::least_normal, V::tiny},
         V::least_normal - 1,
         "subnormals are kept",
         "vyre-conform-spec: Float semantics"},
        {{V::least_normal + 1, V::least_normal},
         V::tiny,
         "two normal numbers differ by a subnormal one",
         "vyre-conform-spec: Float semantics"},
        {{V::greatest, V::minus(V::greatest)}, V::infinity, "overflow", "vyre-conform-spec: Float semantics"},
        {{V::infinity, V::one}, V::infinity, "infinity less a number", "vyre-conform-spec: Float semantics"},
        {{V::infinity, V::infinity}, V::nan, "infinity less itself", "vyre-conform-spec: Float semantics"},
        {{V::one, V::payload}, V::nan, "the payload is not kept", "semantics: Floats (one NaN)"},
    };
    return o;
  });
}

}  // namespace vyre::ops
