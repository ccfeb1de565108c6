// float.<type>.acos: the arccosine of a, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(big_float::acos(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_acos() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    using Words = const uint32_t*;
    constexpr uint32_t pi = by_format<Float>(0x4248, 0x4049, 0x40490fdb);
    Operation o = floating<Float, spec::Op::FACos>(
        "acos", reference_of<host_float::remembered<Float, reference<Float>>>);
    o.summary = "the angle in [0, pi] whose cosine is a, to nearest even";
    o.laws = {laws::antitone(), laws::bounded(V::zero, pi)};
    o.denied = {
        {laws::monotone(), {V::zero, V::one}},
        {laws::involution(), {V::two}},
        {laws::projection(), {V::zero}},
        {laws::round_trip(beside<Float>("cos")), {V::two}},
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
        {{V::one}, V::zero, "of 1: +0", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_one}, pi, "the greatest angle", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::zero},
         by_format<Float>(0x3e48, 0x3fc9, 0x3fc90fdb),
         "pi / 2",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus_zero},
         by_format<Float>(0x3e48, 0x3fc9, 0x3fc90fdb),
         "of -0 too",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::tiny},
         by_format<Float>(0x3e48, 0x3fc9, 0x3fc90fdb),
         "next to zero",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::half},
         by_format<Float>(0x3c30, 0x3f86, 0x3f860a92),
         "pi / 3",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus(V::half)},
         by_format<Float>(0x4030, 0x4006, 0x40060a92),
         "2 pi / 3",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one - 1},
         by_format<Float>(0x2800, 0x3db5, 0x39b504f3),
         "just below 1 the curve is steep",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one + 1}, V::nan, "just above 1: invalid", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus(V::two)}, V::nan, "-2 is no cosine", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_infinity}, V::nan, "nor is minus infinity", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::payload}, V::nan, "one NaN", "semantics: Floats (one NaN)"},
        {{V::signalling}, V::nan, "a signalling NaN counts as quiet", "semantics: Floats (one NaN)"},
    };
    add_operator_rows<Float, spec::Op::FACos>(o);
    return o;
  });
}

}  // namespace vyre::ops
