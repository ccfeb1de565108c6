// float.<type>.exp: e to the power a, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(big_float::exp(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_exp() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    // The greatest argument of a finite result.
    constexpr uint32_t last = by_format<Float>(0x498b, 0x42b1, 0x42b17217);
    // The greatest magnitude of a negative argument whose result is not zero.
    constexpr uint32_t first = by_format<Float>(0x4c55, 0x42b9, 0x42cff1b4);
    Operation o =
        floating<Float, spec::Op::FExp>("exp", reference_of<host_float::remembered<Float, reference<Float>>>);
    o.summary = "e to the power a, to nearest even";
    o.laws = {laws::monotone(), laws::bounded(V::zero, V::infinity),
              laws::de_morgan(beside<Float>("max"), beside<Float>("max")),
              laws::de_morgan(beside<Float>("min"), beside<Float>("min"))};
    o.denied = {
        {laws::involution(), {V::one}},
        {laws::projection(), {V::one}},
        {laws::round_trip(beside<Float>("log")), {V::greatest}},  // it overflows
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
         by_format<Float>(0x4170, 0x402e, 0x402df854),
         "the number e",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus_one},
         by_format<Float>(0x35e3, 0x3ebc, 0x3ebc5ab2),
         "1 / e",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::tiny},
         V::one,
         "next to zero the result is next to one",
         "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{V::minus(V::tiny)}, V::one, "below zero too", "semantics: Floats (IEEE 754-2019, 9.2)"},
        {{last},
         by_format<Float>(0x7bf7, 0x7f4d, 0x7f7fff84),
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
    add_operator_rows<Float, spec::Op::FExp>(o);
    return o;
  });
}

}  // namespace vyre::ops
