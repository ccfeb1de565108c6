// primitive.compare.lt: 1 where a is below b, both unsigned.
#include "ops/reference.h"

namespace {

// The difference in 64 bits is negative.
uint32_t reference(uint32_t a, uint32_t b) { return int64_t{a} - int64_t{b} < 0 ? 1 : 0; }

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_compare_lt() {
  return {
      .id = "primitive.compare.lt",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "1 if a < b, unsigned, else 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] < p[1]; },
      .laws = {laws::self_inverse(0), laws::bounded(0, 1), laws::complement("primitive.compare.ge", 1),
               laws::transitive(), laws::trichotomy(), laws::converse("primitive.compare.gt")},
      .denied =
          {
              {laws::complement("primitive.compare.gt", 1), {0, 0}},  // where they are equal neither holds
              {laws::self_inverse(1), {0}},                           // that is le
              {laws::commutative(), {0, 1}},
              {laws::associative(), {1, 0, 1}},  // lt(lt(1, 0), 1) is lt(0, 1); lt(1, lt(0, 1)) is lt(1, 1)
              {laws::identity(0), {1}},
              {laws::idempotent(), {1}},
              {laws::converse("primitive.compare.le"), {0, 0}},
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
              {{0, 1}, 1, "zero is the smallest", "binary-operations: Lt"},
              {{1, 0}, 0, "the other way", "binary-operations: Lt"},
              {{5, 5}, 0, "not strictly less", "binary-operations: Lt"},
              {{0xfffffffe, 0xffffffff}, 1, "unsigned: fffffffe < ffffffff", "binary-operations: Lt"},
              {{0, 0xffffffff}, 1, "ffffffff is the largest value, not -1", "binary-operations: Lt"},
              {{0xffffffff, 0}, 0, "ffffffff is the largest value, not -1", "binary-operations: Lt"},
              {{0x7fffffff, 0x80000000},
               1,
               "the order goes on across the sign bit",
               "binary-operations: Lt (unsigned)"},
              {{0x80000000, 0x7fffffff},
               0,
               "the order goes on across the sign bit",
               "binary-operations: Lt (unsigned)"},
              {{0, 0}, 0, "SelfInverse(0)", "binary-operations: Lt, laws"},
          },
      .identities =
          {
              {{{}, {}}, 0, "not strictly less", "binary-operations: Lt"},
              {{{}, 0}, 0, "no word is less than zero", "binary-operations: Lt"},
              {{0xffffffff, {}}, 0, "the greatest word is less than none", "binary-operations: Lt"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.word(pool.ult(x[0], x[1]), pool.width(x[0]));
          },
  };
}

}  // namespace vyre::ops
