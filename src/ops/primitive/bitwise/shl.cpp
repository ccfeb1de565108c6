// primitive.bitwise.shl, beside shl.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Doubling, once a place: what falls off at 2^32 is lost.
uint32_t reference(uint32_t a, uint32_t b) {
  for (uint32_t n = 1; n < 32; ++n) a += n <= b % 32 ? a : 0;
  return a;
}

}  // namespace

#include "ops/text_operation.h"

#include "ops/definition.h"

namespace vyre::ops {

Beside primitive_bitwise_shl() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.shl(x[0], formula::amount(pool, x[1])); },
  };
}

}  // namespace vyre::ops
