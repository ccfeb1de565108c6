// primitive.bitwise.extract_bits, beside extract_bits.vyre: what judges it.
#include "ops/reference.h"

namespace {

// By the arithmetic of 64 bits: value / 2^offset mod 2^count.
uint32_t reference(uint32_t packed, uint32_t value) {
  const uint64_t below = uint64_t{1} << (packed % 32);
  const uint64_t field = uint64_t{1} << (packed / 32 % 32);
  return static_cast<uint32_t>(value / below % field);
}

}  // namespace

#include "ops/text_operation.h"

#include "ops/definition.h"

namespace vyre::ops {

Beside primitive_bitwise_extract_bits() {
  return {
      .reference = reference_of<reference>,
      // Bit by bit: those below the count.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            const uint32_t places = formula::place_bits(width);
            const smt::Term moved = pool.lshr(x[1], formula::field(pool, x[0], 0, places));
            const smt::Term count = formula::field(pool, x[0], places, places);
            return formula::word_of(pool, width, [&](uint32_t i) {
              return pool.and_(pool.ult(pool.constant(width, i), count), formula::bit(pool, moved, i));
            });
          },
  };
}

}  // namespace vyre::ops
