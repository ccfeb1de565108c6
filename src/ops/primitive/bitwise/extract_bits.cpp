// primitive.bitwise.extract_bits: a field of a word, right-aligned.
// `packed` says which: the offset in bits 0 to 4, the count in bits 5 to 9; its other bits do not matter.
#include "ops/reference.h"

namespace {

// By the arithmetic of 64 bits: value / 2^offset mod 2^count.
uint32_t reference(uint32_t packed, uint32_t value) {
  const uint64_t below = uint64_t{1} << (packed % 32);
  const uint64_t field = uint64_t{1} << (packed / 32 % 32);
  return static_cast<uint32_t>(value / below % field);
}

}  // namespace

#include "ops/operation.h"

#include "ops/definition.h"

namespace vyre::ops {

Operation primitive_bitwise_extract_bits() {
  return {
      .id = "primitive.bitwise.extract_bits",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "count bits of value from offset, right-aligned; packed = offset | count << 5",
      .parameter_names = {"packed", "value"},
      .reference = reference_of<reference>,
      // Both shift amounts are masked to five bits by the shift itself: packed stands for the offset, packed
      // >> 5 for the count. A count of 0 makes the mask 0.
      .compose = [](ir::FunctionBuilder&,
                    std::span<const ir::Ex> p) { return (p[1] >> p[0]) & ((1u << (p[0] >> 5)) - 1); },
      .laws = {laws::absorbing(0), laws::bounded(0, 0x7fffffff),
               laws::distributive_over("primitive.bitwise.and"),
               laws::distributive_over("primitive.bitwise.or"),
               laws::distributive_over("primitive.bitwise.xor")},
      .denied =
          {
              {laws::bounded(0, 0x3fffffff), {0x3e0, 0x7fffffff}},  // 31 bits is the greatest count
              {laws::commutative(), {0x20, 1}},
              {laws::associative(), {0x20, 0x20, 1}},
              {laws::identity(0), {1}},
              {laws::self_inverse(0), {0x25}},  // offset 5, count 1: a word that finds a one in itself
              {laws::idempotent(), {1}},
              {laws::distributive_over("primitive.math.add"), {0x20, 1, 1}},  // a carry leaves the field
              {laws::right_identity(0), {1}},
              {laws::zero_product(), {1, 1}},
          },
      .classes =
          {
              {"the count is 0: the result is 0",
               [](const uint32_t* x) { return x[0] / 32 % 32 == 0; },
               {0x1f, 0xffffffff}},
              {"the field lies inside the word",
               [](const uint32_t* x) { return x[0] / 32 % 32 != 0 && x[0] % 32 + x[0] / 32 % 32 <= 32; },
               {0x104, 0x12345678}},
              {"the field runs past bit 31",
               [](const uint32_t* x) { return x[0] % 32 + x[0] / 32 % 32 > 32; },
               {0x11c, 0x12345678}},
              {"packed has bits above the count, which do not matter",
               [](const uint32_t* x) { return x[0] >= 0x400; },
               {0xfffffd04, 0x12345678}},
          },
      .boundaries =
          {
              {{0, 0xffffffff}, "count 0 from offset 0"},
              {{0x3e0, 0xffffffff}, "count 31 from offset 0: the greatest result"},
              {{0x3e1, 0xffffffff}, "count 31 from offset 1: ends at bit 31"},
              {{0x3ff, 0xffffffff}, "count 31 from offset 31: all but one bit lie outside"},
              {{0xffffffff, 0x80000000}, "every bit of packed set"},
          },
      .rows =
          {
              {{0x104, 0x12345678},
               0x67,
               "offset 4, count 8: the digits 6 and 7",
               "semantics: The primitives (extract_bits)"},
              {{0x100, 0x12345678},
               0x78,
               "offset 0, count 8: the lowest byte",
               "semantics: The primitives (extract_bits)"},
              {{0, 0xffffffff}, 0, "count 0 gives 0", "semantics: The primitives (extract_bits)"},
              {{0x1f, 0xffffffff},
               0,
               "offset 31, count 0 gives 0 too",
               "semantics: The primitives (extract_bits)"},
              {{0x3f, 0x80000000},
               1,
               "offset 31, count 1: the highest bit",
               "semantics: The primitives (extract_bits)"},
              {{0x3e0, 0xffffffff},
               0x7fffffff,
               "offset 0, count 31: the greatest field",
               "semantics: The primitives (extract_bits)"},
              {{0x3e1, 0xfffffffe},
               0x7fffffff,
               "offset 1, count 31: ends exactly at bit 31",
               "semantics: The primitives (extract_bits)"},
              {{0x11c, 0x12345678},
               1,
               "offset 28, count 8: four bits lie past bit 31 and are 0",
               "semantics: The primitives (extract_bits)"},
              {{0xfffffd04, 0x12345678},
               0x67,
               "bits of packed from 10 on do not matter: fffffd04 & 3ff = 104",
               "semantics: The primitives (extract_bits)"},
          },
      .identities =
          {
              {{0, {}}, 0, "count 0 gives 0", "semantics: The primitives (extract_bits)"},
              {{31, {}},
               0,
               "count 0 gives 0, whatever the offset",
               "semantics: The primitives (extract_bits)"},
          },
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
