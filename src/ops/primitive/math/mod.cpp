// primitive.math.mod, beside mod.vyre: what judges it.
#include "ops/reference.h"

namespace {

// What long division leaves, one binary digit at a time. Without branches, and unrolled, columns of it are
// vectors.
uint32_t reference(uint32_t a, uint32_t b) {
  uint64_t rest = 0;
#pragma GCC unroll 32
  for (uint32_t i = 0; i < 32; ++i) {
    rest = rest * 2 + ((a >> (31 - i)) & 1);
    rest -= rest >= b ? b : 0;
  }
  return b == 0 ? 0 : static_cast<uint32_t>(rest);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_mod() {
  return {
      .reference = reference_of<reference>,
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.ite(pool.is_zero(x[1]), pool.constant(pool.width(x[0]), 0), pool.urem(x[0], x[1]));
          },
  };
}

}  // namespace vyre::ops
