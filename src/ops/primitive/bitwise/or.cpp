// primitive.bitwise.or, beside or.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Both together, less the common bits that were counted twice.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t sum = uint64_t{a} + b;
  return static_cast<uint32_t>(sum - (a & b));
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_bitwise_or() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.bit_or(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
