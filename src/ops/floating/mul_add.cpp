// float.<type>.mul_add: a product and a sum with one rounding.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a, uint32_t b, uint32_t c) {
  return Float::pattern(host_float::fused(Float::value(a), Float::value(b), Float::value(c)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_mul_add() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FMulAdd>("mul_add", reference_of<reference<Float>>);
    o.summary = "a * b + c, rounded once";
    o.laws = {};
    o.denied = {
        {laws::bounded(V::zero, V::infinity), {V::minus_one, V::one, V::zero}},
        {laws::bounded(V::minus_infinity, V::zero), {V::one, V::one, V::one}},
    };
    o.classes = operand_classes<Float, 3>();
    o.boundaries = {
        {{V::one + 1, V::one - 2, V::minus_one}, "all but the last of the product cancels"},
        {{V::greatest, V::two, V::minus(V::greatest)}, "the product is beyond the greatest number"},
        {{V::tiny, V::tiny, V::one}, "a product far below the sum"},
        {{V::tiny, V::half, V::tiny}, "a tie among subnormals"},
        {{V::zero, V::one, V::minus_zero}, "the two zeros"},
        {{V::infinity, V::zero, V::one}, "infinity times zero"},
        {{V::infinity, V::one, V::minus_infinity}, "the two infinities"},
        {{V::one, V::one, V::payload}, "a quiet NaN with a payload"},
        {{V::signalling, V::one, V::one}, "a signalling NaN"},
    };
    o.rows = {
        {{V::one, V::one, V::one}, V::two, "one times one and one", "vyre-conform-spec: Float semantics"},
        {{V::one + 1, V::one - 2, V::minus_one},
         V::minus(V::power(-2 * int(V::format.fraction_bits))),
         "(1 + u)(1 - u) - 1 is -u^2; with two roundings it is 0",
         "vyre-conform-spec: Float semantics (FMulAdd: one rounding)"},
        {{V::greatest, V::two, V::minus(V::greatest)},
         V::greatest,
         "the product alone would overflow",
         "vyre-conform-spec: Float semantics (FMulAdd: one rounding)"},
        {{V::tiny, V::half, V::tiny},
         2,
         "one and a half of the least subnormal: a tie, two is even",
         "vyre-conform-spec: Float semantics"},
        {{V::tiny, V::half, V::zero},
         V::zero,
         "half of it: a tie, zero is even",
         "vyre-conform-spec: Float semantics"},
        {{V::zero, V::one, V::minus_zero},
         V::zero,
         "opposite zeros give +0",
         "vyre-conform-spec: Float semantics"},
        {{V::minus_zero, V::one, V::minus_zero},
         V::minus_zero,
         "two negative zeros",
         "vyre-conform-spec: Float semantics"},
        {{V::one, V::one, V::minus_one},
         V::zero,
         "a product and its opposite give +0",
         "vyre-conform-spec: Float semantics"},
        {{V::infinity, V::zero, V::one}, V::nan, "infinity times zero", "vyre-conform-spec: Float semantics"},
        {{V::infinity, V::one, V::minus_infinity},
         V::nan,
         "opposite infinities",
         "vyre-conform-spec: Float semantics"},
        {{V::one, V::infinity, V::one},
         V::infinity,
         "infinity absorbs a number",
         "vyre-conform-spec: Float semantics"},
        {{V::one, V::one, V::payload}, V::nan, "the payload is not kept", "semantics: Floats (one NaN)"},
        {{V::signalling, V::one, V::one},
         V::nan,
         "a signalling NaN counts as quiet",
         "semantics: Floats (one NaN)"},
    };
    return o;
  });
}

}  // namespace vyre::ops
