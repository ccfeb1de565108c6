// primitive.math.sub_sat: the difference, stopping at zero.
#include "ops/reference.h"

namespace {

// The difference in 64 bits, cut.
uint32_t reference(uint32_t a, uint32_t b) {
  const int64_t difference = int64_t{a} - b;
  return difference < 0 ? 0 : static_cast<uint32_t>(difference);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_sub_sat() {
  return {
      .id = "primitive.math.sub_sat",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "a - b, at least 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder& f,
                    std::span<const ir::Ex> p) { return f.select(p[0] > p[1], p[0] - p[1], f.u32(0)); },
      .laws = {laws::self_inverse(0), laws::right_identity(0), laws::left_absorbing(0)},
      .denied =
          {
              {laws::commutative(), {1, 0}},
              {laws::associative(), {1, 0, 1}},  // (1 - 0) - 1 is 0, 1 - (0 - 1) is 1 - 0
              {laws::identity(0), {1}},          // 1 - 0 is 1, 0 - 1 is 0: it holds on one side only
              {laws::absorbing(0), {1}},
              {laws::idempotent(), {1}},
              {laws::distributive_over("primitive.math.min"),
               {2, 0, 1}},  // it turns the order of its second operand round
              {laws::inverse_of("primitive.math.add_sat"), {1, 0xffffffff}},  // the sum was cut off
              {laws::zero_product(), {1, 1}},
          },
      .classes =
          {
              {"the difference fits", [](const uint32_t* x) { return x[0] > x[1]; }, {7, 5}},
              {"equal: 0", [](const uint32_t* x) { return x[0] == x[1]; }, {5, 5}},
              {"the difference is cut", [](const uint32_t* x) { return x[0] < x[1]; }, {5, 7}},
          },
      .boundaries =
          {
              {{0, 0}, "both operands at their least"},
              {{0, 1}, "the first that is cut"},
              {{0, 0xffffffff}, "the farthest that is cut"},
              {{0xffffffff, 0}, "the greatest difference"},
              {{0xffffffff, 0xffffffff}, "both operands at their greatest"},
              {{0x80000000, 0x7fffffff}, "across the sign bit: 1"},
          },
      .rows =
          {
              {{7, 5}, 2, "a small difference", "semantics: The primitives (sub_sat: unsigned)"},
              {{5, 7}, 0, "cut, not wrapped to -2", "semantics: The primitives (sub_sat: unsigned)"},
              {{5, 5}, 0, "SelfInverse(0)", "semantics: The primitives (sub_sat: unsigned)"},
              {{0, 1}, 0, "cut, not wrapped to ffffffff", "semantics: The primitives (sub_sat: unsigned)"},
              {{0, 0xffffffff},
               0,
               "cut; a wrapped difference would be 1",
               "semantics: The primitives (sub_sat: unsigned)"},
              {{0xffffffff, 0}, 0xffffffff, "a - 0 = a", "semantics: The primitives (sub_sat: unsigned)"},
              {{0x80000000, 0x7fffffff},
               1,
               "unsigned: across the sign bit",
               "semantics: The primitives (sub_sat: unsigned)"},
              {{0x7fffffff, 0x80000000},
               0,
               "unsigned: the other way",
               "semantics: The primitives (sub_sat: unsigned)"},
              {{0xffffffff, 1},
               0xfffffffe,
               "unsigned: ffffffff is not -1",
               "semantics: The primitives (sub_sat: unsigned)"},
          },
      .identities =
          {
              {{{}, 0}, {}, "nothing is taken away", "semantics: The primitives (sub_sat)"},
              {{0, {}}, 0, "nothing is there to take", "semantics: The primitives (sub_sat)"},
              {{{}, {}}, 0, "all of it is taken away", "semantics: The primitives (sub_sat)"},
              {{{}, 0xffffffff}, 0, "no word is greater", "semantics: The primitives (sub_sat)"},
          },
      // The difference that does not wrap has one bit more, its sign.
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            const smt::Term rest =
                pool.sub(pool.zero_extend(x[0], width + 1), pool.zero_extend(x[1], width + 1));
            const smt::Term borrow = pool.eq(pool.extract(rest, width, 1), pool.constant(1, 1));
            return pool.ite(borrow, pool.constant(width, 0), pool.extract(rest, 0, width));
          },
  };
}

}  // namespace vyre::ops
