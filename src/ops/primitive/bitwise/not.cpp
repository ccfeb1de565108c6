// primitive.bitwise.not, beside not.vyre: what judges it.
#include "ops/reference.h"

namespace {

// What is missing to all ones: no column of that subtraction ever borrows.
uint32_t reference(uint32_t a) { return static_cast<uint32_t>(uint64_t{0xffffffff} - a); }

}  // namespace

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_bitwise_not() {
  return {
      .reference = reference_of<reference>,
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.bit_not(x[0]); },
  };
}

}  // namespace vyre::ops
