// primitive.compare.gt: 1 where a is above b, both unsigned.
#include "ops/reference.h"

namespace {

// The highest bit in which they differ decides: upwards, that is the last.
uint32_t reference(uint32_t a, uint32_t b) {
  uint32_t decided = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t of_a = (a >> i) & 1;
    const uint32_t of_b = (b >> i) & 1;
    decided = of_a != of_b ? of_a : decided;
  }
  return decided;
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_compare_gt() {
  return {
      .id = "primitive.compare.gt",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "1 if a > b, unsigned, else 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] > p[1]; },
      .laws = {laws::self_inverse(0), laws::bounded(0, 1), laws::complement("primitive.compare.le", 1),
               laws::transitive(), laws::trichotomy(), laws::converse("primitive.compare.lt")},
      .denied =
          {
              {laws::complement("primitive.compare.lt", 1), {0, 0}},  // where they are equal neither holds
              {laws::self_inverse(1), {0}},                           // that is ge
              {laws::commutative(), {1, 0}},
              {laws::associative(), {1, 0, 1}},  // gt(gt(1, 0), 1) is gt(1, 1); gt(1, gt(0, 1)) is gt(1, 0)
              {laws::identity(0), {2}},          // gt(2, 0) is 1
              {laws::idempotent(), {1}},
              {laws::converse("primitive.compare.ge"), {0, 0}},
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
              {{1, 0}, 1, "Lt(0, 1) is 1", "binary-operations: Gt (Equivalent to Lt(b, a))"},
              {{0, 1}, 0, "Lt(1, 0) is 0", "binary-operations: Gt (Equivalent to Lt(b, a))"},
              {{5, 5},
               0,
               "Lt(5, 5) is 0: not strictly greater",
               "binary-operations: Gt (Equivalent to Lt(b, a))"},
              {{0xffffffff, 0xfffffffe},
               1,
               "unsigned: ffffffff > fffffffe",
               "binary-operations: Gt (Equivalent to Lt(b, a))"},
              {{0xffffffff, 0},
               1,
               "ffffffff is the largest value, not -1",
               "binary-operations: Gt (Equivalent to Lt(b, a))"},
              {{0, 0xffffffff},
               0,
               "nothing is above the largest value",
               "binary-operations: Gt (Equivalent to Lt(b, a))"},
              {{0x80000000, 0x7fffffff},
               1,
               "the order goes on across the sign bit",
               "binary-operations: Gt (Equivalent to Lt(b, a))"},
              {{0x7fffffff, 0x80000000},
               0,
               "the order goes on across the sign bit",
               "binary-operations: Gt (Equivalent to Lt(b, a))"},
              {{0, 0}, 0, "SelfInverse(0)", "binary-operations: Gt (Equivalent to Lt(b, a))"},
          },
      .identities =
          {
              {{{}, {}}, 0, "not strictly greater", "semantics: The primitives"},
              {{0, {}}, 0, "zero is greater than no word", "semantics: The primitives"},
              {{{}, 0xffffffff}, 0, "no word is greater than the greatest", "semantics: The primitives"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.word(pool.ult(x[1], x[0]), pool.width(x[0]));
          },
  };
}

}  // namespace vyre::ops
