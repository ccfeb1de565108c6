// primitive.math.min: the lesser of two words, unsigned.
#include "ops/reference.h"

namespace {

// Half of the sum less half of the distance, in 64 bits.
uint32_t reference(uint32_t a, uint32_t b) {
  const int64_t sum = int64_t{a} + b;
  const int64_t distance = a < b ? int64_t{b} - a : int64_t{a} - b;
  return static_cast<uint32_t>((sum - distance) / 2);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_min() {
  return {
      .id = "primitive.math.min",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "the lesser of a and b, unsigned",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder& f,
                    std::span<const ir::Ex> p) { return f.select(p[0] < p[1], p[0], p[1]); },
      .laws = {laws::commutative(), laws::associative(), laws::identity(0xffffffff), laws::idempotent(),
               laws::absorbing(0), laws::distributive_over("primitive.math.max"),
               laws::distributive_over("primitive.compare.logical_and"),
               laws::distributive_over("primitive.compare.logical_or"),
               laws::lattice_absorption("primitive.math.max"), laws::zero_product()},
      .denied =
          {
              {laws::identity(0x7fffffff), {0xffffffff}},  // it would be, of signed numbers
              {laws::absorbing(0x80000000), {0}},          // it would be, of signed numbers
              {laws::identity(0), {1}},
              {laws::self_inverse(0), {1}},
              {laws::distributive_over("primitive.math.add"), {1, 1, 1}},
              {laws::lattice_absorption("primitive.math.add"),
               {1, 0xffffffff}},  // the sum wraps; of numbers it would hold
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
              {{0, 0xffffffff}, "the absorbing element meets the identity"},
              {{0xffffffff, 0xffffffff}, "equal at the greatest"},
              {{0x7fffffff, 0x80000000}, "the two sides of the sign bit"},
              {{0, 0}, "equal at the least"},
              {{0xfffffffe, 0xffffffff}, "neighbours at the greatest"},
          },
      .rows =
          {
              {{3, 8}, 3, "the lesser stands first", "semantics: The primitives (min: unsigned)"},
              {{8, 3}, 3, "Commutative", "semantics: The primitives (min: unsigned)"},
              {{5, 5}, 5, "Idempotent", "semantics: The primitives (min: unsigned)"},
              {{0, 0xffffffff},
               0,
               "unsigned: ffffffff is the greatest, not -1",
               "semantics: The primitives (min: unsigned)"},
              {{0xffffffff, 0}, 0, "the same, the other way", "semantics: The primitives (min: unsigned)"},
              {{0x7fffffff, 0x80000000},
               0x7fffffff,
               "unsigned: 80000000 is not negative",
               "semantics: The primitives (min: unsigned)"},
              {{0xffffffff, 0x12345678},
               0x12345678,
               "Identity(ffffffff)",
               "semantics: The primitives (min: unsigned)"},
              {{0xfffffffe, 0xffffffff},
               0xfffffffe,
               "neighbours at the greatest",
               "semantics: The primitives (min: unsigned)"},
              {{0xffffffff, 0xffffffff},
               0xffffffff,
               "Idempotent at the greatest",
               "semantics: The primitives (min: unsigned)"},
          },
      .identities =
          {
              {{{}, {}}, {}, "the lesser of two that are equal", "semantics: The primitives (min)"},
              {{0, {}}, 0, "zero is the least word", "semantics: The primitives (min)"},
              {{0xffffffff, {}}, {}, "no word is greater", "semantics: The primitives (min)"},
          },
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.ite(pool.ult(x[1], x[0]), x[1], x[0]); },
  };
}

}  // namespace vyre::ops
