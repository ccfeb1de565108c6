// primitive.math.abs_diff: the distance between two words, unsigned.
#include "ops/reference.h"

namespace {

// The difference in 64 bits, without its sign.
uint32_t reference(uint32_t a, uint32_t b) {
  const int64_t difference = int64_t{a} - b;
  return static_cast<uint32_t>(difference < 0 ? -difference : difference);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_abs_diff() {
  return {
      .id = "primitive.math.abs_diff",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "|a - b|, unsigned",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder& f,
                    std::span<const ir::Ex> p) { return f.select(p[0] < p[1], p[1] - p[0], p[0] - p[1]); },
      .laws = {laws::commutative(), laws::identity(0), laws::self_inverse(0)},
      .denied =
          {
              {laws::associative(), {1, 2, 3}},  // ||1 - 2| - 3| is 2, |1 - |2 - 3|| is 0
              {laws::idempotent(), {1}},
              {laws::absorbing(0xffffffff), {1}},
              {laws::distributive_over("primitive.math.add"), {1, 1, 1}},
              {laws::zero_product(), {1, 1}},
              {laws::inverse_of("primitive.math.add"), {0xffffffff, 2}},  // the sum wraps to 1
          },
      .classes =
          {
              {"a is greater",
               [](const uint32_t* x) { return x[0] > x[1] && x[0] - x[1] < 0x80000000; },
               {8, 3}},
              {"a is less",
               [](const uint32_t* x) { return x[0] < x[1] && x[1] - x[0] < 0x80000000; },
               {3, 8}},
              {"equal: 0", [](const uint32_t* x) { return x[0] == x[1]; }, {5, 5}},
              {"half the range apart or more: the distance does not fit an i32",
               [](const uint32_t* x) { return (x[0] > x[1] ? x[0] - x[1] : x[1] - x[0]) >= 0x80000000; },
               {0, 0xffffffff}},
          },
      .boundaries =
          {
              {{0, 0}, "both at the least"},
              {{0, 0xffffffff}, "the greatest distance"},
              {{0xffffffff, 0}, "the greatest distance, the other way"},
              {{0x7fffffff, 0x80000000}, "neighbours across the sign bit"},
              {{0xffffffff, 0xffffffff}, "both at the greatest"},
          },
      .rows =
          {
              {{8, 3}, 5, "the greater first", "semantics: The primitives (abs_diff: unsigned)"},
              {{3, 8}, 5, "Commutative", "semantics: The primitives (abs_diff: unsigned)"},
              {{5, 5}, 0, "SelfInverse(0)", "semantics: The primitives (abs_diff: unsigned)"},
              {{0, 0x12345678}, 0x12345678, "Identity(0)", "semantics: The primitives (abs_diff: unsigned)"},
              {{0, 0xffffffff},
               0xffffffff,
               "the greatest distance: unsigned, not |0 - -1|",
               "semantics: The primitives (abs_diff: unsigned)"},
              {{0xffffffff, 1},
               0xfffffffe,
               "unsigned: not |-1 - 1|",
               "semantics: The primitives (abs_diff: unsigned)"},
              {{0x7fffffff, 0x80000000},
               1,
               "neighbours across the sign bit",
               "semantics: The primitives (abs_diff: unsigned)"},
              {{0x80000000, 0},
               0x80000000,
               "half the range",
               "semantics: The primitives (abs_diff: unsigned)"},
              {{0xffffffff, 0xffffffff},
               0,
               "SelfInverse(0) at the greatest",
               "semantics: The primitives (abs_diff: unsigned)"},
          },
      .identities =
          {
              {{{}, {}}, 0, "no distance from itself", "semantics: The primitives (abs_diff)"},
              {{{}, 0}, {}, "the distance from zero", "semantics: The primitives (abs_diff)"},
              {{0, {}}, {}, "unsigned, either way round", "semantics: The primitives (abs_diff)"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.ite(pool.ule(x[1], x[0]), pool.sub(x[0], x[1]), pool.sub(x[1], x[0]));
          },
  };
}

}  // namespace vyre::ops
