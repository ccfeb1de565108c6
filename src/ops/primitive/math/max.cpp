// primitive.math.max: the greater of two words, unsigned.
#include "ops/reference.h"

namespace {

// Half of the sum and half of the distance, in 64 bits.
uint32_t reference(uint32_t a, uint32_t b) {
  const int64_t sum = int64_t{a} + b;
  const int64_t distance = a < b ? int64_t{b} - a : int64_t{a} - b;
  return static_cast<uint32_t>((sum + distance) / 2);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_max() {
  return {
      .id = "primitive.math.max",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "the greater of a and b, unsigned",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder& f,
                    std::span<const ir::Ex> p) { return f.select(p[0] < p[1], p[1], p[0]); },
      .laws = {laws::commutative(), laws::associative(), laws::identity(0), laws::idempotent(),
               laws::absorbing(0xffffffff), laws::distributive_over("primitive.math.min"),
               laws::lattice_absorption("primitive.math.min"), laws::zero_product()},
      .denied =
          {
              {laws::identity(0x80000000), {0}},            // it would be, of signed numbers
              {laws::absorbing(0x7fffffff), {0xffffffff}},  // it would be, of signed numbers
              {laws::identity(0xffffffff), {1}},
              {laws::self_inverse(0), {1}},
              {laws::distributive_over("primitive.math.add"), {1, 0, 0}},
              {laws::lattice_absorption("primitive.math.add"), {0, 1}},
          },
      .classes =
          {
              {"a is less",
               [](const uint32_t* x) { return x[0] < x[1] && (x[0] ^ x[1]) < 0x80000000; },
               {3, 8}},
              {"a is greater",
               [](const uint32_t* x) { return x[0] > x[1] && (x[0] ^ x[1]) < 0x80000000; },
               {8, 3}},
              {"equal", [](const uint32_t* x) { return x[0] == x[1]; }, {5, 5}},
              {"one has the sign bit: as signed numbers the answer would be the other",
               [](const uint32_t* x) { return (x[0] ^ x[1]) >= 0x80000000; },
               {0xffffffff, 1}},
          },
      .boundaries =
          {
              {{0, 0xffffffff}, "the identity meets the absorbing element"},
              {{0xffffffff, 0xffffffff}, "equal at the greatest"},
              {{0x7fffffff, 0x80000000}, "the two sides of the sign bit"},
              {{0, 0}, "equal at the least"},
              {{0xfffffffe, 0xffffffff}, "neighbours at the greatest"},
          },
      .rows =
          {
              {{3, 8}, 8, "the greater stands second", "semantics: The primitives (max: unsigned)"},
              {{8, 3}, 8, "Commutative", "semantics: The primitives (max: unsigned)"},
              {{5, 5}, 5, "Idempotent", "semantics: The primitives (max: unsigned)"},
              {{0, 0xffffffff},
               0xffffffff,
               "unsigned: ffffffff is the greatest, not -1",
               "semantics: The primitives (max: unsigned)"},
              {{0xffffffff, 0},
               0xffffffff,
               "the same, the other way",
               "semantics: The primitives (max: unsigned)"},
              {{0x7fffffff, 0x80000000},
               0x80000000,
               "unsigned: 80000000 is not negative",
               "semantics: The primitives (max: unsigned)"},
              {{0, 0x12345678}, 0x12345678, "Identity(0)", "semantics: The primitives (max: unsigned)"},
              {{0xfffffffe, 0xffffffff},
               0xffffffff,
               "neighbours at the greatest",
               "semantics: The primitives (max: unsigned)"},
              {{0, 0}, 0, "Idempotent at the least", "semantics: The primitives (max: unsigned)"},
          },
      .identities =
          {
              {{{}, {}}, {}, "the greater of two that are equal", "semantics: The primitives (max)"},
              {{0, {}}, {}, "zero is the least word", "semantics: The primitives (max)"},
              {{0xffffffff, {}}, 0xffffffff, "no word is greater", "semantics: The primitives (max)"},
          },
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.ite(pool.ule(x[0], x[1]), x[1], x[0]); },
  };
}

}  // namespace vyre::ops
