// float.<type>.neg: the sign bit turned over, of NaN too.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return a ^ 1u << (Float::exponent_bits + Float::fraction_bits);
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_neg() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FNeg>("neg", reference_of<reference<Float>>);
    o.summary = "-a: the sign bit turned over, of NaN too";
    o.laws = {laws::involution(), laws::de_morgan(beside<Float>("min"), beside<Float>("max")),
              laws::de_morgan(beside<Float>("max"), beside<Float>("min"))};
    o.denied = {
        {laws::monotone(), {V::one, V::two}},
        {laws::projection(), {V::one}},
        {laws::de_morgan(beside<Float>("add"), beside<Float>("add")),
         {V::one, V::minus_one}},  // -(1 - 1) is -0, and -1 + 1 is +0
    };
    o.classes = operand_classes<Float, 1>();
    o.boundaries = unary_boundaries<Float>();
    o.rows = {
        {{V::one}, V::minus_one, "one", "vyre-conform-spec: Float semantics"},
        {{V::minus_one}, V::one, "minus one", "vyre-conform-spec: Float semantics"},
        {{V::zero}, V::minus_zero, "a zero has a sign", "vyre-conform-spec: Float semantics"},
        {{V::minus_zero}, V::zero, "minus zero", "vyre-conform-spec: Float semantics"},
        {{V::infinity}, V::minus_infinity, "infinity", "vyre-conform-spec: Float semantics"},
        {{V::tiny}, V::sign | 1, "a subnormal", "vyre-conform-spec: Float semantics"},
        {{V::payload}, V::nan | 1, "every bit of a NaN is kept but the sign", "semantics: Floats"},
        {{V::signalling}, V::signalling | V::sign, "a signalling NaN stays one", "semantics: Floats"},
        {{V::nan}, V::nan | V::sign, "the NaN of arithmetic", "semantics: Floats"},
    };
    return o;
  });
}

}  // namespace vyre::ops
