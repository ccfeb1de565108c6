// float.<type>.abs: the sign bit cleared, of NaN too.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return a & ~(1u << (Float::exponent_bits + Float::fraction_bits));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_abs() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FAbs>("abs", reference_of<reference<Float>>);
    o.summary = "|a|: the sign bit cleared, of NaN too";
    o.laws = {laws::projection(), laws::bounded(V::zero, V::infinity),
              laws::de_morgan(beside<Float>("mul"), beside<Float>("mul")),
              laws::de_morgan(beside<Float>("div"), beside<Float>("div")), laws::even(beside<Float>("neg"))};
    o.denied = {
        {laws::involution(), {V::minus_one}},
        {laws::monotone(), {V::minus(V::two), V::one}},
        {laws::de_morgan(beside<Float>("add"), beside<Float>("add")), {V::one, V::minus_one}},
    };
    o.classes = operand_classes<Float, 1>();
    o.boundaries = unary_boundaries<Float>();
    o.rows = {
        {{V::one}, V::one, "a positive number stays", "vyre-conform-spec: Float semantics"},
        {{V::minus_one}, V::one, "minus one", "vyre-conform-spec: Float semantics"},
        {{V::minus_zero}, V::zero, "a zero has a sign", "vyre-conform-spec: Float semantics"},
        {{V::minus_infinity}, V::infinity, "minus infinity", "vyre-conform-spec: Float semantics"},
        {{V::minus(V::tiny)}, V::tiny, "a negative subnormal", "vyre-conform-spec: Float semantics"},
        {{V::minus(V::greatest)}, V::greatest, "the least number", "vyre-conform-spec: Float semantics"},
        {{V::payload}, V::nan | 1, "every bit of a NaN is kept but the sign", "semantics: Floats"},
        {{V::minus(V::signalling)}, V::signalling, "a signalling NaN stays one", "semantics: Floats"},
        {{V::nan}, V::nan, "the NaN of arithmetic", "semantics: Floats"},
    };
    return o;
  });
}

}  // namespace vyre::ops
