// primitive.compare.logical_and, beside logical_and.vyre: what judges it.
#include "ops/reference.h"

namespace {

// A product is zero exactly when a factor is; in 64 bits nothing of it is lost.
uint32_t reference(uint32_t a, uint32_t b) { return uint64_t{a} * b != 0 ? 1 : 0; }

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_compare_logical_and() {
  return {
      .reference = reference_of<reference>,
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.word(pool.and_(pool.is_not_zero(x[0]), pool.is_not_zero(x[1])), pool.width(x[0]));
          },
  };
}

}  // namespace vyre::ops
