// primitive.compare.eq, beside eq.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Neither is below the other.
uint32_t reference(uint32_t a, uint32_t b) {
  if (a < b) return 0;
  if (b < a) return 0;
  return 1;
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_compare_eq() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.word(pool.eq(x[0], x[1]), pool.width(x[0])); },
  };
}

}  // namespace vyre::ops
