// primitive.compare.ge, beside ge.vyre: what judges it.
#include "ops/reference.h"

namespace {

// a + (2^32 - b) carries into bit 32 exactly when a is not below b.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t sum = uint64_t{a} + ((uint64_t{1} << 32) - b);
  return static_cast<uint32_t>(sum >> 32);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_compare_ge() {
  return {
      .reference = reference_of<reference>,
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.word(pool.ule(x[1], x[0]), pool.width(x[0]));
          },
  };
}

}  // namespace vyre::ops
