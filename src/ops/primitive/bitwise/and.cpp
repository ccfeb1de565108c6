// primitive.bitwise.and, beside and.vyre: what judges it.
#include "ops/reference.h"

namespace {

// A sum counts a common bit twice and ^ leaves it out: half of the difference is what they share.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t sum = uint64_t{a} + b;
  return static_cast<uint32_t>((sum - (a ^ b)) / 2);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_bitwise_and() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.bit_and(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
