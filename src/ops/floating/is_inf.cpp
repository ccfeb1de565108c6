// float.<type>.is_inf: 1 for the two infinities.
#include "ops/float_reference.h"

#include <cmath>

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return std::isinf(Float::value(a)) ? 1 : 0;
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_is_inf() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FIsInf>("is_inf", reference_of<reference<Float>>);
    o.summary = "1 if a is an infinity, else 0";
    o.laws = {laws::bounded(0, 1), laws::even(beside<Float>("neg"))};
    o.denied = {
        {laws::bounded(0, 0), {V::infinity}},
        {laws::monotone(), {V::minus_infinity, V::zero}},
        {laws::complement(beside<Float>("is_nan"), 1), {V::one}},
    };
    o.classes = operand_classes<Float, 1>();
    o.boundaries = unary_boundaries<Float>();
    o.rows = kind_rows<Float>(1);
    return o;
  });
}

}  // namespace vyre::ops
