// primitive.compare.logical_not: 1 where a is zero.
#include "ops/reference.h"

namespace {

// a + (2^32 - 1) carries into bit 32 exactly when a is not zero.
uint32_t reference(uint32_t a) {
  const uint64_t sum = uint64_t{a} + 0xffffffff;
  return 1 - static_cast<uint32_t>(sum >> 32);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_compare_logical_not() {
  return {
      .id = "primitive.compare.logical_not",
      .version = 1,
      .signature = words(1),
      .category = spec::Category::A,
      .summary = "1 if a is 0, else 0",
      .parameter_names = {"a"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return !p[0]; },
      .laws = {laws::bounded(0, 1),
               laws::de_morgan("primitive.compare.logical_and", "primitive.compare.logical_or"),
               laws::de_morgan("primitive.compare.logical_or", "primitive.compare.logical_and"),
               laws::antitone()},
      .denied =
          {
              {laws::involution(), {2}},  // twice gives the truth of 2, which is 1
              {laws::monotone(), {0, 1}},
              {laws::de_morgan("primitive.bitwise.and", "primitive.bitwise.or"),
               {1, 2}},  // 1 and 2 are both true and share no bit
              {laws::de_morgan("primitive.compare.logical_and", "primitive.compare.logical_and"), {0, 1}},
          },
      .classes =
          {
              {"false", [](const uint32_t* x) { return x[0] == 0; }, {0}},
              {"true, and the word is 1", [](const uint32_t* x) { return x[0] == 1; }, {1}},
              {"true, and the word is another", [](const uint32_t* x) { return x[0] > 1; }, {42}},
          },
      .boundaries =
          {
              {{0}, "false"},
              {{1}, "the usual true"},
              {{2}, "true without the lowest bit"},
              {{0x80000000}, "true by the highest bit alone"},
              {{0xffffffff}, "true at the greatest"},
          },
      .rows =
          {
              {{0}, 1, "zero is false", "vyre-conform-spec: Unary Operations (LogicalNot)"},
              {{1}, 0, "one is true", "vyre-conform-spec: Unary Operations (LogicalNot)"},
              {{2},
               0,
               "any word but zero is true, also an even one",
               "vyre-conform-spec: Unary Operations (LogicalNot)"},
              {{42}, 0, "any word but zero is true", "vyre-conform-spec: Unary Operations (LogicalNot)"},
              {{0x80000000},
               0,
               "the highest bit alone is true",
               "vyre-conform-spec: Unary Operations (LogicalNot)"},
              {{0xffffffff},
               0,
               "all ones is true; the inverse of its bits would be 0 as well",
               "vyre-conform-spec: Unary Operations (LogicalNot)"},
              {{0xfffffffe},
               0,
               "and here the inverse of the bits would be 1",
               "vyre-conform-spec: Unary Operations (LogicalNot)"},
              {{0x00010000},
               0,
               "true though the low half is zero",
               "vyre-conform-spec: Unary Operations (LogicalNot)"},
          },
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.word(pool.is_zero(x[0]), pool.width(x[0])); },
  };
}

}  // namespace vyre::ops
