// primitive.math.mul, beside mul.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Long multiplication with digits of 16 bits; the product of the two high ones lies above 2^32.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint32_t a_low = a & 0xffff;
  const uint32_t b_low = b & 0xffff;
  const uint32_t cross = (a >> 16) * b_low + a_low * (b >> 16);
  return a_low * b_low + (cross << 16);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_mul() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.mul(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
