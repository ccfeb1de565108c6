// float.<type>.eq: 1 where the numbers are equal.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a, uint32_t b) {
  return Float::value(a) == Float::value(b) ? 1 : 0;
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_eq() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FEq>("eq", reference_of<reference<Float>>);
    o.summary = "1 if a == b, else 0; NaN makes it 0";
    o.laws = {laws::commutative(), laws::bounded(0, 1)};
    o.denied = {
        {laws::self_inverse(1), {V::nan}},  // NaN does not equal itself
        {laws::self_inverse(0), {V::one}},
        {laws::complement(beside<Float>("lt"), 1), {V::two, V::one}},
    };
    o.classes = operand_classes<Float, 2>();
    o.boundaries = binary_boundaries<Float>();
    o.rows = comparison_rows<Float>([](Relation r) { return r == Relation::Equal; });
    return o;
  });
}

}  // namespace vyre::ops
