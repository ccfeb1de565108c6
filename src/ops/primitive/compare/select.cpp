// primitive.compare.select, beside select.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Begins with f and flips what t has otherwise, under a mask of the condition.
uint32_t reference(uint32_t c, uint32_t t, uint32_t f) {
  const uint32_t mask = c == 0 ? 0 : 0xffffffff;
  return f ^ ((t ^ f) & mask);
}

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_compare_select() {
  return {
      .reference = reference_of<reference>,
      .custom = {laws::custom("equal_branches", 2,
                              [](ir::FunctionBuilder& f, std::span<const ir::Ex> v) {
                                return f.call("primitive.compare.select", {v[0], v[1], v[1]}) == v[1];
                              })},
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.ite(pool.is_not_zero(x[0]), x[1], x[2]); },
  };
}

}  // namespace vyre::ops
