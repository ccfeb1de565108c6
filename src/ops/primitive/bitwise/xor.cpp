// primitive.bitwise.xor: the bits in which the operands differ.
#include "ops/reference.h"

namespace {

// All the bits there are, without the common ones; no column of that subtraction borrows.
uint32_t reference(uint32_t a, uint32_t b) { return (a | b) - (a & b); }

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_bitwise_xor() {
  return {
      .id = "primitive.bitwise.xor",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a ^ b, bit by bit",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] ^ p[1]; },
      .laws = {laws::commutative(), laws::associative(), laws::identity(0), laws::self_inverse(0),
               laws::inverse_of("primitive.bitwise.xor")},
      .denied =
          {
              {laws::distributive_over("primitive.bitwise.and"), {1, 0, 1}},
              {laws::distributive_over("primitive.bitwise.or"), {1, 0, 1}},
              {laws::idempotent(), {1}},
              {laws::absorbing(0xffffffff), {1}},
              {laws::zero_product(), {1, 1}},
              {laws::lattice_absorption("primitive.bitwise.and"), {1, 1}},
          },
      .classes =
          {
              {"the operands are equal", [](const uint32_t* x) { return x[0] == x[1]; }, {0xff, 0xff}},
              {"the operands are complements",
               [](const uint32_t* x) { return x[0] == ~x[1]; },
               {0x0f0f0f0f, 0xf0f0f0f0}},
              {"some bits differ and some do not",
               [](const uint32_t* x) { return x[0] != x[1] && x[0] != ~x[1]; },
               {0xff00, 0x0ff0}},
          },
      .boundaries =
          {
              {{0, 0}, "no bit set"},
              {{0xffffffff, 0xffffffff}, "every bit set on both sides"},
              {{0xffffffff, 0}, "every bit differs"},
              {{0x80000000, 1}, "the highest and the lowest bit"},
          },
      .rows =
          {
              {{0xff, 0xff}, 0, "SelfInverse(0)", "binary-operations: BitXor"},
              {{0xff, 0x00}, 0xff, "Identity(0) on the right", "binary-operations: BitXor"},
              {{0, 0x12345678}, 0x12345678, "(0, x) gives x", "binary-operations: BitXor"},
              {{0, 0xffffffff}, 0xffffffff, "(0, x) gives x, x all ones", "binary-operations: BitXor"},
              {{0xffffffff, 0x0f0f0f0f},
               0xf0f0f0f0,
               "all ones on one side inverts the other",
               "semantics: The primitives"},
              {{0xff00, 0x0ff0},
               0xf0f0,
               "the common f at bits 8 to 11 vanishes",
               "semantics: The primitives"},
              {{0xaaaaaaaa, 0x55555555},
               0xffffffff,
               "alternating bits all differ",
               "semantics: The primitives"},
              {{0x80000001, 0x80000000},
               1,
               "the highest bit takes part like any other",
               "semantics: The primitives"},
          },
      .identities =
          {
              {{0, {}}, {}, "zero turns no bit", "binary-operations: BitXor, table"},
              {{{}, {}}, 0, "a bit and itself never differ", "semantics: The primitives"},
          },
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.bit_xor(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
