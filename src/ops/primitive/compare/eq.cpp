// primitive.compare.eq: 1 where the operands are the same word.
#include "ops/reference.h"

namespace {

// Neither is below the other.
uint32_t reference(uint32_t a, uint32_t b) {
  if (a < b) return 0;
  if (b < a) return 0;
  return 1;
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_compare_eq() {
  return {
      .id = "primitive.compare.eq",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "1 if a equals b, else 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] == p[1]; },
      .laws = {laws::commutative(), laws::self_inverse(1), laws::bounded(0, 1),
               laws::complement("primitive.compare.ne", 1), laws::transitive()},
      .denied =
          {
              {laws::associative(), {2, 2, 1}},  // eq(eq(2, 2), 1) is eq(1, 1); eq(2, eq(2, 1)) is eq(2, 0)
              {laws::identity(1), {2}},
              {laws::idempotent(), {0}},
              {laws::absorbing(0), {0}},
              {laws::zero_product(), {1, 2}},
              {laws::trichotomy(), {0, 0}},  // all three
          },
      .classes =
          {
              {"equal", [](const uint32_t* x) { return x[0] == x[1]; }, {7, 7}},
              {"different in one bit",
               [](const uint32_t* x) {
                 const uint32_t d = x[0] ^ x[1];
                 return d != 0 && (d & (d - 1)) == 0;
               },
               {0x80000000, 0}},
              {"different in more bits",
               [](const uint32_t* x) {
                 const uint32_t d = x[0] ^ x[1];
                 return (d & (d - 1)) != 0;
               },
               {3, 0}},
          },
      .boundaries =
          {
              {{0, 0}, "equal at the least"},
              {{0xffffffff, 0xffffffff}, "equal at the greatest"},
              {{0x80000000, 0}, "different in the highest bit alone"},
              {{0, 1}, "different in the lowest bit alone"},
          },
      .rows =
          {
              {{0, 0}, 1, "SelfInverse(1)", "binary-operations: Eq"},
              {{0xffffffff, 0xffffffff}, 1, "SelfInverse(1)", "binary-operations: Eq"},
              {{1, 0}, 0, "they differ in the lowest bit", "binary-operations: Eq"},
              {{0, 1}, 0, "Commutative", "binary-operations: Eq"},
              {{0x80000000, 0}, 0, "they differ in the highest bit", "binary-operations: Eq"},
              {{0x7fffffff, 0xffffffff}, 0, "the sign bit is a bit like any other", "binary-operations: Eq"},
              {{0x12345678, 0x12345678}, 1, "every bit agrees", "binary-operations: Eq"},
              {{2, 1}, 0, "both are truthy, and yet not equal", "binary-operations: Eq"},
          },
      .identities =
          {
              {{{}, {}}, 1, "a word equals itself", "semantics: The primitives"},
          },
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.word(pool.eq(x[0], x[1]), pool.width(x[0])); },
  };
}

}  // namespace vyre::ops
