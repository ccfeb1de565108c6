// primitive.math.sub: the difference, wrapping.
#include "ops/reference.h"

namespace {

// Adds what is missing from b to 2^32, in 64 bits.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t missing = (uint64_t{1} << 32) - b;
  return static_cast<uint32_t>(a + missing);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_sub() {
  return {
      .id = "primitive.math.sub",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a - b, wrapping",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] - p[1]; },
      .laws = {laws::self_inverse(0), laws::right_identity(0), laws::inverse_of("primitive.math.add")},
      .denied =
          {
              {laws::commutative(), {1, 0}},
              {laws::associative(), {0, 0, 1}},  // (0 - 0) - 1 is -1, 0 - (0 - 1) is 1
              {laws::identity(0), {1}},          // 1 - 0 is 1, 0 - 1 is not: it holds on one side only
              {laws::idempotent(), {1}},
              {laws::absorbing(0), {1}},
              {laws::left_identity(0), {1}},
              {laws::zero_product(), {1, 1}},
          },
      .classes =
          {
              {"the difference does not wrap", [](const uint32_t* x) { return x[0] >= x[1]; }, {5, 3}},
              {"the difference wraps", [](const uint32_t* x) { return x[0] < x[1]; }, {0, 1}},
          },
      .boundaries =
          {
              {{0, 0}, "both operands at their least"},
              {{0, 1}, "the least that wraps"},
              {{0, 0xffffffff}, "the farthest that wraps: 1"},
              {{0xffffffff, 0xffffffff}, "both operands at their greatest"},
              {{0x80000000, 1}, "a borrow from the sign bit"},
          },
      .rows =
          {
              {{5, 3}, 2, "a small difference", "binary-operations: Sub"},
              {{0, 1}, 0xffffffff, "wrapping underflow", "binary-operations: Sub"},
              {{0, 0}, 0, "SelfInverse(0)", "binary-operations: Sub"},
              {{0xffffffff, 0xffffffff}, 0, "SelfInverse(0) at the greatest", "binary-operations: Sub, laws"},
              {{0x12345678, 0}, 0x12345678, "a - 0 = a, the one side that holds", "binary-operations: Sub"},
              {{0, 0xffffffff}, 1, "0 - -1 is 1", "semantics: Operators (wrapping)"},
              {{0x80000000, 1},
               0x7fffffff,
               "a borrow runs through 31 bits",
               "semantics: Operators (wrapping)"},
              {{3, 5}, 0xfffffffe, "5 is 2 more: the result is -2", "semantics: Operators (wrapping)"},
              {{0, 0x80000000}, 0x80000000, "2^31 is its own negative", "semantics: Operators (wrapping)"},
          },
      .identities =
          {
              {{{}, 0}, {}, "nothing is taken away", "binary-operations: Sub"},
              {{{}, {}}, 0, "all of it is taken away", "binary-operations: Sub"},
          },
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.sub(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
