// primitive.bitwise.clz, beside clz.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Walks down from the highest bit, and counts until a one was met.
uint32_t reference(uint32_t a) {
  uint32_t met = 0, count = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    met |= (a >> (31 - i)) & 1;
    count += 1 - met;
  }
  return count;
}

}  // namespace

#include "ops/text_operation.h"

#include "ops/definition.h"
#include "spec/ops.h"

namespace vyre::ops {

Beside primitive_bitwise_clz() {
  return {
      .reference = reference_of<reference>,
      // The highest set bit decides last.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            smt::Term zeros = pool.constant(width, width);
            for (uint32_t i = 0; i < width; ++i)
              zeros = pool.ite(formula::bit(pool, x[0], i), pool.constant(width, width - 1 - i), zeros);
            return zeros;
          },
  };
}

}  // namespace vyre::ops
