// primitive.compare.le, beside le.vyre: what judges it.
#include "ops/reference.h"

namespace {

// b - a in 64 bits borrows from the highest bit exactly when a is above b.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t difference = uint64_t{b} - a;
  return (difference >> 63) == 0 ? 1 : 0;
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_compare_le() {
  return {
      .reference = reference_of<reference>,
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.word(pool.ule(x[0], x[1]), pool.width(x[0]));
          },
  };
}

}  // namespace vyre::ops
