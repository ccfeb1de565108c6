// primitive.math.sub, beside sub.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Adds what is missing from b to 2^32, in 64 bits.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t missing = (uint64_t{1} << 32) - b;
  return static_cast<uint32_t>(a + missing);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_sub() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.sub(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
