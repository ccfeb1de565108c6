// float.<type>.exp2: 2 to the power a, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(big_float::exp2(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_exp2() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    // The greatest argument of a finite result.
    constexpr uint32_t last = by_format<Float>(0x4bff, 0x42ff, 0x42ffffff);
    // The greatest magnitude of a negative argument whose result is not zero.
    constexpr uint32_t first = by_format<Float>(0x4e3f, 0x4305, 0x4315ffff);
    Operation o = floating<Float, spec::Op::FExp2>(
        "exp2", reference_of<host_float::remembered<Float, reference<Float>>>);
    o.summary = "2 to the power a, to nearest even";
    o.laws = {laws::monotone(), laws::bounded(V::zero, V::infinity),
              laws::de_morgan(beside<Float>("max"), beside<Float>("max")),
              laws::de_morgan(beside<Float>("min"), beside<Float>("min"))};
    o.denied = {
        {laws::involution(), {V::one}},
        {laws::projection(), {V::one}},
        {laws::round_trip(beside<Float>("log2")), {V::greatest}},  // it overflows
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
        {{V::one}, V::two, "an integer: exact", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus_one}, V::half, "a negative integer: exact", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::two}, V::four, "another", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::half},
         by_format<Float>(0x3da8, 0x3fb5, 0x3fb504f3),
         "the root of 2",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::tiny},
         V::one,
         "next to zero the result is next to one",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus(V::tiny)}, V::one, "below zero too", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{last},
         by_format<Float>(0x7bf5, 0x7f35, 0x7f7fffa7),
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
    add_operator_rows<Float, spec::Op::FExp2>(o);
    return o;
  });
}

}  // namespace vyre::ops
