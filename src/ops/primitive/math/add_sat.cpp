// primitive.math.add_sat: the sum, stopping at the greatest word.
#include "ops/reference.h"

namespace {

// The sum in 64 bits, cut.
uint32_t reference(uint32_t a, uint32_t b) {
  const uint64_t sum = uint64_t{a} + b;
  return sum > 0xffffffff ? 0xffffffff : static_cast<uint32_t>(sum);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_add_sat() {
  return {
      .id = "primitive.math.add_sat",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a + b, at most ffffffff",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      // A wrapped sum is less than each of its operands, a sum that fits is not.
      .compose =
          [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
            const ir::Ex sum = f.let("sum", p[0] + p[1]);
            return f.select(sum < p[0], f.u32(0xffffffff), sum);
          },
      .laws = {laws::commutative(), laws::associative(), laws::identity(0), laws::absorbing(0xffffffff),
               laws::distributive_over("primitive.math.min"), laws::distributive_over("primitive.math.max"),
               laws::zero_product()},
      .denied =
          {
              {laws::idempotent(), {1}},
              {laws::self_inverse(0), {1}},
              {laws::absorbing(0), {1}},
              {laws::distributive_over("primitive.math.add"), {1, 0, 0}},
              {laws::inverse_of("primitive.math.sub_sat"), {0, 1}},
          },
      .classes =
          {
              {"the sum fits", [](const uint32_t* x) { return x[0] <= UINT32_MAX - x[1]; }, {5, 7}},
              {"the sum is cut", [](const uint32_t* x) { return x[0] > UINT32_MAX - x[1]; }, {0xffffffff, 1}},
          },
      .boundaries =
          {
              {{0, 0}, "both operands at their least"},
              {{0xffffffff, 0}, "the greatest sum that fits"},
              {{0xffffffff, 1}, "the least sum that is cut"},
              {{0xffffffff, 0xffffffff}, "the greatest sum of all"},
              {{0x7fffffff, 0x80000000}, "fits exactly: ffffffff"},
              {{0x80000000, 0x80000000}, "cut, where a wrapped sum would be 0"},
          },
      .rows =
          {
              {{5, 7}, 12, "a small sum", "semantics: The primitives (add_sat: unsigned)"},
              {{0, 0x12345678}, 0x12345678, "Identity(0)", "semantics: The primitives (add_sat: unsigned)"},
              {{0xffffffff, 1},
               0xffffffff,
               "cut, not wrapped to 0",
               "semantics: The primitives (add_sat: unsigned)"},
              {{0xffffffff, 0xffffffff},
               0xffffffff,
               "Absorbing(ffffffff)",
               "semantics: The primitives (add_sat: unsigned)"},
              {{0x80000000, 0x80000000},
               0xffffffff,
               "2^32 does not fit",
               "semantics: The primitives (add_sat: unsigned)"},
              {{0x7fffffff, 0x80000000},
               0xffffffff,
               "fits exactly",
               "semantics: The primitives (add_sat: unsigned)"},
              {{0x7fffffff, 1},
               0x80000000,
               "unsigned: it does not stop at the greatest i32",
               "semantics: The primitives (add_sat: unsigned)"},
              {{0xfffffffe, 1},
               0xffffffff,
               "the last sum that fits",
               "semantics: The primitives (add_sat: unsigned)"},
              {{0xfffffffe, 3},
               0xffffffff,
               "a wrapped sum would be 1",
               "semantics: The primitives (add_sat: unsigned)"},
          },
      .identities =
          {
              {{0, {}}, {}, "nothing is added", "semantics: The primitives (add_sat)"},
              {{0xffffffff, {}}, 0xffffffff, "full already", "semantics: The primitives (add_sat)"},
          },
      // The sum that does not wrap has one bit more.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            const smt::Term sum =
                pool.add(pool.zero_extend(x[0], width + 1), pool.zero_extend(x[1], width + 1));
            const smt::Term carry = pool.eq(pool.extract(sum, width, 1), pool.constant(1, 1));
            return pool.ite(carry, pool.constant(width, ~smt::Bits{0}), pool.extract(sum, 0, width));
          },
  };
}

}  // namespace vyre::ops
