// float.<type>.div: the quotient, rounded once.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a, uint32_t b) {
  return Float::pattern(host_float::quotient(Float::value(a), Float::value(b)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_div() {
  return at_each_float([]<typename Float>() {
    using V = Values<Float>;
    Operation o = floating<Float, spec::Op::FDiv>("div", reference_of<reference<Float>>);
    o.summary = "a / b, to nearest even";
    o.laws = {laws::absorbing(V::nan)};
    o.denied = {
        {laws::commutative(), {V::one, V::two}},
        {laws::associative(), {V::two, V::two, V::two}},
        {laws::identity(V::one), {V::two}},       // 1 / 2
        {laws::self_inverse(V::one), {V::zero}},  // 0 / 0 is NaN
    };
    o.classes = operand_classes<Float, 2>();
    // 1.0101...01 * 2^-2: the fraction is 0101... and the next bit decides.
    constexpr uint32_t third = V::format == spec::kBinary16   ? 0x3555
                               : V::format == spec::kBFloat16 ? 0x3eab
                                                              : 0x3eaaaaab;
    o.boundaries = binary_boundaries<Float>();
    o.rows = {
        {{V::six, V::two}, V::three, "six by two", "vyre-conform-spec: Float semantics"},
        {{V::one, V::three},
         third,
         "a third: 0.0101... in binary, cut where the precision ends and rounded",
         "vyre-conform-spec: Float semantics"},
        {{V::one, V::zero}, V::infinity, "a number by zero", "vyre-conform-spec: Float semantics"},
        {{V::one, V::minus_zero},
         V::minus_infinity,
         "the sign of a zero divisor counts",
         "vyre-conform-spec: Float semantics"},
        {{V::zero, V::zero}, V::nan, "zero by zero", "vyre-conform-spec: Float semantics"},
        {{V::infinity, V::infinity}, V::nan, "infinity by infinity", "vyre-conform-spec: Float semantics"},
        {{V::one, V::infinity}, V::zero, "a number by infinity", "vyre-conform-spec: Float semantics"},
        {{V::zero, V::minus_one}, V::minus_zero, "the sign of a zero", "vyre-conform-spec: Float semantics"},
        {{V::tiny, V::two},
         V::zero,
         "half of the least subnormal is a tie: zero is even",
         "vyre-conform-spec: Float semantics"},
        {{3, V::two},
         2,
         "one and a half of them is a tie: two is even",
         "vyre-conform-spec: Float semantics"},
        {{V::least_normal, V::two},
         V::least_normal / 2,
         "a subnormal quotient is kept",
         "vyre-conform-spec: Float semantics"},
        {{V::greatest, V::half}, V::infinity, "overflow", "vyre-conform-spec: Float semantics"},
        {{V::payload, V::one}, V::nan, "the payload is not kept", "semantics: Floats (one NaN)"},
    };
    return o;
  });
}

}  // namespace vyre::ops
