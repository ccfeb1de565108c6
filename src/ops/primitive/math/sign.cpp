// primitive.math.sign, beside sign.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Compares the word, read as a signed number, with zero.
uint32_t reference(uint32_t a) {
  const int32_t value = static_cast<int32_t>(a);
  if (value > 0) return 1;
  if (value < 0) return 0xffffffff;
  return 0;
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_sign() {
  return {
      .reference = reference_of<reference>,
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            const smt::Term zero = pool.constant(width, 0), one = pool.constant(width, 1);
            return pool.ite(pool.slt(x[0], zero), pool.neg(one), pool.ite(pool.eq(x[0], zero), zero, one));
          },
  };
}

}  // namespace vyre::ops
