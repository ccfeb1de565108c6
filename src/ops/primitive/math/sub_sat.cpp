// primitive.math.sub_sat, beside sub_sat.vyre: what judges it.
#include "ops/reference.h"

namespace {

// The difference in 64 bits, cut.
uint32_t reference(uint32_t a, uint32_t b) {
  const int64_t difference = int64_t{a} - b;
  return difference < 0 ? 0 : static_cast<uint32_t>(difference);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_sub_sat() {
  return {
      .reference = reference_of<reference>,
      // The difference that does not wrap has one bit more, its sign.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            const smt::Term rest =
                pool.sub(pool.zero_extend(x[0], width + 1), pool.zero_extend(x[1], width + 1));
            const smt::Term borrow = pool.eq(pool.extract(rest, width, 1), pool.constant(1, 1));
            return pool.ite(borrow, pool.constant(width, 0), pool.extract(rest, 0, width));
          },
  };
}

}  // namespace vyre::ops
