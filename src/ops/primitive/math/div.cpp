// primitive.math.div: the quotient, rounded down; by zero it is zero.
#include "ops/reference.h"

namespace {

// Long division, one binary digit at a time. Without branches, and unrolled, columns of it are vectors.
uint32_t reference(uint32_t a, uint32_t b) {
  uint64_t rest = 0;
  uint32_t quotient = 0;
#pragma GCC unroll 32
  for (uint32_t i = 0; i < 32; ++i) {
    rest = rest * 2 + ((a >> (31 - i)) & 1);
    const bool fits = rest >= b;
    rest -= fits ? b : 0;
    quotient = quotient * 2 + (fits ? 1 : 0);
  }
  return b == 0 ? 0 : quotient;
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_div() {
  return {
      .id = "primitive.math.div",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a / b rounded down; 0 if b is 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] / p[1]; },
      .laws = {laws::right_identity(1), laws::left_absorbing(0), laws::right_absorbing(0)},
      .denied =
          {
              {laws::commutative(), {2, 1}},
              {laws::associative(), {8, 4, 2}},  // (8 / 4) / 2 is 1, 8 / (4 / 2) is 4
              {laws::identity(1), {2}},          // 2 / 1 is 2, 1 / 2 is not: it holds on one side only
              {laws::self_inverse(1), {0}},      // 0 / 0 is 0
              {laws::idempotent(), {2}},
              {laws::distributive_over("primitive.math.add"), {4, 1, 1}},
              {laws::left_identity(1), {2}},
              {laws::zero_product(), {1, 2}},
              {laws::inverse_of("primitive.math.mul"), {0x80000000, 2}},  // what wrapped is lost
          },
      .classes =
          {
              {"by zero", [](const uint32_t* x) { return x[1] == 0; }, {5, 0}},
              {"the divisor is greater: 0", [](const uint32_t* x) { return x[1] > x[0]; }, {3, 10}},
              {"without a remainder",
               [](const uint32_t* x) { return x[1] != 0 && x[1] <= x[0] && x[0] % x[1] == 0; },
               {12, 4}},
              {"with a remainder",
               [](const uint32_t* x) { return x[1] != 0 && x[1] <= x[0] && x[0] % x[1] != 0; },
               {10, 3}},
          },
      .boundaries =
          {
              {{0, 0}, "zero by zero"},
              {{0xffffffff, 0}, "the greatest by zero"},
              {{0xffffffff, 1}, "the greatest quotient"},
              {{0xffffffff, 0xffffffff}, "equal at the greatest"},
              {{0x80000000, 0xffffffff}, "what would overflow as signed numbers: MIN by -1"},
          },
      .rows =
          {
              {{10, 3}, 3, "truncating", "binary-operations: Div"},
              {{5, 0}, 0, "div by zero = 0, permanent", "binary-operations: Div"},
              {{0, 0}, 0, "div by zero = 0, also of zero", "binary-operations: Div"},
              {{0xffffffff, 1}, 0xffffffff, "the greatest quotient", "binary-operations: Div"},
              {{0xffffffff, 0xffffffff}, 1, "equal operands", "binary-operations: Div"},
              {{0xffffffff, 0}, 0, "not ffffffff, which some devices give", "binary-operations: Div"},
              {{0, 7}, 0, "0 / b = 0", "binary-operations: Div"},
              {{0x80000000, 0xffffffff},
               0,
               "unsigned: the divisor is greater",
               "binary-operations: Div (unsigned)"},
              {{0xfffffffe, 2}, 0x7fffffff, "unsigned: not -2 / 2", "binary-operations: Div (unsigned)"},
              {{0xffffffff, 0x10000},
               0xffff,
               "truncating: ffff and a remainder of ffff",
               "binary-operations: Div"},
          },
      .identities =
          {
              {{{}, 1}, {}, "x ones fit into x", "binary-operations: Div"},
              {{{}, 0}, 0, "division by zero is zero", "binary-operations: Div"},
              {{0, {}}, 0, "nothing divided, by zero too", "binary-operations: Div"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.ite(pool.is_zero(x[1]), pool.constant(pool.width(x[0]), 0), pool.udiv(x[0], x[1]));
          },
  };
}

}  // namespace vyre::ops
