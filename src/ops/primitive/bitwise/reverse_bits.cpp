// primitive.bitwise.reverse_bits, beside reverse_bits.vyre: what judges it.
#include "ops/reference.h"

namespace {

// Takes the bits off one end and puts them on at the other.
uint32_t reference(uint32_t a) {
  uint32_t out = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    out = out * 2 + a % 2;
    a /= 2;
  }
  return out;
}

}  // namespace

#include "ops/text_operation.h"

#include "ops/definition.h"
#include "spec/ops.h"

namespace vyre::ops {

Beside primitive_bitwise_reverse_bits() {
  return {
      .reference = reference_of<reference>,
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            return formula::word_of(pool, width,
                                    [&](uint32_t i) { return formula::bit(pool, x[0], width - 1 - i); });
          },
  };
}

}  // namespace vyre::ops
