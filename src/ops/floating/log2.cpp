// float.<type>.log2: the logarithm of a to base 2, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(big_float::log2(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_log2() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    using Words = const uint32_t*;
    Operation o = floating<Float, spec::Op::FLog2>(
        "log2", reference_of<host_float::remembered<Float, reference<Float>>>);
    o.summary = "the logarithm of a to base 2, to nearest even";
    o.laws = {laws::monotone(), laws::de_morgan(beside<Float>("max"), beside<Float>("max"))};
    o.denied = {
        {laws::involution(), {V::one}},
        {laws::projection(), {V::one}},
        {laws::round_trip(beside<Float>("exp2")), {V::minus_one}},
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
        {{V::two}, V::one, "a power of two: exact", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::half}, V::minus_one, "another", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::four}, V::two, "another", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::three},
         by_format<Float>(0x3e57, 0x3fcb, 0x3fcae00d),
         "of 3",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one + 1},
         by_format<Float>(0x15c5, 0x3c38, 0x3438aa3a),
         "just above 1 nothing cancels",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::one - 1},
         by_format<Float>(0x91c6, 0xbbb9, 0xb3b8aa3c),
         "nor just below",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::tiny},
         by_format<Float>(0xce00, 0xc305, 0xc3150000),
         "of the least number",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::greatest},
         by_format<Float>(0x4c00, 0x4300, 0x43000000),
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
    add_operator_rows<Float, spec::Op::FLog2>(o);
    return o;
  });
}

}  // namespace vyre::ops
