// float.<type>.add: the sum, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a, uint32_t b) {
  return Float::pattern(host_float::sum(Float::value(a), Float::value(b)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_add() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FAdd>("add", reference_of<reference<Float>>);
    o.summary = "a + b, to nearest even";
    o.laws = {laws::commutative(), laws::identity(V::minus_zero), laws::absorbing(V::nan)};
    o.denied = {
        {laws::associative(), {V::one, V::tie, V::tie}},  // twice a tie is lost, and half a unit twice is one
        {laws::identity(V::zero), {V::minus_zero}},       // -0 + +0 is +0
        {laws::idempotent(), {V::one}},
        // Opposite infinities make a NaN, over which the other sum wins.
        {laws::distributive_over(beside<Float>("min")), {V::infinity, V::minus_infinity, V::one}},
        {laws::distributive_over(beside<Float>("max")), {V::minus_infinity, V::infinity, V::one}},
        {laws::distributive_over(beside<Float>("mul")), {V::one, V::one, V::one}},
    };
    o.classes = operand_classes<Float, 2>();
    o.classes.push_back({"the sum overflows",
                         [](const uint32_t* x) {
                           return !V::is_infinite(x[0]) && !V::is_infinite(x[1]) &&
                                  V::is_infinite(reference<Float>(x[0], x[1]));
                         },
                         {V::greatest, V::greatest}});
    o.boundaries = binary_boundaries<Float>();
    o.rows = {
        {{V::one, V::one}, V::two, "one and one", "vyre-conform-spec: Float semantics"},
        {{V::one, V::tie},
         V::one,
         "a tie goes to the even neighbour, down",
         "vyre-conform-spec: Float semantics"},
        {{V::one + 1, V::tie},
         V::one + 2,
         "a tie goes to the even neighbour, up",
         "vyre-conform-spec: Float semantics"},
        {{V::one, V::tie + 1}, V::one + 1, "just above a tie", "vyre-conform-spec: Float semantics"},
        {{V::tiny, V::tiny}, 2, "subnormals are kept", "vyre-conform-spec: Float semantics"},
        {{V::least_normal, V::minus(V::tiny)},
         V::least_normal - 1,
         "a normal number less something is subnormal",
         "vyre-conform-spec: Float semantics"},
        {{V::greatest, V::power(V::format.max_exponent() - int(V::format.precision()))},
         V::infinity,
         "half a unit above the greatest number overflows: its tie is even",
         "vyre-conform-spec: Float semantics"},
        {{V::one, V::minus_one},
         V::zero,
         "a number and its opposite give +0",
         "vyre-conform-spec: Float semantics"},
        {{V::minus_zero, V::minus_zero},
         V::minus_zero,
         "two negative zeros",
         "vyre-conform-spec: Float semantics"},
        {{V::zero, V::minus_zero}, V::zero, "opposite zeros give +0", "vyre-conform-spec: Float semantics"},
        {{V::infinity, V::one},
         V::infinity,
         "infinity absorbs a number",
         "vyre-conform-spec: Float semantics"},
        {{V::infinity, V::minus_infinity},
         V::nan,
         "opposite infinities",
         "vyre-conform-spec: Float semantics"},
        {{V::payload, V::one}, V::nan, "the payload is not kept", "semantics: Floats (one NaN)"},
        {{V::one, V::signalling}, V::nan, "a signalling NaN counts as quiet", "semantics: Floats (one NaN)"},
    };
    return o;
  });
}

}  // namespace vyre::ops
