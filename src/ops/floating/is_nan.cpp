// float.<type>.is_nan: 1 for every NaN.
#include "ops/float_reference.h"

#include <cmath>

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return std::isnan(Float::value(a)) ? 1 : 0;
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_is_nan() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FIsNaN>("is_nan", reference_of<reference<Float>>);
    o.summary = "1 if a is NaN, else 0";
    o.laws = {laws::monotone() /* where there is an order */, laws::bounded(0, 1),
              laws::even(beside<Float>("neg"))};
    o.denied = {
        {laws::bounded(0, 0), {V::nan}},
        {laws::complement(beside<Float>("is_inf"), 1), {V::one}},
    };
    o.classes = operand_classes<Float, 1>();
    o.boundaries = unary_boundaries<Float>();
    o.rows = kind_rows<Float>(0);
    return o;
  });
}

}  // namespace vyre::ops
