// primitive.bitwise.reverse_bits: the word read from its other end.
#include "ops/reference.h"

namespace {

// Takes the bits off one end and puts them on at the other.
uint32_t reference(uint32_t a) {
  uint32_t out = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    out = out * 2 + a % 2;
    a /= 2;
  }
  return out;
}

}  // namespace

#include "ops/operation.h"

#include "ops/definition.h"
#include "spec/ops.h"

namespace vyre::ops {

Operation primitive_bitwise_reverse_bits() {
  return {
      .id = "primitive.bitwise.reverse_bits",
      .version = 1,
      .signature = words(1),
      .category = spec::Category::A,
      .summary = "bit i of a becomes bit 31 - i",
      .parameter_names = {"a"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder& f,
                    std::span<const ir::Ex> p) { return f.apply(ir::Op::ReverseBits, {p[0]}); },
      .laws = {laws::involution(), laws::de_morgan("primitive.bitwise.and", "primitive.bitwise.and"),
               laws::de_morgan("primitive.bitwise.or", "primitive.bitwise.or"),
               laws::de_morgan("primitive.bitwise.xor", "primitive.bitwise.xor")},
      .denied =
          {
              {laws::monotone(), {1, 2}},
              {laws::de_morgan("primitive.bitwise.and", "primitive.bitwise.or"),
               {1, 0}},  // not turns and into or; a reversal leaves it
              {laws::de_morgan("primitive.math.add", "primitive.math.add"),
               {1, 1}},  // carries run the other way
              {laws::antitone(), {0, 1}},
          },
      .classes =
          {
              {"the same from both ends: 0, ffffffff and other palindromes",
               [](const uint32_t* x) {
                 return x[0] == 0 || x[0] == UINT32_MAX || x[0] == 0x80000001 || x[0] == 0x18181818;
               },
               {0x18181818}},
              {"the lowest bit is set", [](const uint32_t* x) { return x[0] % 2 == 1; }, {1}},
              {"the lowest bit is clear", [](const uint32_t* x) { return x[0] % 2 == 0; }, {0x12345678}},
          },
      .boundaries =
          {
              {{0}, "no bit set"},
              {{0xffffffff}, "every bit set"},
              {{1}, "the lowest bit goes to the highest place"},
              {{0x80000000}, "the highest bit goes to the lowest place"},
              {{0x0000ffff}, "the halves change places"},
          },
      .rows =
          {
              {{0}, 0, "nothing to move", "vyre-conform-spec: Unary Operations (ReverseBits)"},
              {{1},
               0x80000000,
               "ReverseBits(1) = 0x80000000",
               "vyre-conform-spec: Unary Operations (ReverseBits)"},
              {{0x80000000},
               1,
               "Involution: the row before, the other way",
               "vyre-conform-spec: Unary Operations (ReverseBits)"},
              {{2}, 0x40000000, "bit 1 becomes bit 30", "vyre-conform-spec: Unary Operations (ReverseBits)"},
              {{0xffffffff},
               0xffffffff,
               "every bit set, from both ends",
               "vyre-conform-spec: Unary Operations (ReverseBits)"},
              {{0x0000ffff},
               0xffff0000,
               "the halves change places",
               "vyre-conform-spec: Unary Operations (ReverseBits)"},
              {{0xaaaaaaaa},
               0x55555555,
               "alternating bits: the odd places become the even ones",
               "vyre-conform-spec: Unary Operations (ReverseBits)"},
              {{0x12345678},
               0x1e6a2c48,
               "the digits reversed are 8 7 6 5 4 3 2 1, each with its bits reversed: 1 e 6 a 2 c 4 8",
               "vyre-conform-spec: Unary Operations (ReverseBits)"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            return formula::word_of(pool, width,
                                    [&](uint32_t i) { return formula::bit(pool, x[0], width - 1 - i); });
          },
  };
}

}  // namespace vyre::ops
