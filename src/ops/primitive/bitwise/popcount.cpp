// primitive.bitwise.popcount: how many bits are set.
#include "ops/reference.h"

namespace {

// a & (a - 1) is a without its lowest one; so many times until nothing is left.
uint32_t reference(uint32_t a) {
  uint32_t count = 0;
  for (; a != 0; a &= a - 1) ++count;
  return count;
}

}  // namespace

#include "ops/operation.h"

#include "ops/definition.h"
#include "spec/ops.h"

namespace vyre::ops {

Operation primitive_bitwise_popcount() {
  return {
      .id = "primitive.bitwise.popcount",
      .version = 1,
      .signature = words(1),
      .category = spec::Category::A,
      .summary = "the number of set bits of a",
      .parameter_names = {"a"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder& f,
                    std::span<const ir::Ex> p) { return f.apply(ir::Op::Popcount, {p[0]}); },
      .laws = {laws::bounded(0, 32),
               laws::custom("ones_and_zeros", 1,
                            [](ir::FunctionBuilder& f, std::span<const ir::Ex> v) {
                              const ir::Ex ones = f.call("primitive.bitwise.popcount", {v[0]});
                              return ones + f.call("primitive.bitwise.popcount", {~v[0]}) == 32;
                            })},
      .denied =
          {
              {laws::bounded(0, 31), {0xffffffff}},
              {laws::monotone(), {3, 4}},
              {laws::involution(), {2}},
              {laws::de_morgan("primitive.bitwise.and", "primitive.math.min"), {1, 2}},
              {laws::de_morgan("primitive.bitwise.xor", "primitive.math.add"), {1, 1}},
              {laws::antitone(), {0, 1}},
          },
      .classes =
          {
              {"zero", [](const uint32_t* x) { return x[0] == 0; }, {0}},
              {"one bit", [](const uint32_t* x) { return x[0] != 0 && (x[0] & (x[0] - 1)) == 0; }, {0x400}},
              {"all bits", [](const uint32_t* x) { return x[0] == UINT32_MAX; }, {0xffffffff}},
              {"two to 31 bits",
               [](const uint32_t* x) { return (x[0] & (x[0] - 1)) != 0 && x[0] != UINT32_MAX; },
               {0xf0}},
          },
      .boundaries =
          {
              {{0}, "no bit set: 0"},
              {{1}, "the lowest bit alone"},
              {{0x80000000}, "the highest bit alone"},
              {{0xffffffff}, "every bit set: 32"},
              {{0x7fffffff}, "all but one: 31"},
          },
      .rows =
          {
              {{0}, 0, "of zero: 0", "semantics: Operators (Popcount)"},
              {{1}, 1, "the lowest bit counts", "vyre-conform-spec: Unary Operations (Popcount)"},
              {{0x80000000},
               1,
               "the highest bit counts, there is no sign",
               "vyre-conform-spec: Unary Operations (Popcount)"},
              {{0xffffffff}, 32, "the greatest count", "vyre-conform-spec: Unary Operations (Popcount)"},
              {{0x7fffffff}, 31, "all but the highest", "vyre-conform-spec: Unary Operations (Popcount)"},
              {{0xaaaaaaaa}, 16, "every other bit", "vyre-conform-spec: Unary Operations (Popcount)"},
              {{0x12345678},
               13,
               "by digit: 1 1 2 1 2 2 3 1",
               "vyre-conform-spec: Unary Operations (Popcount)"},
              {{0xdeadbeef},
               24,
               "by digit: 3 3 2 3 3 3 3 4",
               "vyre-conform-spec: Unary Operations (Popcount)"},
              {{0x00ff00ff}, 16, "two whole bytes", "vyre-conform-spec: Unary Operations (Popcount)"},
          },
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return formula::ones(pool, x[0]); },
  };
}

}  // namespace vyre::ops
