// primitive.bitwise.popcount_sw: how many bits are set, in software: sums in parallel inside the word.
// It gives what primitive.bitwise.popcount gives, where a target has no instruction for it.
#include "ops/reference.h"

namespace {

// Looks at each bit.
uint32_t reference(uint32_t a) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < 32; ++i) count += (a >> i) & 1;
  return count;
}

}  // namespace

#include "ops/operation.h"

#include "ops/definition.h"
#include "spec/ops.h"

namespace vyre::ops {

Operation primitive_bitwise_popcount_sw() {
  return {
      .id = "primitive.bitwise.popcount_sw",
      .version = 1,
      .signature = words(1),
      .category = spec::Category::A,
      .summary = "the number of set bits of a, without a popcount instruction",
      .parameter_names = {"a"},
      .reference = reference_of<reference>,
      // No field overflows: a pair sums to at most 2, a nibble to 4, a byte to 8. The multiplication by
      // 01010101 leaves the sum of all four bytes, at most 32, in the highest one.
      .compose =
          [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
            const ir::Ex pairs = f.let("pairs", p[0] - ((p[0] >> 1) & 0x55555555u));
            const ir::Ex nibbles = f.let("nibbles", (pairs & 0x33333333u) + ((pairs >> 2) & 0x33333333u));
            const ir::Ex octets = f.let("octets", (nibbles + (nibbles >> 4)) & 0x0f0f0f0fu);
            return (octets * 0x01010101u) >> 24;
          },
      .laws = {laws::bounded(0, 32), laws::custom("counts_ones", 1,
                                                  [](ir::FunctionBuilder& f, std::span<const ir::Ex> v) {
                                                    return f.call("primitive.bitwise.popcount_sw", {v[0]}) ==
                                                           f.apply(spec::Op::Popcount, {v[0]});
                                                  })},
      .denied =
          {
              {laws::bounded(0, 31), {0xffffffff}},
              {laws::monotone(), {7, 8}},
              {laws::involution(), {2}},
              {laws::complement("primitive.bitwise.popcount", 32), {0}},  // what makes 32 is the count of ~a
          },
      .classes =
          {
              {"at most the low byte is used", [](const uint32_t* x) { return x[0] < 0x100; }, {0xff}},
              {"the low half is used",
               [](const uint32_t* x) { return x[0] >= 0x100 && x[0] < 0x10000; },
               {0xff00}},
              {"the high half is used, the low byte is empty",
               [](const uint32_t* x) { return x[0] >= 0x10000 && (x[0] & 0xff) == 0; },
               {0xff000000}},
              {"the highest and the lowest bytes are used",
               [](const uint32_t* x) { return x[0] >= 0x10000 && (x[0] & 0xff) != 0; },
               {0x01010101}},
          },
      .boundaries =
          {
              {{0}, "every partial sum is 0"},
              {{0xffffffff}, "every partial sum is at its greatest: 2 a pair, 4 a nibble, 8 a byte, 32"},
              {{0x55555555}, "the lower bit of each pair"},
              {{0xaaaaaaaa}, "the upper bit of each pair"},
              {{0x01010101}, "one bit a byte: the multiplication adds four ones"},
              {{0xff000000}, "the highest byte alone"},
          },
      .rows =
          {
              {{0}, 0, "of zero: 0", "semantics: The primitives (popcount_sw)"},
              {{1}, 1, "the lowest bit counts", "semantics: The primitives (popcount_sw)"},
              {{0x80000000}, 1, "the highest bit counts", "semantics: The primitives (popcount_sw)"},
              {{0xffffffff},
               32,
               "four bytes of eight: the sum fits the highest byte",
               "semantics: The primitives (popcount_sw)"},
              {{0x55555555}, 16, "one bit a pair, the lower one", "semantics: The primitives (popcount_sw)"},
              {{0xaaaaaaaa}, 16, "one bit a pair, the upper one", "semantics: The primitives (popcount_sw)"},
              {{0x33333333}, 16, "one full pair a nibble", "semantics: The primitives (popcount_sw)"},
              {{0xff000000},
               8,
               "the highest byte reaches the sum without being multiplied away",
               "semantics: The primitives (popcount_sw)"},
              {{0x0000ff00}, 8, "the second byte alone", "semantics: The primitives (popcount_sw)"},
              {{0x01010101}, 4, "one bit a byte", "semantics: The primitives (popcount_sw)"},
              {{0x0badf00d}, 15, "by digit: 0 3 2 3 4 0 0 3", "semantics: The primitives (popcount_sw)"},
          },
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return formula::ones(pool, x[0]); },
  };
}

}  // namespace vyre::ops
