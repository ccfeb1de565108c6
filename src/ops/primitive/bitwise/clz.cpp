// primitive.bitwise.clz: how many zeros stand before the first one.
#include "ops/reference.h"

namespace {

// Walks down from the highest bit, and counts until a one was met.
uint32_t reference(uint32_t a) {
  uint32_t met = 0, count = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    met |= (a >> (31 - i)) & 1;
    count += 1 - met;
  }
  return count;
}

}  // namespace

#include "ops/operation.h"

#include "ops/definition.h"
#include "spec/ops.h"

namespace vyre::ops {

Operation primitive_bitwise_clz() {
  return {
      .id = "primitive.bitwise.clz",
      .version = 1,
      .signature = words(1),
      .category = spec::Category::A,
      .summary = "the number of leading zeros of a; 32 for 0",
      .parameter_names = {"a"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder& f,
                    std::span<const ir::Ex> p) { return f.apply(ir::Op::Clz, {p[0]}); },
      .laws = {laws::bounded(0, 32), laws::de_morgan("primitive.bitwise.or", "primitive.math.min"),
               laws::de_morgan("primitive.math.max", "primitive.math.min"),
               laws::de_morgan("primitive.math.min", "primitive.math.max"), laws::antitone()},
      .denied =
          {
              {laws::bounded(0, 31), {0}},  // of zero it is 32
              {laws::monotone(), {0, 1}},   // it turns the order round
              {laws::involution(), {1}},
              {laws::de_morgan("primitive.bitwise.and", "primitive.math.max"), {2, 1}},
          },
      .classes =
          {
              {"zero", [](const uint32_t* x) { return x[0] == 0; }, {0}},
              {"the highest bit is set", [](const uint32_t* x) { return x[0] >= 0x80000000; }, {0x80000001}},
              {"the first one is somewhere else",
               [](const uint32_t* x) { return x[0] != 0 && x[0] < 0x80000000; },
               {0x00010000}},
          },
      .boundaries =
          {
              {{0}, "no one at all: 32"},
              {{1}, "the lowest bit alone: 31"},
              {{0x80000000}, "the highest bit: 0"},
              {{0x7fffffff}, "all but the highest bit: 1"},
              {{0xffffffff}, "every bit set"},
          },
      .rows =
          {
              {{0}, 32, "Clz(0) = 32", "vyre-conform-spec: Unary Operations (Clz)"},
              {{1},
               31,
               "only the last place is not a leading zero",
               "vyre-conform-spec: Unary Operations (Clz)"},
              {{2}, 30, "one place further up", "vyre-conform-spec: Unary Operations (Clz)"},
              {{0x80000000}, 0, "the first place is a one", "vyre-conform-spec: Unary Operations (Clz)"},
              {{0xffffffff},
               0,
               "what follows the first one does not matter",
               "vyre-conform-spec: Unary Operations (Clz)"},
              {{0x7fffffff}, 1, "one zero, then ones", "vyre-conform-spec: Unary Operations (Clz)"},
              {{0x00010000}, 15, "bit 16: 31 - 16", "vyre-conform-spec: Unary Operations (Clz)"},
              {{0x0000ffff}, 16, "half the word is empty", "vyre-conform-spec: Unary Operations (Clz)"},
              {{0x12345678}, 3, "the first digit is 0001", "vyre-conform-spec: Unary Operations (Clz)"},
          },
      // The highest set bit decides last.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            smt::Term zeros = pool.constant(width, width);
            for (uint32_t i = 0; i < width; ++i)
              zeros = pool.ite(formula::bit(pool, x[0], i), pool.constant(width, width - 1 - i), zeros);
            return zeros;
          },
  };
}

}  // namespace vyre::ops
