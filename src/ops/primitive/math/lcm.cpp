// primitive.math.lcm, beside lcm.vyre: what judges it.
#include "ops/reference.h"

#include <numeric>

namespace {

// The product in 64 bits, where it always fits, divided by the greatest common divisor.
uint32_t reference(uint32_t a, uint32_t b) {
  if (a == 0 || b == 0) return 0;
  return static_cast<uint32_t>(uint64_t{a} * b / std::gcd(a, b));
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_lcm() {
  return {
      .reference = reference_of<reference>,
      // No formula says it: Euclid's algorithm is a loop. Its laws are run, and derived from each other.
  };
}

}  // namespace vyre::ops
