// float.<type>.lt: 1 where a is below b.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a, uint32_t b) {
  return Float::value(a) < Float::value(b) ? 1 : 0;
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_lt() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FLt>("lt", reference_of<reference<Float>>);
    o.summary = "1 if a < b, else 0; NaN makes it 0";
    o.laws = {laws::self_inverse(0), laws::bounded(0, 1)};
    o.denied = {
        {laws::complement(beside<Float>("ge"), 1), {V::nan, V::one}},  // NaN makes both 0
        {laws::commutative(), {V::one, V::two}},
    };
    o.classes = operand_classes<Float, 2>();
    o.boundaries = binary_boundaries<Float>();
    o.rows = comparison_rows<Float>([](Relation r) { return r == Relation::Less; });
    return o;
  });
}

}  // namespace vyre::ops
