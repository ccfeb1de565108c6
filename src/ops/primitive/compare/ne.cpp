// primitive.compare.ne: 1 where the operands are different words.
#include "ops/reference.h"

namespace {

// Their difference in 64 bits is not zero.
uint32_t reference(uint32_t a, uint32_t b) { return int64_t{a} - int64_t{b} != 0 ? 1 : 0; }

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_compare_ne() {
  return {
      .id = "primitive.compare.ne",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "1 if a differs from b, else 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] != p[1]; },
      .laws = {laws::commutative(), laws::self_inverse(0), laws::bounded(0, 1),
               laws::complement("primitive.compare.eq", 1)},
      .denied =
          {
              {laws::associative(), {2, 1, 1}},  // ne(ne(2, 1), 1) is ne(1, 1); ne(2, ne(1, 1)) is ne(2, 0)
              {laws::identity(0), {2}},          // 1, not 2
              {laws::idempotent(), {1}},
              {laws::absorbing(1), {1}},
              {laws::transitive(), {0, 1, 0}},
              {laws::trichotomy(), {0, 1}},  // both ways round
          },
      .classes =
          {
              {"equal", [](const uint32_t* x) { return x[0] == x[1]; }, {7, 7}},
              {"different in one bit",
               [](const uint32_t* x) { return x[0] != x[1] && ((x[0] ^ x[1]) & ((x[0] ^ x[1]) - 1)) == 0; },
               {0x80000000, 0}},
              {"different in more bits",
               [](const uint32_t* x) { return ((x[0] ^ x[1]) & ((x[0] ^ x[1]) - 1)) != 0; },
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
              {{0, 0}, 0, "SelfInverse(0)", "binary-operations: Ne"},
              {{0xffffffff, 0xffffffff}, 0, "SelfInverse(0)", "binary-operations: Ne"},
              {{1, 0}, 1, "they differ in the lowest bit", "binary-operations: Ne"},
              {{0, 1}, 1, "Commutative", "binary-operations: Ne"},
              {{0x80000000, 0}, 1, "they differ in the highest bit", "binary-operations: Ne"},
              {{0x7fffffff, 0xffffffff}, 1, "the sign bit is a bit like any other", "binary-operations: Ne"},
              {{0x12345678, 0x12345678}, 0, "every bit agrees", "binary-operations: Ne"},
              {{0xffffffff, 0},
               1,
               "they differ in every bit; the answer is 1 and not their difference",
               "binary-operations: Ne"},
          },
      .identities =
          {
              {{{}, {}}, 0, "a word never differs from itself", "semantics: The primitives"},
          },
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.word(pool.ne(x[0], x[1]), pool.width(x[0])); },
  };
}

}  // namespace vyre::ops
