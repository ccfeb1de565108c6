// float.<type>.tan: the tangent of a, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(big_float::tan(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_tan() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    constexpr uint32_t pi = by_format<Float>(0x4248, 0x4049, 0x40490fdb);
    constexpr uint32_t half_pi = by_format<Float>(0x3e48, 0x3fc9, 0x3fc90fdb);
    constexpr uint32_t of_one = by_format<Float>(0x3e3b, 0x3fc7, 0x3fc75923);
    Operation o =
        floating<Float, spec::Op::FTan>("tan", reference_of<host_float::remembered<Float, reference<Float>>>);
    o.summary = "the tangent of a radians, to nearest even";
    o.laws = {laws::odd(beside<Float>("neg"))};
    o.denied = {
        {laws::monotone(), {V::one, V::two}},
        {laws::involution(), {V::one}},
        {laws::projection(), {V::one}},
        {laws::bounded(V::minus_one, V::one), {V::one}},
    };
    o.classes = operand_classes<Float, 1>();
    o.boundaries = unary_boundaries<Float>({
        {{V::one}, "one radian"},
        {{pi}, "the number next to pi"},
        {{half_pi}, "the number next to half of pi"},
        {{V::minus(half_pi)}, "its negative"},
    });
    o.rows = {
        {{V::zero}, V::zero, "zero", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_zero}, V::minus_zero, "minus zero", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::one}, of_one, "of 1 radian", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus_one}, V::minus(of_one), "of -1", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::two},
         by_format<Float>(0xc05f, 0xc00c, 0xc00bd7b1),
         "of 2 radians",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::tiny},
         V::tiny,
         "what is added or taken off is far below half a unit",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{pi},
         by_format<Float>(0x93ed, 0xba7e, 0x33bbbd2e),
         "next to pi",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{half_pi},
         by_format<Float>(0x6809, 0x4501, 0xcbae8a4a),
         "next to pi / 2",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::greatest},
         by_format<Float>(0xc46c, 0xc0c3, 0xbf1c9eca),
         "of the greatest number: its remainder is taken exactly",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::infinity}, V::nan, "infinity has no angle: invalid", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_infinity}, V::nan, "nor has minus infinity", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::payload}, V::nan, "one NaN", "semantics: Floats (one NaN)"},
        {{V::signalling}, V::nan, "a signalling NaN counts as quiet", "semantics: Floats (one NaN)"},
    };
    add_operator_rows<Float, spec::Op::FTan>(o);
    return o;
  });
}

}  // namespace vyre::ops
