// primitive.math.clamp, beside clamp.vyre: what judges it.
#include "ops/reference.h"

namespace {

// By cases: without an interval hi, else the nearest of its points.
uint32_t reference(uint32_t x, uint32_t lo, uint32_t hi) {
  if (lo >= hi) return hi;
  if (x <= lo) return lo;
  if (x >= hi) return hi;
  return x;
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_clamp() {
  return {
      .reference = reference_of<reference>,
      .custom = {laws::custom("between_bounds", 3,
                              [](ir::FunctionBuilder& f, std::span<const ir::Ex> v) {
                                const ir::Ex clamped =
                                    f.let("clamped", f.call("primitive.math.clamp", {v[0], v[1], v[2]}));
                                return v[1] > v[2] || (v[1] <= clamped && clamped <= v[2]);
                              })},
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const smt::Term raised = pool.ite(pool.ule(x[1], x[0]), x[0], x[1]);
            return pool.ite(pool.ule(raised, x[2]), raised, x[2]);
          },
  };
}

}  // namespace vyre::ops
