// primitive.math.abs, beside abs.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Reads the word as a signed number and negates it in 64 bits, where that always fits.
uint32_t reference(uint32_t a) {
  const int64_t value = static_cast<int32_t>(a);
  return static_cast<uint32_t>(value < 0 ? -value : value);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_abs() {
  return {
      .reference = reference_of<reference>,
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.ite(pool.slt(x[0], pool.constant(pool.width(x[0]), 0)), pool.neg(x[0]), x[0]);
          },
  };
}

}  // namespace vyre::ops
