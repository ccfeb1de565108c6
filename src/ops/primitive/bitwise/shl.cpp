// primitive.bitwise.shl: a shift to the left, the amount masked to five bits.
#include "ops/reference.h"

namespace {

// Doubling, once a place: what falls off at 2^32 is lost.
uint32_t reference(uint32_t a, uint32_t b) {
  for (uint32_t n = 1; n < 32; ++n) a += n <= b % 32 ? a : 0;
  return a;
}

}  // namespace

#include "ops/operation.h"

#include "ops/definition.h"

namespace vyre::ops {

Operation primitive_bitwise_shl() {
  return {
      .id = "primitive.bitwise.shl",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a << (b & 31)",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] << p[1]; },
      .laws = {laws::right_identity(0), laws::right_identity(32), laws::left_absorbing(0)},
      .denied =
          {
              {laws::commutative(), {1, 0}},
              {laws::associative(), {1, 1, 2}},  // (1 << 1) << 2 is 8, 1 << (1 << 2) is 16
              {laws::identity(0), {1}},
              {laws::absorbing(0), {1}},
              {laws::self_inverse(0), {1}},
              {laws::idempotent(), {1}},
              {laws::left_identity(0), {1}},
              {laws::right_absorbing(0), {1}},
              {laws::zero_product(), {0x80000000, 1}},
              {laws::inverse_of("primitive.bitwise.shr"), {1, 1}},  // the bit that fell off is lost
          },
      .classes =
          {
              {"no shift: the amount is 0", [](const uint32_t* x) { return x[1] == 0; }, {0xdeadbeef, 0}},
              {"the amount is 1 to 31", [](const uint32_t* x) { return x[1] >= 1 && x[1] <= 31; }, {1, 1}},
              {"the amount is 32 or more and is masked",
               [](const uint32_t* x) { return x[1] >= 32; },
               {1, 33}},
          },
      .boundaries =
          {
              {{1, 0}, "the least amount"},
              {{1, 31}, "the greatest amount: the lowest bit becomes the highest"},
              {{1, 32}, "the least amount that is masked"},
              {{0xffffffff, 0xffffffff}, "the amount at its greatest: masked to 31"},
              {{0x80000000, 1}, "the highest bit falls off"},
          },
      .rows =
          {
              {{1, 0}, 1, "no shift", "binary-operations: Shl"},
              {{1, 1}, 2, "one place", "binary-operations: Shl"},
              {{1, 31}, 0x80000000, "the greatest amount", "binary-operations: Shl"},
              {{1, 32}, 1, "masked: 32 & 31 = 0", "binary-operations: Shl"},
              {{0xffffffff, 1}, 0xfffffffe, "the high bit is shifted out", "binary-operations: Shl"},
              {{0x80000000, 1}, 0, "the only bit is shifted out", "binary-operations: Shl"},
              {{3, 33}, 6, "masked: 33 & 31 = 1", "binary-operations: Shl"},
              {{1, 0xffffffff}, 0x80000000, "masked: ffffffff & 31 = 31", "binary-operations: Shl"},
              {{0x12345678, 4}, 0x23456780, "one hexadecimal digit to the left", "binary-operations: Shl"},
          },
      .identities =
          {
              {{{}, 0}, {}, "no shift", "binary-operations: Shl"},
              {{{}, 32}, {}, "32 & 31 = 0", "binary-operations: Shl"},
              {{0, {}}, 0, "there is no bit to move", "binary-operations: Shl"},
          },
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.shl(x[0], formula::amount(pool, x[1])); },
  };
}

}  // namespace vyre::ops
