// primitive.math.add_sat, beside add_sat.vyre: what judges it.
#include "ops/reference.h"

namespace {

// The sum in 64 bits, cut.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t sum = uint64_t{a} + b;
  return sum > 0xffffffff ? 0xffffffff : static_cast<uint32_t>(sum);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_add_sat() {
  return {
      .reference = reference_of<reference>,
      // The sum that does not wrap has one bit more.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            const smt::Term sum =
                pool.add(pool.zero_extend(x[0], width + 1), pool.zero_extend(x[1], width + 1));
            const smt::Term carry = pool.eq(pool.extract(sum, width, 1), pool.constant(1, 1));
            return pool.ite(carry, pool.constant(width, ~smt::Bits{0}), pool.extract(sum, 0, width));
          },
  };
}

}  // namespace vyre::ops
