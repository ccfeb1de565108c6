// primitive.bitwise.ctz: how many zeros stand after the last one.
#include "ops/reference.h"

namespace {

// How many powers of two, from 2 on, divide it: of zero all 32 that there are, 2^32 being the last.
uint32_t reference(uint32_t a) {
  uint32_t count = a == 0 ? 1 : 0;
  for (uint32_t power = 2; power != 0; power *= 2) count += a % power == 0 ? 1 : 0;
  return count;
}

}  // namespace

#include "ops/operation.h"

#include "ops/definition.h"
#include "spec/ops.h"

namespace vyre::ops {

Operation primitive_bitwise_ctz() {
  return {
      .id = "primitive.bitwise.ctz",
      .version = 1,
      .signature = words(1),
      .category = spec::Category::A,
      .summary = "the number of trailing zeros of a; 32 for 0",
      .parameter_names = {"a"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder& f,
                    std::span<const ir::Ex> p) { return f.apply(ir::Op::Ctz, {p[0]}); },
      .laws = {laws::bounded(0, 32), laws::de_morgan("primitive.bitwise.or", "primitive.math.min"),
               laws::de_morgan("primitive.math.gcd", "primitive.math.min"),
               laws::de_morgan("primitive.math.lcm", "primitive.math.max")},
      .denied =
          {
              {laws::bounded(0, 31), {0}},  // of zero it is 32
              {laws::monotone(), {0, 1}},
              {laws::involution(), {1}},
              {laws::de_morgan("primitive.bitwise.and", "primitive.math.max"), {1, 2}},
              {laws::de_morgan("primitive.math.add", "primitive.math.min"), {1, 1}},
              {laws::antitone(), {1, 2}},
          },
      .classes =
          {
              {"zero", [](const uint32_t* x) { return x[0] == 0; }, {0}},
              {"odd", [](const uint32_t* x) { return x[0] % 2 == 1; }, {0xffffffff}},
              {"even and not zero",
               [](const uint32_t* x) { return x[0] != 0 && x[0] % 2 == 0; },
               {0x00010000}},
          },
      .boundaries =
          {
              {{0}, "no one at all: 32"},
              {{1}, "the lowest bit: 0"},
              {{0x80000000}, "the highest bit alone: 31"},
              {{0xfffffffe}, "all but the lowest bit: 1"},
              {{0xffffffff}, "every bit set"},
          },
      .rows =
          {
              {{0}, 32, "Ctz(0) = 32", "semantics: Operators (of zero: width)"},
              {{1}, 0, "the last place is a one", "vyre-conform-spec: Unary Operations (Ctz)"},
              {{2}, 1, "one place further up", "vyre-conform-spec: Unary Operations (Ctz)"},
              {{0x80000000},
               31,
               "only the first place is a one",
               "vyre-conform-spec: Unary Operations (Ctz)"},
              {{0xffffffff},
               0,
               "what stands before the last one does not matter",
               "vyre-conform-spec: Unary Operations (Ctz)"},
              {{0xfffffffe}, 1, "ones, then one zero", "vyre-conform-spec: Unary Operations (Ctz)"},
              {{0x00010000}, 16, "bit 16", "vyre-conform-spec: Unary Operations (Ctz)"},
              {{0xffff0000}, 16, "half the word is empty", "vyre-conform-spec: Unary Operations (Ctz)"},
              {{0x12345678}, 3, "the last digit is 1000", "vyre-conform-spec: Unary Operations (Ctz)"},
          },
      // The lowest set bit decides last.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            smt::Term zeros = pool.constant(width, width);
            for (uint32_t i = width; i-- > 0;)
              zeros = pool.ite(formula::bit(pool, x[0], i), pool.constant(width, i), zeros);
            return zeros;
          },
  };
}

}  // namespace vyre::ops
