// primitive.math.mod: the remainder of the division; by zero it is zero.
#include "ops/reference.h"

namespace {

// What long division leaves, one binary digit at a time. Without branches, and unrolled, columns of it are
// vectors.
uint32_t reference(uint32_t a, uint32_t b) {
  uint64_t rest = 0;
#pragma GCC unroll 32
  for (uint32_t i = 0; i < 32; ++i) {
    rest = rest * 2 + ((a >> (31 - i)) & 1);
    rest -= rest >= b ? b : 0;
  }
  return b == 0 ? 0 : static_cast<uint32_t>(rest);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_mod() {
  return {
      .id = "primitive.math.mod",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "the remainder of a / b; 0 if b is 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] % p[1]; },
      .laws = {laws::self_inverse(0), laws::left_absorbing(0), laws::right_absorbing(0)},
      .denied =
          {
              {laws::commutative(), {10, 3}},
              {laws::associative(), {10, 7, 4}},  // (10 % 7) % 4 is 3, 10 % (7 % 4) is 1
              {laws::identity(0), {1}},           // a % 0 is 0, not a
              {laws::idempotent(), {1}},
              {laws::absorbing(1), {2}},                         // a % 1 is 0
              {laws::right_identity(0xffffffff), {0xffffffff}},  // of every other word it is the word
              {laws::zero_product(), {2, 1}},
          },
      .classes =
          {
              {"by zero", [](const uint32_t* x) { return x[1] == 0; }, {5, 0}},
              {"the divisor is greater: a itself", [](const uint32_t* x) { return x[1] > x[0]; }, {3, 10}},
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
              {{0xffffffff, 1}, "by one"},
              {{0xfffffffe, 0xffffffff}, "the greatest remainder"},
              {{0xffffffff, 0xffffffff}, "equal at the greatest"},
          },
      .rows =
          {
              {{10, 3}, 1, "10 = 3 * 3 + 1", "binary-operations: Mod"},
              {{5, 0}, 0, "mod by zero = 0, permanent", "binary-operations: Mod"},
              {{0, 5}, 0, "nothing is left of nothing", "binary-operations: Mod"},
              {{0, 0}, 0, "SelfInverse(0), including the defined 0 % 0", "binary-operations: Mod, laws"},
              {{0xffffffff, 0}, 0, "not the dividend, which some devices give", "binary-operations: Mod"},
              {{0xffffffff, 1}, 0, "a % 1 = 0 for all a", "binary-operations: Mod, laws"},
              {{0xffffffff, 0xffffffff}, 0, "SelfInverse(0)", "binary-operations: Mod, laws"},
              {{3, 10},
               3,
               "the divisor is greater: a itself",
               "binary-operations: Mod (truncating unsigned remainder)"},
              {{0xffffffff, 0x10000},
               0xffff,
               "the low half",
               "binary-operations: Mod (truncating unsigned remainder)"},
              {{0x80000000, 3},
               2,
               "2^31 = 3 * 715827882 + 2; as -2^31 it would be another",
               "binary-operations: Mod (truncating unsigned remainder)"},
          },
      .identities =
          {
              {{{}, 1}, 0, "one divides every word", "binary-operations: Mod"},
              {{{}, 0}, 0, "modulo zero is zero", "binary-operations: Mod"},
              {{{}, {}}, 0, "a word divides itself, and modulo zero is zero", "binary-operations: Mod"},
              {{0, {}}, 0, "nothing is left of nothing", "binary-operations: Mod"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.ite(pool.is_zero(x[1]), pool.constant(pool.width(x[0]), 0), pool.urem(x[0], x[1]));
          },
  };
}

}  // namespace vyre::ops
