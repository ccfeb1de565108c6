// primitive.bitwise.rotr, beside rotr.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Two copies of the word side by side: any 32 neighbouring bits of them are a rotation.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t twice = (uint64_t{a} << 32) | a;
  return static_cast<uint32_t>(twice >> (b % 32));
}

}  // namespace

#include "ops/text_operation.h"

#include "ops/definition.h"

namespace vyre::ops {

Beside primitive_bitwise_rotr() {
  return {
      .reference = reference_of<reference>,
      // Two copies of the word, shifted: the lower one has what came round.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            const smt::Term by = pool.zero_extend(formula::amount(pool, x[1]), 2 * width);
            return pool.extract(pool.lshr(pool.concat(x[0], x[0]), by), 0, width);
          },
  };
}

}  // namespace vyre::ops
