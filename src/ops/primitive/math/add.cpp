// primitive.math.add, beside add.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Two columns of 16 bits, as paper does it: what does not fit the lower one is carried, what does not fit the
// upper one is lost.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint32_t low = (a & 0xffff) + (b & 0xffff);
  const uint32_t high = (a >> 16) + (b >> 16) + (low >> 16);
  return (high << 16) | (low & 0xffff);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_add() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.add(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
