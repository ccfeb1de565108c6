// float.<type>.cos: the cosine of a, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(big_float::cos(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_cos() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    constexpr uint32_t pi = by_format<Float>(0x4248, 0x4049, 0x40490fdb);
    constexpr uint32_t half_pi = by_format<Float>(0x3e48, 0x3fc9, 0x3fc90fdb);
    constexpr uint32_t of_one = by_format<Float>(0x3853, 0x3f0a, 0x3f0a5140);
    Operation o =
        floating<Float, spec::Op::FCos>("cos", reference_of<host_float::remembered<Float, reference<Float>>>);
    o.summary = "the cosine of a radians, to nearest even";
    o.laws = {laws::bounded(V::minus_one, V::one), laws::even(beside<Float>("neg"))};
    o.denied = {
        {laws::monotone(), {V::zero, V::one}},
        {laws::antitone(), {V::minus_one, V::zero}},
        {laws::involution(), {V::zero}},
        {laws::projection(), {V::zero}},
    };
    o.classes = operand_classes<Float, 1>();
    o.boundaries = unary_boundaries<Float>({
        {{V::one}, "one radian"},
        {{pi}, "the number next to pi"},
        {{half_pi}, "the number next to half of pi"},
        {{V::minus(half_pi)}, "its negative"},
    });
    o.rows = {
        {{V::zero}, V::one, "zero", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_zero}, V::one, "minus zero", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::one}, of_one, "of 1 radian", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus_one}, of_one, "of -1", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::two},
         by_format<Float>(0xb6a9, 0xbed5, 0xbed51133),
         "of 2 radians",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::tiny},
         V::one,
         "what is added or taken off is far below half a unit",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{pi},
         by_format<Float>(0xbc00, 0xbf80, 0xbf800000),
         "next to pi",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{half_pi},
         by_format<Float>(0xfed, 0x39fe, 0xb33bbd2e),
         "next to pi / 2",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::greatest},
         by_format<Float>(0xb30f, 0x3e26, 0x3f5a5f96),
         "of the greatest number: its remainder is taken exactly",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::infinity}, V::nan, "infinity has no angle: invalid", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_infinity}, V::nan, "nor has minus infinity", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::payload}, V::nan, "one NaN", "semantics: Floats (one NaN)"},
        {{V::signalling}, V::nan, "a signalling NaN counts as quiet", "semantics: Floats (one NaN)"},
    };
    add_operator_rows<Float, spec::Op::FCos>(o);
    return o;
  });
}

}  // namespace vyre::ops
