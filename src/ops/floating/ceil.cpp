// float.<type>.ceil: the least integer not below a; a zero keeps the sign of a.
#include "ops/float_reference.h"

#include <cmath>

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return Float::pattern(std::ceil(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"
#include "spec/ops.h"

namespace vyre::ops {

std::vector<Operation> floating_ceil() {
  return at_each_float([]<typename Float>() {
    Operation o = rounding<Float, spec::Op::FCeil>("ceil", reference_of<reference<Float>>, 1);
    o.denied.push_back({laws::odd(beside<Float>("neg")), {Values<Float>::half}});
    o.summary = "the least integer not below a, as a float; a zero keeps the sign of a";
    return o;
  });
}

}  // namespace vyre::ops
