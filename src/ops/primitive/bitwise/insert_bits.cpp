// primitive.bitwise.insert_bits: a field of a word, replaced.
// `packed` holds the offset in bits 0 to 4, the count in bits 5 to 9 and the new bits from bit 10 on.
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

#include "ops/operation.h"

#include "ops/definition.h"

namespace vyre::ops {

Operation primitive_bitwise_insert_bits() {
  return {
      .id = "primitive.bitwise.insert_bits",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "original with count bits from offset replaced; packed = offset | count << 5 | bits << 10",
      .parameter_names = {"packed", "original"},
      .reference = reference_of<reference>,
      // Shift amounts are masked by the shifts themselves: packed stands for the offset, packed >> 5 for the
      // count. A count of 0 makes the field empty, and shifting to the left drops what passes bit 31.
      .compose =
          [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
            const ir::Ex field = f.let("field", ((1u << (p[0] >> 5)) - 1) << p[0]);
            return (p[1] & ~field) | (((p[0] >> 10) << p[0]) & field);
          },
      .laws = {laws::distributive_over("primitive.bitwise.and"),
               laws::distributive_over("primitive.bitwise.or")},
      .denied =
          {
              {laws::distributive_over("primitive.bitwise.xor"), {0x420, 0, 0}},  // the new bits would cancel
              {laws::distributive_over("primitive.math.add"), {0x420, 0, 0}},
              {laws::commutative(), {0, 1}},
              {laws::associative(), {0x420, 0, 0}},
              {laws::identity(0), {1}},
              {laws::absorbing(0), {1}},
              {laws::self_inverse(0), {1}},
              {laws::idempotent(), {0x420}},
          },
      .classes =
          {
              {"the count is 0: the original",
               [](const uint32_t* x) { return x[0] / 32 % 32 == 0; },
               {0xfffffc1f, 0x12345678}},
              {"the field lies inside the word",
               [](const uint32_t* x) { return x[0] / 32 % 32 != 0 && x[0] % 32 + x[0] / 32 % 32 <= 32; },
               {0x2ad04, 0x12345678}},
              {"the field runs past bit 31",
               [](const uint32_t* x) { return x[0] % 32 + x[0] / 32 % 32 > 32; },
               {0x3fd1c, 0}},
              {"more than 22 bits: the upper ones are zero",
               [](const uint32_t* x) { return x[0] / 32 % 32 > 22; },
               {0xffffffe0, 0xffffffff}},
          },
      .boundaries =
          {
              {{0, 0xffffffff}, "count 0 from offset 0"},
              {{0xfffffc00, 0}, "new bits, but count 0"},
              {{0xffffffe0, 0xffffffff}, "count 31 from offset 0: 22 ones and nine zeros"},
              {{0xffffffff, 0}, "count 31 from offset 31: one bit lands"},
              {{0x43f, 0}, "offset 31, count 1: the highest bit"},
          },
      .rows =
          {
              {{0x2ad04, 0x12345678},
               0x12345ab8,
               "offset 4, count 8, new bits ab: packed is 2ac00 + 100 + 4",
               "semantics: The primitives (insert_bits)"},
              {{0x2ad00, 0x12345678},
               0x123456ab,
               "offset 0, count 8, new bits ab",
               "semantics: The primitives (insert_bits)"},
              {{0xfffffc00, 0x12345678},
               0x12345678,
               "count 0 returns the original",
               "semantics: The primitives (insert_bits)"},
              {{0xfffffc1f, 0x12345678},
               0x12345678,
               "count 0 at offset 31 returns it too",
               "semantics: The primitives (insert_bits)"},
              {{0x104, 0x12345678},
               0x12345008,
               "offset 4, count 8, new bits 0: clears the field",
               "semantics: The primitives (insert_bits)"},
              {{0x43f, 0},
               0x80000000,
               "offset 31, count 1, new bit 1",
               "semantics: The primitives (insert_bits)"},
              {{0x3fd1c, 0},
               0xf0000000,
               "offset 28, count 8, new bits ff: bits past 31 drop",
               "semantics: The primitives (insert_bits)"},
              {{0x3fc24, 0},
               0x10,
               "offset 4, count 1, new bits ff: bits past the count do not land",
               "semantics: The primitives (insert_bits)"},
              {{0xffffffe0, 0xffffffff},
               0x803fffff,
               "count 31, 22 ones in packed: nine zeros follow, bit 31 stays",
               "semantics: The primitives (insert_bits)"},
          },
      .identities =
          {
              {{0, {}}, {}, "count 0 returns the original", "semantics: The primitives (insert_bits)"},
              {{31, {}}, {}, "count 0, whatever the offset", "semantics: The primitives (insert_bits)"},
              {{0xfffffc1f, {}},
               {},
               "count 0, whatever the offset and the new bits",
               "semantics: The primitives (insert_bits)"},
          },
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
