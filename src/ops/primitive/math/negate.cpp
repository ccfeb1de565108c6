// primitive.math.negate: two's complement.
#include "ops/reference.h"

namespace {

// What is missing to 2^32, in 64 bits.
uint32_t reference(uint32_t a) { return static_cast<uint32_t>((uint64_t{1} << 32) - a); }

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_negate() {
  return {
      .id = "primitive.math.negate",
      .version = 1,
      .signature = words(1),
      .category = spec::Category::A,
      .summary = "-a, which is ~a + 1",
      .parameter_names = {"a"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return -p[0]; },
      .laws = {laws::involution(), laws::de_morgan("primitive.math.add", "primitive.math.add"),
               laws::de_morgan("primitive.math.sub", "primitive.math.sub")},
      .denied =
          {
              {laws::monotone(), {1, 2}},
              {laws::de_morgan("primitive.math.mul", "primitive.math.mul"), {1, 1}},
              {laws::de_morgan("primitive.math.min", "primitive.math.max"), {0, 1}},  // zero stays the least
              {laws::complement("primitive.bitwise.not", 0), {0}},
              {laws::antitone(), {0, 1}},  // zero stays the least
          },
      .classes =
          {
              {"its own negative: 0 and 80000000",
               [](const uint32_t* x) { return x[0] == 0 || x[0] == 0x80000000; },
               {0x80000000}},
              {"the sign bit is clear",
               [](const uint32_t* x) { return x[0] != 0 && x[0] < 0x80000000; },
               {5}},
              {"the sign bit is set", [](const uint32_t* x) { return x[0] > 0x80000000; }, {0xfffffffb}},
          },
      .boundaries =
          {
              {{0}, "its own negative"},
              {{1}, "becomes all ones"},
              {{0x80000000}, "its own negative, as i32 too"},
              {{0x7fffffff}, "the greatest as i32"},
              {{0xffffffff}, "the greatest word, which is -1"},
          },
      .rows =
          {
              {{0}, 0, "(~0) + 1 wraps to 0", "vyre-conform-spec: Unary Operations (Negate)"},
              {{1}, 0xffffffff, "(~1) + 1", "vyre-conform-spec: Unary Operations (Negate)"},
              {{0xffffffff},
               1,
               "Involution: the row before, the other way",
               "vyre-conform-spec: Unary Operations (Negate)"},
              {{5}, 0xfffffffb, "(~5) + 1 = fffffffa + 1", "vyre-conform-spec: Unary Operations (Negate)"},
              {{0x80000000},
               0x80000000,
               "(~80000000) + 1 = 7fffffff + 1",
               "vyre-conform-spec: Unary Operations (Negate)"},
              {{0x7fffffff}, 0x80000001, "-(2^31 - 1)", "vyre-conform-spec: Unary Operations (Negate)"},
              {{0x80000001}, 0x7fffffff, "and back", "vyre-conform-spec: Unary Operations (Negate)"},
              {{0x12345678},
               0xedcba988,
               "(~12345678) + 1 = edcba987 + 1",
               "vyre-conform-spec: Unary Operations (Negate)"},
              {{0x00010000},
               0xffff0000,
               "the low zeros stay",
               "vyre-conform-spec: Unary Operations (Negate)"},
          },
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.neg(x[0]); },
  };
}

}  // namespace vyre::ops
