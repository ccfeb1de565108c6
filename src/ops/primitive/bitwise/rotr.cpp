// primitive.bitwise.rotr: a rotation to the right; only the low five bits of the count matter.
#include "ops/reference.h"

namespace {

// Two copies of the word side by side: any 32 neighbouring bits of them are a rotation.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t twice = (uint64_t{a} << 32) | a;
  return static_cast<uint32_t>(twice >> (b % 32));
}

}  // namespace

#include "ops/operation.h"

#include "ops/definition.h"

namespace vyre::ops {

Operation primitive_bitwise_rotr() {
  return {
      .id = "primitive.bitwise.rotr",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a rotated right by b & 31",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      // Turning right by b is turning left by -b, and rotl takes the amount modulo 32.
      .compose = [](ir::FunctionBuilder& f,
                    std::span<const ir::Ex> p) { return f.call("primitive.bitwise.rotl", {p[0], -p[1]}); },
      .laws = {laws::right_identity(0), laws::right_identity(32), laws::left_absorbing(0),
               laws::left_absorbing(0xffffffff), laws::inverse_of("primitive.bitwise.rotl"),
               laws::zero_product()},
      .denied =
          {
              {laws::commutative(), {1, 0}},
              {laws::associative(), {8, 1, 2}},  // 8 by 1 by 2 is 1; 1 by 2 is 40000000, which rotates 8 by 0
              {laws::identity(0), {1}},
              {laws::absorbing(0), {1}},
              {laws::self_inverse(0), {1}},
              {laws::idempotent(), {1}},
              {laws::inverse_of("primitive.bitwise.rotr"), {1, 1}},  // the other way is the way back
              {laws::right_absorbing(0), {1}},
          },
      .classes =
          {
              {"no rotation: the amount is a multiple of 32",
               [](const uint32_t* x) { return x[1] % 32 == 0; },
               {0x12345678, 64}},
              {"the amount is 1 to 31",
               [](const uint32_t* x) { return x[1] >= 1 && x[1] <= 31; },
               {0x80000001, 1}},
              {"the amount is above 32 and is masked",
               [](const uint32_t* x) { return x[1] > 32 && x[1] % 32 != 0; },
               {0x80000001, 33}},
          },
      .boundaries =
          {
              {{0x80000001, 0}, "the least amount"},
              {{0x80000001, 31}, "the greatest amount"},
              {{0x80000001, 32}, "the least amount that is masked"},
              {{0x80000001, 0xffffffff}, "the amount at its greatest: masked to 31"},
              {{0xffffffff, 7}, "every bit set: any rotation is the same"},
          },
      .rows =
          {
              {{1, 0}, 1, "no rotation", "semantics: The primitives (rotr)"},
              {{2, 1}, 1, "one place", "semantics: The primitives (rotr)"},
              {{1, 1},
               0x80000000,
               "the lowest bit comes round to the highest",
               "semantics: The primitives (rotr)"},
              {{0x80000000, 31}, 1, "31 places, the whole way down", "semantics: The primitives (rotr)"},
              {{0x12345678, 8},
               0x78123456,
               "two hexadecimal digits come round",
               "semantics: The primitives (rotr)"},
              {{0x12345678, 32}, 0x12345678, "count & 31: 32 is 0", "semantics: The primitives (rotr)"},
              {{0x80000001, 33}, 0xc0000000, "count & 31: 33 is 1", "semantics: The primitives (rotr)"},
              {{0x80000001, 0xffffffff},
               3,
               "count & 31: ffffffff is 31, which is one place left",
               "semantics: The primitives (rotr)"},
              {{0, 13}, 0, "no bit set, nothing to rotate", "semantics: The primitives (rotr)"},
          },
      .identities =
          {
              {{{}, 0}, {}, "no rotation", "semantics: The primitives (rotr)"},
              {{{}, 32}, {}, "count & 31: 32 is 0", "semantics: The primitives (rotr)"},
              {{0xffffffff, {}},
               0xffffffff,
               "all bits are alike, wherever they go",
               "semantics: The primitives (rotr)"},
              {{0, {}}, 0, "no bit set, nothing to rotate", "semantics: The primitives (rotr)"},
          },
      // Two copies of the word, shifted: the lower one has what came round.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            const smt::Term by = pool.zero_extend(formula::amount(pool, x[1]), 2 * width);
            return pool.extract(pool.lshr(pool.concat(x[0], x[0]), by), 0, width);
          },
  };
}

}  // namespace vyre::ops
