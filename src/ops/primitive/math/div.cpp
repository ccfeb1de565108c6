// primitive.math.div, beside div.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Long division, one binary digit at a time. Without branches, and unrolled, columns of it are vectors.
uint32_t reference(uint32_t a, uint32_t b) {
  uint64_t rest = 0;
  uint32_t quotient = 0;
#pragma GCC unroll 32
  for (uint32_t i = 0; i < 32; ++i) {
    rest = rest * 2 + ((a >> (31 - i)) & 1);
    const bool fits = rest >= b;
    rest -= fits ? b : 0;
    quotient = quotient * 2 + (fits ? 1 : 0);
  }
  return b == 0 ? 0 : quotient;
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_div() {
  return {
      .reference = reference_of<reference>,
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.ite(pool.is_zero(x[1]), pool.constant(pool.width(x[0]), 0), pool.udiv(x[0], x[1]));
          },
  };
}

}  // namespace vyre::ops
