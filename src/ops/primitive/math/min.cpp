// primitive.math.min, beside min.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Half of the sum less half of the distance, in 64 bits.
uint32_t reference(uint32_t a, uint32_t b) {
  const int64_t sum = int64_t{a} + b;
  const int64_t distance = a < b ? int64_t{b} - a : int64_t{a} - b;
  return static_cast<uint32_t>((sum - distance) / 2);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_min() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.ite(pool.ult(x[1], x[0]), x[1], x[0]); },
  };
}

}  // namespace vyre::ops
