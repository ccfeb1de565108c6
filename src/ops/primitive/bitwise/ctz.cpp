// primitive.bitwise.ctz, beside ctz.vyre: what judges it.
#include "ops/reference.h"

namespace {

// How many powers of two, from 2 on, divide it: of zero all 32 that there are, 2^32 being the last.
uint32_t reference(uint32_t a) {
  uint32_t count = a == 0 ? 1 : 0;
  for (uint32_t power = 2; power != 0; power *= 2) count += a % power == 0 ? 1 : 0;
  return count;
}

}  // namespace

#include "ops/text_operation.h"

#include "ops/definition.h"
#include "spec/ops.h"

namespace vyre::ops {

Beside primitive_bitwise_ctz() {
  return {
      .reference = reference_of<reference>,
      // The lowest set bit decides last.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            smt::Term zeros = pool.constant(width, width);
            for (uint32_t i = width; i-- > 0;)
              zeros = pool.ite(formula::bit(pool, x[0], i), pool.constant(width, i), zeros);
            return zeros;
          },
  };
}

}  // namespace vyre::ops
