// float.<type>.min: the lesser of two; a number wins over NaN.
#include "ops/float_reference.h"

#include <cmath>

namespace {

template <typename Float>
uint32_t reference(uint32_t a, uint32_t b) {
  const auto x = Float::value(a), y = Float::value(b);
  if (std::isnan(x)) return std::isnan(y) ? Float::pattern(x) : b;
  if (std::isnan(y)) return a;
  if (x == y) return std::signbit(x) ? a : b;  // the zeros
  return x < y ? a : b;
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_min() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FMin>("min", reference_of<reference<Float>>);
    o.summary = "the lesser of a and b; a number wins over NaN, -0 < +0";
    o.laws = {laws::commutative(), laws::associative(), laws::identity(V::nan), laws::idempotent(),
              laws::absorbing(V::minus_infinity)};
    o.denied = {
        {laws::identity(V::infinity), {V::payload}},  // a number wins over NaN, infinity too
        {laws::self_inverse(V::zero), {V::one}},
        {laws::distributive_over(beside<Float>("max")),
         {V::one, V::nan, V::zero}},  // a NaN among the operands is lost on one side alone
    };
    o.classes = operand_classes<Float, 2>();
    o.boundaries = binary_boundaries<Float>();
    o.rows = extreme_rows<Float>(Extreme::Lesser);
    return o;
  });
}

}  // namespace vyre::ops
