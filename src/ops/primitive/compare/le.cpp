// primitive.compare.le: 1 where a is not above b, both unsigned.
#include "ops/reference.h"

namespace {

// b - a in 64 bits borrows from the highest bit exactly when a is above b.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t difference = uint64_t{b} - a;
  return (difference >> 63) == 0 ? 1 : 0;
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_compare_le() {
  return {
      .id = "primitive.compare.le",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "1 if a <= b, unsigned, else 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] <= p[1]; },
      .laws = {laws::self_inverse(1), laws::bounded(0, 1), laws::complement("primitive.compare.gt", 1),
               laws::transitive(), laws::converse("primitive.compare.ge")},
      .denied =
          {
              {laws::complement("primitive.compare.ge", 1), {0, 0}},  // where they are equal both hold
              {laws::self_inverse(0), {0}},                           // that is lt
              {laws::commutative(), {0, 1}},
              {laws::associative(), {0, 0, 0}},  // le(le(0, 0), 0) is le(1, 0); le(0, le(0, 0)) is le(0, 1)
              {laws::identity(1), {2}},
              {laws::idempotent(), {0}},
              {laws::trichotomy(), {0, 0}},  // all three
              {laws::converse("primitive.compare.gt"), {0, 0}},
          },
      .classes =
          {
              {"equal", [](const uint32_t* x) { return x[0] == x[1]; }, {5, 5}},
              {"a below b, both on one side of the sign bit",
               [](const uint32_t* x) { return x[0] < x[1] && (x[0] ^ x[1]) < 0x80000000; },
               {5, 6}},
              {"a above b, both on one side of the sign bit",
               [](const uint32_t* x) { return x[0] > x[1] && (x[0] ^ x[1]) < 0x80000000; },
               {6, 5}},
              {"one has the sign bit: as signed numbers the answer would be the other",
               [](const uint32_t* x) { return (x[0] ^ x[1]) >= 0x80000000; },
               {0x80000000, 1}},
          },
      .boundaries =
          {
              {{0, 0}, "equal at the least"},
              {{0xffffffff, 0xffffffff}, "equal at the greatest"},
              {{0, 0xffffffff}, "the least against the greatest"},
              {{0xffffffff, 0}, "the greatest against the least"},
              {{0x7fffffff, 0x80000000}, "the two sides of the sign bit"},
          },
      .rows =
          {
              {{0, 1}, 1, "1 - Lt(1, 0)", "binary-operations: Le (Equivalent to 1 - Lt(b, a))"},
              {{1, 0}, 0, "1 - Lt(0, 1)", "binary-operations: Le (Equivalent to 1 - Lt(b, a))"},
              {{5, 5},
               1,
               "SelfInverse(1): 1 - Lt(5, 5)",
               "binary-operations: Le (Equivalent to 1 - Lt(b, a))"},
              {{0, 0},
               1,
               "SelfInverse(1) at the least",
               "binary-operations: Le (Equivalent to 1 - Lt(b, a))"},
              {{0xffffffff, 0xffffffff},
               1,
               "SelfInverse(1) at the greatest",
               "binary-operations: Le (Equivalent to 1 - Lt(b, a))"},
              {{0xffffffff, 0xfffffffe},
               0,
               "unsigned: ffffffff is above fffffffe",
               "binary-operations: Le (Equivalent to 1 - Lt(b, a))"},
              {{0xffffffff, 0},
               0,
               "ffffffff is the largest value, not -1",
               "binary-operations: Le (Equivalent to 1 - Lt(b, a))"},
              {{0x7fffffff, 0x80000000},
               1,
               "the order goes on across the sign bit",
               "binary-operations: Le (Equivalent to 1 - Lt(b, a))"},
              {{0x80000000, 0x7fffffff},
               0,
               "the order goes on across the sign bit",
               "binary-operations: Le (Equivalent to 1 - Lt(b, a))"},
          },
      .identities =
          {
              {{{}, {}}, 1, "or equal", "semantics: The primitives"},
              {{0, {}}, 1, "zero is the least word", "semantics: The primitives"},
              {{{}, 0xffffffff}, 1, "the greatest word is no less than any", "semantics: The primitives"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.word(pool.ule(x[0], x[1]), pool.width(x[0]));
          },
  };
}

}  // namespace vyre::ops
