// primitive.compare.ne, beside ne.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Their difference in 64 bits is not zero.
uint32_t reference(uint32_t a, uint32_t b) { return int64_t{a} - int64_t{b} != 0 ? 1 : 0; }

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_compare_ne() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.word(pool.ne(x[0], x[1]), pool.width(x[0])); },
  };
}

}  // namespace vyre::ops
