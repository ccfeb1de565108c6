// primitive.bitwise.insert_bits, beside insert_bits.vyre: what judges it.
#include "ops/reference.h"

namespace {

// By the arithmetic of 64 bits: what lies below the field, the field, and what lies above it, added up. What
// passes 2^32 drops.
uint32_t reference(uint32_t packed, uint32_t original) {
  const uint64_t below = uint64_t{1} << (packed % 32);
  const uint64_t field = uint64_t{1} << (packed / 32 % 32);
  const uint64_t low = original % below;
  const uint64_t fresh = packed / 1024 % field * below;
  const uint64_t high = original / (below * field) * (below * field);
  return static_cast<uint32_t>(low + fresh + high);
}

}  // namespace

#include "ops/text_operation.h"

#include "ops/definition.h"

namespace vyre::ops {

Beside primitive_bitwise_insert_bits() {
  return {
      .reference = reference_of<reference>,
      // Bit by bit: new where the offset is reached and offset + count is not.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            const uint32_t places = formula::place_bits(width);
            const smt::Term offset = formula::field(pool, x[0], 0, places);
            const smt::Term end = pool.add(offset, formula::field(pool, x[0], places, places));
            const smt::Term fresh =
                pool.shl(formula::field(pool, x[0], 2 * places, width - 2 * places), offset);
            return formula::word_of(pool, width, [&](uint32_t i) {
              const smt::Term place = pool.constant(width, i);
              const smt::Term inside = pool.and_(pool.ule(offset, place), pool.ult(place, end));
              return pool.ite(inside, formula::bit(pool, fresh, i), formula::bit(pool, x[1], i));
            });
          },
  };
}

}  // namespace vyre::ops
