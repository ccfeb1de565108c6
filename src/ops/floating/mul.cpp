// float.<type>.mul: the product, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a, uint32_t b) {
  return Float::pattern(host_float::product(Float::value(a), Float::value(b)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_mul() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FMul>("mul", reference_of<reference<Float>>);
    o.summary = "a * b, to nearest even";
    o.laws = {laws::commutative(), laws::identity(V::one), laws::absorbing(V::nan)};
    o.denied = {
        {laws::associative(), {V::greatest, V::two, V::half}},  // the double overflows
        {laws::absorbing(V::zero), {V::minus_one}},             // -1 * 0 is -0
        {laws::idempotent(), {V::two}},
        {laws::distributive_over(beside<Float>("add")),
         {V::greatest, V::two, V::minus_one}},  // the double overflows
    };
    o.classes = operand_classes<Float, 2>();
    o.boundaries = binary_boundaries<Float>();
    o.rows = {
        {{V::two, V::three}, V::six, "two times three", "vyre-conform-spec: Float semantics"},
        {{V::one + 1, V::one + 1},
         V::one + 2,
         "the square of a unit is lost",
         "vyre-conform-spec: Float semantics"},
        {{V::one + 1, V::one_and_half},
         V::one_and_half + 2,
         "one and a half units is a tie, and goes to two",
         "vyre-conform-spec: Float semantics"},
        {{V::minus_one, V::minus_one}, V::one, "signs cancel", "vyre-conform-spec: Float semantics"},
        {{V::tiny, V::half},
         V::zero,
         "half of the least subnormal is a tie: zero is even",
         "vyre-conform-spec: Float semantics"},
        {{3, V::half},
         2,
         "one and a half of them is a tie: two is even",
         "vyre-conform-spec: Float semantics"},
        {{V::least_normal, V::half},
         V::least_normal / 2,
         "a subnormal product is kept",
         "vyre-conform-spec: Float semantics"},
        {{V::greatest, V::two}, V::infinity, "overflow", "vyre-conform-spec: Float semantics"},
        {{V::minus_one, V::zero}, V::minus_zero, "the sign of a zero", "vyre-conform-spec: Float semantics"},
        {{V::infinity, V::minus_one},
         V::minus_infinity,
         "the sign of an infinity",
         "vyre-conform-spec: Float semantics"},
        {{V::infinity, V::zero}, V::nan, "infinity times zero", "vyre-conform-spec: Float semantics"},
        {{V::signalling, V::one}, V::nan, "a signalling NaN counts as quiet", "semantics: Floats (one NaN)"},
        {{V::zero, V::payload}, V::nan, "zero does not hide a NaN", "semantics: Floats (one NaN)"},
    };
    return o;
  });
}

}  // namespace vyre::ops
