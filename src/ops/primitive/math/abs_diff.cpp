// primitive.math.abs_diff, beside abs_diff.vyre: what judges it.
#include "ops/reference.h"

namespace {

// The difference in 64 bits, without its sign.
uint32_t reference(uint32_t a, uint32_t b) {
  const int64_t difference = int64_t{a} - b;
  return static_cast<uint32_t>(difference < 0 ? -difference : difference);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_abs_diff() {
  return {
      .reference = reference_of<reference>,
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.ite(pool.ule(x[1], x[0]), pool.sub(x[0], x[1]), pool.sub(x[1], x[0]));
          },
  };
}

}  // namespace vyre::ops
