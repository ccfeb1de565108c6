// float.<type>.sqrt: the square root, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(host_float::root(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_sqrt() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FSqrt>("sqrt", reference_of<reference<Float>>);
    o.summary = "the square root of a, to nearest even";
    o.laws = {laws::monotone(), laws::bounded(V::zero, V::infinity)};
    o.denied = {
        {laws::involution(), {V::four}},
        {laws::projection(), {V::power(4)}},
        {laws::de_morgan(beside<Float>("add"), beside<Float>("add")), {V::one, V::one}},
        {laws::de_morgan(beside<Float>("mul"), beside<Float>("mul")),
         {V::minus_one, V::minus_one}},  // the root of 1, but of -1 there is none
    };
    o.classes = operand_classes<Float, 1>();
    // 1.41421356: the fraction is 0.41421356 of 2^10, 2^7 and 2^23 units, rounded.
    constexpr uint32_t root_of_two = V::format == spec::kBinary16   ? 0x3da8
                                     : V::format == spec::kBFloat16 ? 0x3fb5
                                                                    : 0x3fb504f3;
    o.boundaries = unary_boundaries<Float>();
    o.rows = {
        {{V::four}, V::two, "the root of four", "vyre-conform-spec: Float semantics"},
        {{V::power(-2)}, V::half, "the root of a quarter", "vyre-conform-spec: Float semantics"},
        {{V::two},
         root_of_two,
         "an irrational root: 1.0110101... in binary",
         "vyre-conform-spec: Float semantics"},
        {{V::zero}, V::zero, "zero", "vyre-conform-spec: Float semantics"},
        {{V::minus_zero}, V::minus_zero, "the root of -0 is -0", "vyre-conform-spec: Float semantics"},
        {{V::minus_one},
         V::nan,
         "a negative number has none",
         "vyre-conform-spec: Float semantics (FSqrt(negative) = NaN)"},
        {{V::minus(V::tiny)},
         V::nan,
         "nor has a negative subnormal one",
         "vyre-conform-spec: Float semantics (FSqrt(negative) = NaN)"},
        {{V::least_normal},
         V::power(V::format.min_exponent() / 2),
         "the least normal number is an even power of two",
         "vyre-conform-spec: Float semantics"},
        {{V::least_normal / 4},
         V::power(V::format.min_exponent() / 2 - 1),
         "a quarter of it is subnormal, and its root is not",
         "vyre-conform-spec: Float semantics"},
        {{V::infinity}, V::infinity, "infinity", "vyre-conform-spec: Float semantics"},
        {{V::minus_infinity}, V::nan, "minus infinity has none", "vyre-conform-spec: Float semantics"},
        {{V::payload}, V::nan, "one NaN", "semantics: Floats (one NaN)"},
    };
    return o;
  });
}

}  // namespace vyre::ops
