// float.<type>.asin: the arcsine of a, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(big_float::asin(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_asin() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    using Words = const uint32_t*;
    constexpr uint32_t half_pi = by_format<Float>(0x3e48, 0x3fc9, 0x3fc90fdb);
    Operation o = floating<Float, spec::Op::FASin>(
        "asin", reference_of<host_float::remembered<Float, reference<Float>>>);
    o.summary = "the angle in [-pi / 2, pi / 2] whose sine is a, to nearest even";
    o.laws = {laws::monotone(), laws::bounded(V::minus(half_pi), half_pi), laws::odd(beside<Float>("neg"))};
    o.denied = {
        {laws::involution(), {V::two}},
        {laws::projection(), {V::one}},
        {laws::round_trip(beside<Float>("sin")), {V::two}},
        {laws::de_morgan(beside<Float>("max"), beside<Float>("max")),
         {V::one, V::two}},  // a number wins over the NaN
    };
    o.classes = operand_classes<Float, 1>();
    o.classes.push_back(
        {"|a| is above 1: invalid",
         [](Words x) { return (x[0] & ~V::sign & V::format.mask()) > V::one && !V::is_nan(x[0]); },
         {V::two}});
    o.boundaries = unary_boundaries<Float>({
        {{V::one}, "one, the end of the domain"},
        {{V::minus_one}, "minus one, the other"},
        {{V::one - 1}, "the number below one"},
        {{V::one + 1}, "the number above one"},
    });
    o.rows = {
        {{V::zero}, V::zero, "zero", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_zero}, V::minus_zero, "minus zero", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::tiny},
         V::tiny,
         "what is added is far below half a unit",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one}, half_pi, "the greatest angle", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus_one}, V::minus(half_pi), "the least angle", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::half},
         by_format<Float>(0x3830, 0x3f06, 0x3f060a92),
         "pi / 6",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus(V::half)},
         V::minus(by_format<Float>(0x3830, 0x3f06, 0x3f060a92)),
         "-pi / 6",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one - 1},
         by_format<Float>(0x3e28, 0x3fbe, 0x3fc9048a),
         "just below 1 the curve is steep",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one + 1}, V::nan, "just above 1: invalid", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus(V::two)}, V::nan, "-2 is no sine", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::infinity}, V::nan, "nor is infinity", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::payload}, V::nan, "one NaN", "semantics: Floats (one NaN)"},
        {{V::signalling}, V::nan, "a signalling NaN counts as quiet", "semantics: Floats (one NaN)"},
    };
    add_operator_rows<Float, spec::Op::FASin>(o);
    return o;
  });
}

}  // namespace vyre::ops
