// primitive.compare.gt, beside gt.vyre: what judges it.
#include "ops/reference.h"

namespace {

// The highest bit in which they differ decides: upwards, that is the last.
uint32_t reference(uint32_t a, uint32_t b) {
  uint32_t decided = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t of_a = (a >> i) & 1;
    const uint32_t of_b = (b >> i) & 1;
    decided = of_a != of_b ? of_a : decided;
  }
  return decided;
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_compare_gt() {
  return {
      .reference = reference_of<reference>,
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.word(pool.ult(x[1], x[0]), pool.width(x[0]));
          },
  };
}

}  // namespace vyre::ops
