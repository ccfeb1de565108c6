// float.<type>.exp10: 10 to the power a, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(big_float::exp10(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_exp10() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    // The greatest argument of a finite result.
    constexpr uint32_t last = by_format<Float>(0x44d0, 0x421a, 0x421a209a);
    // The greatest magnitude of a negative argument whose result is not zero.
    constexpr uint32_t first = by_format<Float>(0x4786, 0x4221, 0x42349e35);
    Operation o = floating<Float, spec::Op::FExp10>(
        "exp10", reference_of<host_float::remembered<Float, reference<Float>>>);
    o.summary = "10 to the power a, to nearest even";
    o.laws = {laws::monotone(), laws::bounded(V::zero, V::infinity),
              laws::de_morgan(beside<Float>("max"), beside<Float>("max")),
              laws::de_morgan(beside<Float>("min"), beside<Float>("min"))};
    o.denied = {
        {laws::involution(), {V::one}},
        {laws::projection(), {V::one}},
        {laws::round_trip(beside<Float>("log10")), {V::greatest}},  // it overflows
        {laws::de_morgan(beside<Float>("add"), beside<Float>("mul")),
         {V::greatest, V::minus(V::greatest)}},  // infinity times zero
    };
    o.classes = operand_classes<Float, 1>();
    o.boundaries = unary_boundaries<Float>({
        {{V::one}, "one"},
        {{last}, "the last argument of a finite result"},
        {{last + 1}, "the first that overflows"},
        {{V::minus(first)}, "the last argument of a result that is not zero"},
        {{V::minus(first + 1)}, "the first that underflows to zero"},
    });
    o.rows = {
        {{V::zero}, V::one, "a number to the power 0", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_zero}, V::one, "a number to the power -0", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::one},
         by_format<Float>(0x4900, 0x4120, 0x41200000),
         "an integer: exact",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::two},
         by_format<Float>(0x5640, 0x42c8, 0x42c80000),
         "another",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus_one},
         by_format<Float>(0x2e66, 0x3dcd, 0x3dcccccd),
         "1 / 10",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::half},
         by_format<Float>(0x4253, 0x404a, 0x404a62c2),
         "the root of 10",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::tiny},
         V::one,
         "next to zero the result is next to one",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus(V::tiny)}, V::one, "below zero too", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{last},
         by_format<Float>(0x7bed, 0x7f6e, 0x7f7fffb3),
         "just before overflow",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{last + 1},
         V::infinity,
         "just beyond: half a unit above the greatest number or more",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus(first)}, 0x1, "just before underflow to zero", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus(first + 1)},
         V::zero,
         "just beyond: half of the least number or less",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::greatest}, V::infinity, "overflow", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus(V::greatest)}, V::zero, "underflow", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::infinity}, V::infinity, "infinity", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::minus_infinity}, V::zero, "minus infinity", "semantics: Floats (IEEE 754-2019, 9.2.1)"},
        {{V::payload}, V::nan, "one NaN", "semantics: Floats (one NaN)"},
        {{V::signalling}, V::nan, "a signalling NaN counts as quiet", "semantics: Floats (one NaN)"},
    };
    add_operator_rows<Float, spec::Op::FExp10>(o);
    return o;
  });
}

}  // namespace vyre::ops
