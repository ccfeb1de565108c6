// primitive.math.mul: the low word of the product.
#include "ops/reference.h"

namespace {

// Long multiplication with digits of 16 bits; the product of the two high ones lies above 2^32.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint32_t a_low = a & 0xffff;
  const uint32_t b_low = b & 0xffff;
  const uint32_t cross = (a >> 16) * b_low + a_low * (b >> 16);
  return a_low * b_low + (cross << 16);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_mul() {
  return {
      .id = "primitive.math.mul",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a * b, the low 32 bits of the product",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] * p[1]; },
      .laws = {laws::commutative(), laws::associative(), laws::identity(1), laws::absorbing(0)},
      .denied =
          {
              {laws::identity(0), {1}},
              {laws::idempotent(), {2}},
              {laws::self_inverse(0), {1}},
              {laws::self_inverse(1), {2}},
              {laws::distributive_over("primitive.math.min"), {2, 0x80000000, 1}},
              {laws::zero_product(), {0x10000, 0x10000}},        // neither is zero, and the product is 2^32
              {laws::inverse_of("primitive.math.div"), {1, 2}},  // the remainder is lost
          },
      .classes =
          {
              {"a factor is zero", [](const uint32_t* x) { return x[0] == 0 || x[1] == 0; }, {0, 9}},
              {"the product fits",
               [](const uint32_t* x) {
                 return x[0] != 0 && x[1] != 0 && uint64_t{x[0]} * x[1] <= UINT32_MAX;
               },
               {3, 7}},
              {"the product wraps",
               [](const uint32_t* x) { return uint64_t{x[0]} * x[1] > UINT32_MAX; },
               {0x10000, 0x10001}},
          },
      .boundaries =
          {
              {{0, 0xffffffff}, "zero times the greatest"},
              {{1, 0xffffffff}, "one times the greatest"},
              {{0x10000, 0x10000}, "the least product of powers of two that wraps"},
              {{0xffffffff, 0xffffffff}, "both operands at their greatest"},
              {{0xffff, 0x10001}, "the greatest product of half words that fits: ffffffff"},
          },
      .rows =
          {
              {{3, 7}, 21, "a small product", "binary-operations: Mul"},
              {{0x10000, 0x10000}, 0, "overflow: the full product is 0x100000000", "binary-operations: Mul"},
              {{0xffffffff, 2}, 0xfffffffe, "-1 * 2 is -2", "binary-operations: Mul"},
              {{1, 0x89abcdef}, 0x89abcdef, "Identity(1) on the left", "binary-operations: Mul, laws"},
              {{0x89abcdef, 1}, 0x89abcdef, "Identity(1) on the right", "binary-operations: Mul, laws"},
              {{0, 0xffffffff}, 0, "Absorbing(0) on the left", "binary-operations: Mul, laws"},
              {{0xffffffff, 0}, 0, "Absorbing(0) on the right", "binary-operations: Mul, laws"},
              {{0xffffffff, 0xffffffff}, 1, "-1 * -1 is 1", "binary-operations: Mul (low 32 bits)"},
              {{0xffff, 0x10001},
               0xffffffff,
               "(2^16 - 1)(2^16 + 1) = 2^32 - 1",
               "binary-operations: Mul (low 32 bits)"},
              {{0x80000000, 3}, 0x80000000, "2^31 * 3 = 2^32 + 2^31", "binary-operations: Mul (low 32 bits)"},
          },
      .identities =
          {
              {{0, {}}, 0, "no times x", "binary-operations: Mul"},
              {{1, {}}, {}, "one times x", "binary-operations: Mul"},
              {{{}, 1}, {}, "x times one", "binary-operations: Mul"},
          },
      .define = [](smt::Pool& pool, std::span<const smt::Term> x) { return pool.mul(x[0], x[1]); },
  };
}

}  // namespace vyre::ops
