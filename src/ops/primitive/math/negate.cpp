// primitive.math.negate, beside negate.vyre: what judges it.
#include "ops/reference.h"

namespace {

// What is missing to 2^32, in 64 bits.
uint32_t reference(uint32_t a) { return static_cast<uint32_t>((uint64_t{1} << 32) - a); }

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_negate() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.neg(x[0]); },
  };
}

}  // namespace vyre::ops
