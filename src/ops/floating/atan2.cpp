// float.<type>.atan2: the angle of the point (b, a), rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a, uint32_t b) {
  return Float::pattern(big_float::atan2(Float::value(a), Float::value(b)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_atan2() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    using Words = const uint32_t*;
    constexpr uint32_t pi = by_format<Float>(0x4248, 0x4049, 0x40490fdb);
    constexpr uint32_t half_pi = by_format<Float>(0x3e48, 0x3fc9, 0x3fc90fdb);
    constexpr uint32_t quarter_pi = by_format<Float>(0x3a48, 0x3f49, 0x3f490fdb);
    constexpr uint32_t three_quarters_pi = by_format<Float>(0x40b6, 0x4017, 0x4016cbe4);
    Operation o = floating<Float, spec::Op::FATan2>("atan2", reference_of<reference<Float>>);
    o.summary = "the angle of the point (b, a) in [-pi, pi], to nearest even";
    o.laws = {laws::absorbing(V::nan), laws::bounded(V::minus(pi), pi)};
    o.denied = {
        {laws::commutative(), {V::one, V::two}},
        {laws::associative(), {V::one, V::one, V::one}},
        {laws::idempotent(), {V::two}},
        {laws::self_inverse(quarter_pi), {V::zero}},
    };
    o.classes = operand_classes<Float, 2>();
    o.classes.push_back(
        {"b is below zero, and a is a number",
         [](Words x) { return (x[1] & V::sign) != 0 && !V::is_nan(x[0]) && !V::is_nan(x[1]); },
         {V::one, V::minus_one}});
    o.boundaries = binary_boundaries<Float>({
        {{V::zero, V::zero}, "two zeros"},
        {{V::minus_zero, V::minus_zero}, "two negative zeros"},
        {{V::one, V::minus_one}, "on the diagonal of the second quadrant"},
        {{V::tiny, V::two}, "a quotient of half the least number"},
        {{V::greatest, V::tiny}, "the greatest quotient"},
        {{V::tiny, V::minus(V::greatest)}, "next to the cut"},
    });
    o.rows = {
        {{V::zero, V::zero}, V::zero, "atan2(+-0, +0) = +-0", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_zero, V::zero},
         V::minus_zero,
         "atan2(+-0, +0) = +-0",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::zero, V::minus_zero}, pi, "atan2(+-0, -0) = +-pi", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_zero, V::minus_zero},
         V::minus(pi),
         "atan2(+-0, -0) = +-pi",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::zero, V::one},
         V::zero,
         "atan2(+-0, x) = +-0 for x > 0",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_zero, V::minus_one},
         V::minus(pi),
         "atan2(+-0, x) = +-pi for x < 0",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::zero, V::minus(V::tiny)},
         pi,
         "for a negative subnormal x too",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::one, V::zero},
         half_pi,
         "atan2(y, +-0) = pi / 2 for y > 0",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_one, V::minus_zero},
         V::minus(half_pi),
         "atan2(y, +-0) = -pi / 2 for y < 0",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::one, V::minus_infinity},
         pi,
         "atan2(+-y, -infinity) = +-pi",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_one, V::infinity},
         V::minus_zero,
         "atan2(+-y, +infinity) = +-0",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::infinity, V::one},
         half_pi,
         "atan2(+-infinity, x) = +-pi / 2",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::infinity, V::minus_infinity},
         three_quarters_pi,
         "atan2(+-infinity, -infinity) = +-3 pi / 4",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_infinity, V::infinity},
         V::minus(quarter_pi),
         "atan2(+-infinity, +infinity) = +-pi / 4",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::one, V::one}, quarter_pi, "half way between the axes", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one, V::minus_one},
         three_quarters_pi,
         "in the second quadrant",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus_one, V::minus_one},
         V::minus(three_quarters_pi),
         "in the third",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one, V::two},
         by_format<Float>(0x376b, 0x3eed, 0x3eed6338),
         "below the diagonal",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::two, V::minus_one},
         by_format<Float>(0x4012, 0x4002, 0x40023454),
         "behind the axis",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::tiny, V::two},
         V::zero,
         "the quotient is half of the least number and the angle a little less",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{3, V::two},
         V::tiny,
         "the quotient is a tie and the angle a little less: 1 and not 2",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::greatest, V::tiny},
         half_pi,
         "the quotient would overflow",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::tiny, V::minus(V::greatest)},
         pi,
         "the quotient would underflow",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::payload, V::one}, V::nan, "one NaN", "semantics: Floats (one NaN)"},
        {{V::infinity, V::signalling},
         V::nan,
         "a signalling NaN counts as quiet",
         "semantics: Floats (one NaN)"},
    };
    add_operator_rows<Float, spec::Op::FATan2>(o);
    return o;
  });
}

}  // namespace vyre::ops
