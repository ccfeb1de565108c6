// primitive.bitwise.not: every bit inverted.
#include "ops/reference.h"

namespace {

// What is missing to all ones: no column of that subtraction ever borrows.
uint32_t reference(uint32_t a) { return static_cast<uint32_t>(uint64_t{0xffffffff} - a); }

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_bitwise_not() {
  return {
      .id = "primitive.bitwise.not",
      .version = 1,
      .signature = words(1),
      .category = spec::Category::A,
      .summary = "~a, every bit inverted",
      .parameter_names = {"a"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return ~p[0]; },
      .laws = {laws::involution(), laws::de_morgan("primitive.bitwise.and", "primitive.bitwise.or"),
               laws::de_morgan("primitive.bitwise.or", "primitive.bitwise.and"),
               laws::de_morgan("primitive.math.min", "primitive.math.max"),
               laws::de_morgan("primitive.math.max", "primitive.math.min"), laws::antitone()},
      .denied =
          {
              {laws::monotone(), {0, 1}},  // it turns the order round
              {laws::de_morgan("primitive.bitwise.and", "primitive.bitwise.and"), {0, 1}},
              {laws::de_morgan("primitive.bitwise.xor", "primitive.bitwise.xor"), {0, 0}},
              {laws::de_morgan("primitive.math.add", "primitive.math.add"),
               {0, 0}},  // negate is the one that passes through sums
              {laws::complement("primitive.math.negate", 0xffffffff), {1}},
          },
      .classes =
          {
              {"zero and all ones", [](const uint32_t* x) { return x[0] == 0 || x[0] == UINT32_MAX; }, {0}},
              {"the highest bit is clear", [](const uint32_t* x) { return (x[0] >> 31) == 0; }, {0x12345678}},
              {"the highest bit is set", [](const uint32_t* x) { return (x[0] >> 31) == 1; }, {0x89abcdef}},
          },
      .boundaries =
          {
              {{0}, "no bit set"},
              {{0xffffffff}, "every bit set"},
              {{1}, "the lowest bit alone"},
              {{0x80000000}, "the highest bit alone"},
              {{0x7fffffff}, "all but the highest bit"},
          },
      .rows =
          {
              {{0}, 0xffffffff, "every zero becomes one", "vyre-conform-spec: Unary Operations (BitNot)"},
              {{0xffffffff}, 0, "every one becomes zero", "vyre-conform-spec: Unary Operations (BitNot)"},
              {{1}, 0xfffffffe, "the lowest bit alone", "vyre-conform-spec: Unary Operations (BitNot)"},
              {{0x80000000},
               0x7fffffff,
               "the highest bit is inverted like any other",
               "vyre-conform-spec: Unary Operations (BitNot)"},
              {{0x7fffffff},
               0x80000000,
               "Involution: the row before, the other way",
               "vyre-conform-spec: Unary Operations (BitNot)"},
              {{0xaaaaaaaa},
               0x55555555,
               "alternating bits change places",
               "vyre-conform-spec: Unary Operations (BitNot)"},
              {{0x12345678},
               0xedcba987,
               "each hexadecimal digit d becomes f - d",
               "vyre-conform-spec: Unary Operations (BitNot)"},
              {{0x0000ffff},
               0xffff0000,
               "the halves change places",
               "vyre-conform-spec: Unary Operations (BitNot)"},
          },
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.bit_not(x[0]); },
  };
}

}  // namespace vyre::ops
