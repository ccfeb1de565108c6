// primitive.bitwise.xor, beside xor.vyre: what judges it.
#include "ops/reference.h"

namespace {

// All the bits there are, without the common ones; no column of that subtraction borrows.
uint32_t reference(uint32_t a, uint32_t b) { return (a | b) - (a & b); }

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_bitwise_xor() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.bit_xor(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
