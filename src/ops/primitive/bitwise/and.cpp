// primitive.bitwise.and: the bits set in both operands.
#include "ops/reference.h"

namespace {

// A sum counts a common bit twice and ^ leaves it out: half of the difference is what they share.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t sum = uint64_t{a} + b;
  return static_cast<uint32_t>((sum - (a ^ b)) / 2);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_bitwise_and() {
  return {
      .id = "primitive.bitwise.and",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a & b, bit by bit",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] & p[1]; },
      .laws = {laws::commutative(), laws::associative(), laws::identity(0xffffffff), laws::idempotent(),
               laws::absorbing(0), laws::distributive_over("primitive.bitwise.or"),
               laws::lattice_absorption("primitive.bitwise.or")},
      .denied =
          {
              {laws::identity(0), {1}},
              {laws::absorbing(0xffffffff), {0}},
              {laws::self_inverse(0), {1}},  // that is xor
              {laws::distributive_over("primitive.math.add"), {1, 1, 1}},
              {laws::zero_product(), {1, 2}},
              {laws::transitive(), {1, 3, 2}},  // each shares a bit with 3
          },
      .classes =
          {
              {"no bit in common", [](const uint32_t* x) { return (x[0] & x[1]) == 0; }, {0x0f, 0xf0}},
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
              {{0xffffffff, 0}, "the identity meets the absorbing element"},
              {{0x80000000, 0xffffffff}, "the highest bit alone"},
          },
      .rows =
          {
              {{0xff00, 0x0ff0}, 0x0f00, "the common bits are 8 to 11", "binary-operations: BitAnd"},
              {{0xffffffff, 0x12345678}, 0x12345678, "(ffffffff, x) gives x", "binary-operations: BitAnd"},
              {{0xffffffff, 0}, 0, "(ffffffff, x) gives x, x zero", "binary-operations: BitAnd"},
              {{0, 0x89abcdef}, 0, "(0, x) gives 0", "binary-operations: BitAnd"},
              {{0, 0xffffffff}, 0, "(0, x) gives 0, x all ones", "binary-operations: BitAnd"},
              {{0xdeadbeef, 0xdeadbeef}, 0xdeadbeef, "Idempotent", "binary-operations: BitAnd, laws"},
              {{0xaaaaaaaa, 0x55555555},
               0,
               "alternating bits have nothing in common",
               "semantics: The primitives"},
              {{0x80000001, 0xc0000000},
               0x80000000,
               "the highest bit takes part like any other",
               "semantics: The primitives"},
              {{6, 3}, 2, "110 and 011 share the middle bit", "semantics: The primitives"},
          },
      .identities =
          {
              {{0xffffffff, {}}, {}, "ones let every bit through", "binary-operations: BitAnd, table"},
              {{0, {}}, 0, "zero lets none through", "binary-operations: BitAnd, table"},
              {{{}, {}}, {}, "a bit and itself", "semantics: The primitives"},
          },
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.bit_and(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
