// primitive.bitwise.shr, beside shr.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Halving, once a place, rounded down: what falls below the point is lost.
uint32_t reference(uint32_t a, uint32_t b) {
  for (uint32_t n = 1; n < 32; ++n) a = n <= b % 32 ? a / 2 : a;
  return a;
}

}  // namespace

#include "ops/text_operation.h"

#include "ops/definition.h"

namespace vyre::ops {

Beside primitive_bitwise_shr() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.lshr(x[0], formula::amount(pool, x[1])); },
  };
}

}  // namespace vyre::ops
