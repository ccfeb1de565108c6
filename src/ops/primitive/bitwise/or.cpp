// primitive.bitwise.or: the bits set in either operand.
#include "ops/reference.h"

namespace {

// Both together, less the common bits that were counted twice.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t sum = uint64_t{a} + b;
  return static_cast<uint32_t>(sum - (a & b));
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_bitwise_or() {
  return {
      .id = "primitive.bitwise.or",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a | b, bit by bit",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] | p[1]; },
      .laws = {laws::commutative(), laws::associative(), laws::identity(0), laws::idempotent(),
               laws::absorbing(0xffffffff), laws::distributive_over("primitive.bitwise.and"),
               laws::lattice_absorption("primitive.bitwise.and"), laws::zero_product()},
      .denied =
          {
              {laws::identity(0xffffffff), {0}},
              {laws::absorbing(0), {1}},
              {laws::self_inverse(0), {1}},  // that is xor
              {laws::distributive_over("primitive.bitwise.xor"), {1, 0, 0}},
              {laws::transitive(), {0, 1, 0}},
          },
      .classes =
          {
              {"no bit in common", [](const uint32_t* x) { return (x[0] & x[1]) == 0; }, {0xff00, 0x00ff}},
              {"one operand holds the other",
               [](const uint32_t* x) { return (x[0] & x[1]) == x[0] || (x[0] & x[1]) == x[1]; },
               {0xff, 0x0f}},
              {"some bits in common, some in one alone",
               [](const uint32_t* x) {
                 return (x[0] & x[1]) != 0 && (x[0] & x[1]) != x[0] && (x[0] & x[1]) != x[1];
               },
               {0xff00, 0x0ff0}},
          },
      .boundaries =
          {
              {{0, 0}, "no bit set"},
              {{0xffffffff, 0xffffffff}, "every bit set on both sides"},
              {{0, 0xffffffff}, "the identity meets the absorbing element"},
              {{0x80000000, 1}, "the highest and the lowest bit"},
          },
      .rows =
          {
              {{0xff00, 0x00ff}, 0xffff, "two halves make a whole", "binary-operations: BitOr"},
              {{0, 0x12345678}, 0x12345678, "(0, x) gives x", "binary-operations: BitOr"},
              {{0, 0}, 0, "(0, x) gives x, x zero", "binary-operations: BitOr"},
              {{0xffffffff, 0x89abcdef},
               0xffffffff,
               "(ffffffff, x) gives ffffffff",
               "binary-operations: BitOr"},
              {{0xffffffff, 0},
               0xffffffff,
               "(ffffffff, x) gives ffffffff, x zero",
               "binary-operations: BitOr"},
              {{0xdeadbeef, 0xdeadbeef}, 0xdeadbeef, "Idempotent", "binary-operations: BitOr, laws"},
              {{0xaaaaaaaa, 0x55555555},
               0xffffffff,
               "alternating bits fill the word",
               "semantics: The primitives"},
              {{0x80000000, 1},
               0x80000001,
               "the highest bit takes part like any other",
               "semantics: The primitives"},
              {{6, 3},
               7,
               "110 or 011: the shared bit counts once, there is no carry",
               "semantics: The primitives"},
          },
      .identities =
          {
              {{0, {}}, {}, "zero adds no bit", "binary-operations: BitOr, table"},
              {{0xffffffff, {}}, 0xffffffff, "every bit is there already", "binary-operations: BitOr, table"},
              {{{}, {}}, {}, "a bit or itself", "semantics: The primitives"},
          },
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.bit_or(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
