// primitive.bitwise.popcount_sw, beside popcount_sw.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Looks at each bit.
uint32_t reference(uint32_t a) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < 32; ++i) count += (a >> i) & 1;
  return count;
}

}  // namespace

#include "ops/text_operation.h"

#include "ops/definition.h"
#include "spec/ops.h"

namespace vyre::ops {

Beside primitive_bitwise_popcount_sw() {
  return {
      .reference = reference_of<reference>,
      .custom = {laws::custom("counts_ones", 1,
                              [](ir::FunctionBuilder& f, std::span<const ir::Ex> v) {
                                return f.call("primitive.bitwise.popcount_sw", {v[0]}) ==
                                       f.apply(spec::Op::Popcount, {v[0]});
                              })},
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return formula::ones(pool, x[0]); },
  };
}

}  // namespace vyre::ops
