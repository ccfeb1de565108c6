// float.<type>.ceil: the least integer not below a; a zero keeps the sign of a.
#include "ops/float_reference.h"

#include <cmath>

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(std::ceil(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_ceil() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FCeil>("ceil", reference_of<reference<Float>>);
    o.summary = "the least integer not below a, as a float; a zero keeps the sign of a";
    o.laws = {laws::projection(), laws::monotone()};
    o.denied = {
        {laws::involution(), {V::half}},
        {laws::de_morgan(beside<Float>("add"), beside<Float>("add")), {V::half, V::half}},
    };
    o.classes = operand_classes<Float, 1>();
    o.boundaries = unary_boundaries<Float>();
    o.rows = rounding_rows<Float>(1);
    return o;
  });
}

}  // namespace vyre::ops
