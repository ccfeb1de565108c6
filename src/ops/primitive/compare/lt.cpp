// primitive.compare.lt, beside lt.vyre: what judges it.
#include "ops/reference.h"

namespace {

// The difference in 64 bits is negative.
uint32_t reference(uint32_t a, uint32_t b) { return int64_t{a} - int64_t{b} < 0 ? 1 : 0; }

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_compare_lt() {
  return {
      .reference = reference_of<reference>,
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.word(pool.ult(x[0], x[1]), pool.width(x[0]));
          },
  };
}

}  // namespace vyre::ops
