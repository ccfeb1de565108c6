// primitive.bitwise.popcount, beside popcount.vyre: what judges it.
#include "ops/reference.h"

namespace {

// a & (a - 1) is a without its lowest one; so many times until nothing is left.
uint32_t reference(uint32_t a) {
  uint32_t count = 0;
  for (; a != 0; a &= a - 1) ++count;
  return count;
}

}  // namespace

#include "ops/text_operation.h"

#include "ops/definition.h"
#include "spec/ops.h"

namespace vyre::ops {

Beside primitive_bitwise_popcount() {
  return {
      .reference = reference_of<reference>,
      .custom = {laws::custom("ones_and_zeros", 1,
                              [](ir::FunctionBuilder& f, std::span<const ir::Ex> v) {
                                const ir::Ex ones = f.call("primitive.bitwise.popcount", {v[0]});
                                return ones + f.call("primitive.bitwise.popcount", {~v[0]}) == 32;
                              })},
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return formula::ones(pool, x[0]); },
  };
}

}  // namespace vyre::ops
