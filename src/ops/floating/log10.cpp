// float.<type>.log10: the logarithm of a to base 10, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(big_float::log10(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_log10() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    using Words = const uint32_t*;
    Operation o = floating<Float, spec::Op::FLog10>(
        "log10", reference_of<host_float::remembered<Float, reference<Float>>>);
    o.summary = "the logarithm of a to base 10, to nearest even";
    o.laws = {laws::monotone(), laws::de_morgan(beside<Float>("max"), beside<Float>("max"))};
    o.denied = {
        {laws::involution(), {V::one}},
        {laws::projection(), {V::one}},
        {laws::round_trip(beside<Float>("exp10")), {V::minus_one}},
        {laws::de_morgan(beside<Float>("min"), beside<Float>("min")),
         {V::minus_one, V::two}},  // a number wins over the NaN
        {laws::de_morgan(beside<Float>("mul"), beside<Float>("add")),
         {V::minus_one, V::minus_one}},  // of 1, but of -1 there is none
    };
    o.classes = operand_classes<Float, 1>();
    o.classes.push_back(
        {"a is below zero: invalid",
         [](Words x) { return (x[0] & V::sign) != 0 && !V::is_nan(x[0]) && !V::is_zero(x[0]); },
         {V::minus_one}});
    o.classes.push_back({"a is within a half of one",
                         [](Words x) { return x[0] > V::half && x[0] < V::one_and_half; },
                         {V::one}});
    o.boundaries = unary_boundaries<Float>({
        {{V::one}, "one, where the logarithm is zero"},
        {{V::one + 1}, "just above one"},
        {{V::one - 1}, "just below one"},
        {{V::minus(V::tiny)}, "the negative number next to zero"},
    });
    o.rows = {
        {{V::one}, V::zero, "of 1: +0", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{by_format<Float>(0x4900, 0x4120, 0x41200000)},
         V::one,
         "a power of ten: exact",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{by_format<Float>(0x5640, 0x42c8, 0x42c80000)},
         V::two,
         "another",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::two},
         by_format<Float>(0x34d1, 0x3e9a, 0x3e9a209b),
         "of 2",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one + 1},
         by_format<Float>(0xef2, 0x3b5d, 0x335e5bd8),
         "just above 1 nothing cancels",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one - 1},
         by_format<Float>(0x8af3, 0xbadf, 0xb2de5bd9),
         "nor just below",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::tiny},
         by_format<Float>(0xc73a, 0xc220, 0xc23369f4),
         "of the least number",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::greatest},
         by_format<Float>(0x44d1, 0x421a, 0x421a209b),
         "of the greatest number",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::zero},
         V::minus_infinity,
         "of zero: a division by zero",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_zero}, V::minus_infinity, "of -0 too", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_one},
         V::nan,
         "a negative number has none: invalid",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus(V::tiny)},
         V::nan,
         "nor has a negative subnormal one",
         "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::infinity}, V::infinity, "infinity", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_infinity}, V::nan, "minus infinity has none", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::payload}, V::nan, "one NaN", "semantics: Floats (one NaN)"},
        {{V::signalling}, V::nan, "a signalling NaN counts as quiet", "semantics: Floats (one NaN)"},
    };
    add_operator_rows<Float, spec::Op::FLog10>(o);
    return o;
  });
}

}  // namespace vyre::ops
