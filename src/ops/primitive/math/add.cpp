// primitive.math.add: the sum, wrapping.
#include "ops/reference.h"

namespace {

// Two columns of 16 bits, as paper does it: what does not fit the lower one is carried, what does not fit the
// upper one is lost.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint32_t low = (a & 0xffff) + (b & 0xffff);
  const uint32_t high = (a >> 16) + (b >> 16) + (low >> 16);
  return (high << 16) | (low & 0xffff);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_add() {
  return {
      .id = "primitive.math.add",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a + b, wrapping",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] + p[1]; },
      .laws = {laws::commutative(), laws::associative(), laws::identity(0),
               laws::inverse_of("primitive.math.sub")},
      .denied =
          {
              {laws::self_inverse(0), {1}},
              {laws::idempotent(), {1}},
              {laws::absorbing(0xffffffff), {1}},  // it wraps; add_sat is the one that stays
              {laws::distributive_over("primitive.math.mul"), {1, 1, 1}},
              {laws::zero_product(), {1, 0xffffffff}},
          },
      .classes =
          {
              {"the sum fits", [](const uint32_t* x) { return x[0] <= UINT32_MAX - x[1]; }, {5, 7}},
              {"the sum wraps", [](const uint32_t* x) { return x[0] > UINT32_MAX - x[1]; }, {0xffffffff, 1}},
          },
      .boundaries =
          {
              {{0, 0}, "both operands at their least"},
              {{0xffffffff, 1}, "the least sum that wraps"},
              {{0xffffffff, 0}, "the greatest sum that does not wrap"},
              {{0xffffffff, 0xffffffff}, "both operands at their greatest"},
              {{0x7fffffff, 1}, "a carry into the sign bit"},
          },
      .rows =
          {
              {{0, 0}, 0, "zero is the identity, on both sides at once", "binary-operations: Add"},
              {{1, 1}, 2, "the carry goes to the next bit", "binary-operations: Add"},
              {{0xffffffff, 1}, 0, "wrapping overflow", "binary-operations: Add"},
              {{0xffffffff, 0xffffffff}, 0xfffffffe, "-1 + -1 is -2", "binary-operations: Add"},
              {{0, 0x12345678}, 0x12345678, "Identity(0) on the left", "binary-operations: Add, laws"},
              {{0x12345678, 0}, 0x12345678, "Identity(0) on the right", "binary-operations: Add, laws"},
              {{0x7fffffff, 1},
               0x80000000,
               "a carry runs through 31 bits",
               "semantics: Operators (wrapping)"},
              {{0x80000000, 0x80000000},
               0,
               "the carry out of the highest bit is lost",
               "semantics: Operators (wrapping)"},
              {{0xffff0000, 0x0001ffff},
               0xffff,
               "ffff0000 + 10000 wraps to 0 and ffff remains",
               "semantics: Operators (wrapping)"},
          },
      .identities =
          {
              {{0, {}}, {}, "nothing is added", "binary-operations: Add"},
              {{{}, 0}, {}, "nothing is added", "binary-operations: Add"},
          },
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.add(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
