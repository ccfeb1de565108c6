// primitive.bitwise.shr: a logical shift to the right, the amount masked to five bits.
#include "ops/reference.h"

namespace {

// Halving, once a place, rounded down: what falls below the point is lost.
uint32_t reference(uint32_t a, uint32_t b) {
  for (uint32_t n = 1; n < 32; ++n) a = n <= b % 32 ? a / 2 : a;
  return a;
}

}  // namespace

#include "ops/operation.h"

#include "ops/definition.h"

namespace vyre::ops {

Operation primitive_bitwise_shr() {
  return {
      .id = "primitive.bitwise.shr",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a >> (b & 31), zeros from the left",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] >> p[1]; },
      .laws = {laws::right_identity(0), laws::right_identity(32), laws::left_absorbing(0)},
      .denied =
          {
              {laws::commutative(), {1, 0}},
              {laws::associative(), {8, 1, 2}},  // (8 >> 1) >> 2 is 1, 8 >> (1 >> 2) is 8
              {laws::identity(0), {1}},          // 1 >> 0 is 1, 0 >> 1 is not: it holds on one side only
              {laws::absorbing(0), {1}},
              {laws::self_inverse(0), {32}},  // a >> a is 0 up to 31; at 32 the mask gives a >> 0
              {laws::idempotent(), {1}},
              {laws::right_absorbing(0), {1}},
              {laws::zero_product(), {1, 1}},
              {laws::inverse_of("primitive.bitwise.shl"), {0x80000000, 1}},  // the bit that fell off is lost
          },
      .classes =
          {
              {"no shift: the amount is 0", [](const uint32_t* x) { return x[1] == 0; }, {0xdeadbeef, 0}},
              {"the amount is 1 to 31, the sign bit clear",
               [](const uint32_t* x) { return x[1] >= 1 && x[1] <= 31 && x[0] < 0x80000000; },
               {4, 1}},
              {"the amount is 1 to 31, the sign bit set: zeros come in all the same",
               [](const uint32_t* x) { return x[1] >= 1 && x[1] <= 31 && x[0] >= 0x80000000; },
               {0x80000000, 1}},
              {"the amount is 32 or more and is masked",
               [](const uint32_t* x) { return x[1] >= 32; },
               {4, 33}},
          },
      .boundaries =
          {
              {{0x80000000, 0}, "the least amount"},
              {{0x80000000, 31}, "the greatest amount: the highest bit becomes the lowest"},
              {{0x80000000, 32}, "the least amount that is masked"},
              {{0xffffffff, 0xffffffff}, "the amount at its greatest: masked to 31"},
              {{1, 1}, "the lowest bit falls off"},
          },
      .rows =
          {
              {{0x80000000, 1}, 0x40000000, "logical, not arithmetic", "binary-operations: Shr"},
              {{1, 1}, 0, "the only bit is shifted out", "binary-operations: Shr"},
              {{1, 32}, 1, "masked: 32 & 31 = 0", "binary-operations: Shr"},
              {{0x80000000, 31}, 1, "the greatest amount", "binary-operations: Shr"},
              {{0xffffffff, 1},
               0x7fffffff,
               "a zero comes in from the left, not a copy of the sign",
               "binary-operations: Shr"},
              {{0xdeadbeef, 0}, 0xdeadbeef, "no shift", "binary-operations: Shr"},
              {{12, 33}, 6, "masked: 33 & 31 = 1", "binary-operations: Shr"},
              {{0x80000000, 0xffffffff}, 1, "masked: ffffffff & 31 = 31", "binary-operations: Shr"},
              {{0x12345678, 4}, 0x01234567, "one hexadecimal digit to the right", "binary-operations: Shr"},
          },
      .identities =
          {
              {{{}, 0}, {}, "no shift", "binary-operations: Shr"},
              {{{}, 32}, {}, "32 & 31 = 0", "binary-operations: Shr"},
              {{0, {}}, 0, "there is no bit to move", "binary-operations: Shr"},
          },
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.lshr(x[0], formula::amount(pool, x[1])); },
  };
}

}  // namespace vyre::ops
