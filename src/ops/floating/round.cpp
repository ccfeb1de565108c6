// float.<type>.round: the nearest integer, ties to even; a zero keeps the sign of a.
#include "ops/float_reference.h"

#include <cmath>

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(std::nearbyint(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_round() {
  return at_each_float([]<typename Float>() {
    Operation o = rounding<Float, spec::Op::FRound>("round", reference_of<reference<Float>>, 2);
    o.laws.push_back(laws::odd(beside<Float>("neg")));
    o.boundaries.push_back({{Values<Float>::one_and_half}, "between two integers, as far from both"});
    o.boundaries.push_back({{Values<Float>::minus(Values<Float>::one_and_half)}, "the same below zero"});
    o.summary = "the nearest integer, ties to even, as a float; a zero keeps the sign of a";
    return o;
  });
}

}  // namespace vyre::ops
