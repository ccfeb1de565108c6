// float.<type>.atan: the arctangent of a, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(big_float::atan(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_atan() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    constexpr uint32_t half_pi = by_format<Float>(0x3e48, 0x3fc9, 0x3fc90fdb);
    Operation o = floating<Float, spec::Op::FATan>(
        "atan", reference_of<host_float::remembered<Float, reference<Float>>>);
    o.summary = "the angle in [-pi / 2, pi / 2] whose tangent is a, to nearest even";
    o.laws = {laws::monotone(), laws::bounded(V::minus(half_pi), half_pi),
              laws::de_morgan(beside<Float>("max"), beside<Float>("max")),
              laws::de_morgan(beside<Float>("min"), beside<Float>("min")), laws::odd(beside<Float>("neg"))};
    o.denied = {
        {laws::involution(), {V::one}},
        {laws::projection(), {V::one}},
        {laws::round_trip(beside<Float>("tan")), {V::infinity}},
    };
    o.classes = operand_classes<Float, 1>();
    o.boundaries = unary_boundaries<Float>({
        {{V::one}, "one, an eighth of a turn"},
        {{V::minus_one}, "minus one"},
    });
    o.rows = {
        {{V::zero}, V::zero, "zero", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_zero}, V::minus_zero, "minus zero", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::tiny},
         V::tiny,
         "what is taken off is far below half a unit",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one},
         by_format<Float>(0x3a48, 0x3f49, 0x3f490fdb),
         "pi / 4",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus_one},
         V::minus(by_format<Float>(0x3a48, 0x3f49, 0x3f490fdb)),
         "-pi / 4",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::two},
         by_format<Float>(0x3c6e, 0x3f8e, 0x3f8db70d),
         "of 2",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::half},
         by_format<Float>(0x376b, 0x3eed, 0x3eed6338),
         "of 1/2",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::greatest},
         by_format<Float>(0x3e48, 0x3fc9, 0x3fc90fdb),
         "of the greatest number",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::infinity}, half_pi, "pi / 2", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_infinity}, V::minus(half_pi), "-pi / 2", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::payload}, V::nan, "one NaN", "semantics: Floats (one NaN)"},
        {{V::signalling}, V::nan, "a signalling NaN counts as quiet", "semantics: Floats (one NaN)"},
    };
    add_operator_rows<Float, spec::Op::FATan>(o);
    return o;
  });
}

}  // namespace vyre::ops
