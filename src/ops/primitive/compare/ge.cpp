// primitive.compare.ge: 1 where a is not below b, both unsigned.
#include "ops/reference.h"

namespace {

// a + (2^32 - b) carries into bit 32 exactly when a is not below b.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t sum = uint64_t{a} + ((uint64_t{1} << 32) - b);
  return static_cast<uint32_t>(sum >> 32);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_compare_ge() {
  return {
      .id = "primitive.compare.ge",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "1 if a >= b, unsigned, else 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] >= p[1]; },
      .laws = {laws::self_inverse(1), laws::bounded(0, 1), laws::complement("primitive.compare.lt", 1),
               laws::transitive(), laws::converse("primitive.compare.le")},
      .denied =
          {
              {laws::complement("primitive.compare.le", 1), {0, 0}},  // where they are equal both hold
              {laws::self_inverse(0), {0}},                           // that is gt
              {laws::commutative(), {1, 0}},
              {laws::associative(), {0, 0, 0}},  // ge(ge(0, 0), 0) is ge(1, 0); ge(0, ge(0, 0)) is ge(0, 1)
              {laws::identity(0), {2}},          // ge(2, 0) is 1
              {laws::idempotent(), {0}},
              {laws::trichotomy(), {0, 0}},  // all three
              {laws::converse("primitive.compare.lt"), {0, 0}},
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
              {{1, 0}, 1, "1 - Lt(1, 0)", "binary-operations: Ge (Equivalent to 1 - Lt(a, b))"},
              {{0, 1}, 0, "1 - Lt(0, 1)", "binary-operations: Ge (Equivalent to 1 - Lt(a, b))"},
              {{5, 5},
               1,
               "SelfInverse(1): 1 - Lt(5, 5)",
               "binary-operations: Ge (Equivalent to 1 - Lt(a, b))"},
              {{0, 0},
               1,
               "SelfInverse(1) at the least",
               "binary-operations: Ge (Equivalent to 1 - Lt(a, b))"},
              {{0xffffffff, 0xffffffff},
               1,
               "SelfInverse(1) at the greatest",
               "binary-operations: Ge (Equivalent to 1 - Lt(a, b))"},
              {{0xfffffffe, 0xffffffff},
               0,
               "unsigned: fffffffe is below ffffffff",
               "binary-operations: Ge (Equivalent to 1 - Lt(a, b))"},
              {{0xffffffff, 0},
               1,
               "ffffffff is the largest value, not -1",
               "binary-operations: Ge (Equivalent to 1 - Lt(a, b))"},
              {{0x80000000, 0x7fffffff},
               1,
               "the order goes on across the sign bit",
               "binary-operations: Ge (Equivalent to 1 - Lt(a, b))"},
              {{0x7fffffff, 0x80000000},
               0,
               "the order goes on across the sign bit",
               "binary-operations: Ge (Equivalent to 1 - Lt(a, b))"},
          },
      .identities =
          {
              {{{}, {}}, 1, "or equal", "semantics: The primitives"},
              {{{}, 0}, 1, "zero is the least word", "semantics: The primitives"},
              {{0xffffffff, {}}, 1, "the greatest word is no less than any", "semantics: The primitives"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.word(pool.ule(x[1], x[0]), pool.width(x[0]));
          },
  };
}

}  // namespace vyre::ops
