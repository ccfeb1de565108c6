// primitive.bitwise.rotl, beside rotl.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Two copies of the word side by side: any 32 neighbouring bits of them are a rotation.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t twice = (uint64_t{a} << 32) | a;
  return static_cast<uint32_t>(twice >> (32 - b % 32));
}

}  // namespace

#include "ops/text_operation.h"

#include "ops/definition.h"

namespace vyre::ops {

Beside primitive_bitwise_rotl() {
  return {
      .reference = reference_of<reference>,
      // Two copies of the word, shifted: the upper one has what came round.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            const smt::Term by = pool.zero_extend(formula::amount(pool, x[1]), 2 * width);
            return pool.extract(pool.shl(pool.concat(x[0], x[0]), by), width, width);
          },
  };
}

}  // namespace vyre::ops
