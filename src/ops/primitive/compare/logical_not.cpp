// primitive.compare.logical_not, beside logical_not.vyre: what judges it.
#include "ops/reference.h"

namespace {

// a + (2^32 - 1) carries into bit 32 exactly when a is not zero.
uint32_t reference(uint32_t a) {
  const uint64_t sum = uint64_t{a} + 0xffffffff;
  return 1 - static_cast<uint32_t>(sum >> 32);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_compare_logical_not() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.word(pool.is_zero(x[0]), pool.width(x[0])); },
  };
}

}  // namespace vyre::ops
