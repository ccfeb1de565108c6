// primitive.math.sign: 1, 0 or -1: the sign of the word read as i32.
#include "ops/reference.h"

namespace {

// Compares the word, read as a signed number, with zero.
uint32_t reference(uint32_t a) {
  const int32_t value = static_cast<int32_t>(a);
  if (value > 0) return 1;
  if (value < 0) return 0xffffffff;
  return 0;
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_sign() {
  return {
      .id = "primitive.math.sign",
      .version = 1,
      .signature = words(1),
      .category = spec::Category::A,
      .summary = "1, 0 or ffffffff: the sign of a read as i32",
      .parameter_names = {"a"},
      .reference = reference_of<reference>,
      // All ones if the sign bit is set, or else 1 if any bit is.
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return -(p[0] >> 31) | (p[0] != 0); },
      .laws = {laws::monotone(), laws::de_morgan("primitive.math.min", "primitive.math.min"),
               laws::de_morgan("primitive.math.max", "primitive.math.max"),
               laws::de_morgan("primitive.bitwise.or", "primitive.bitwise.or"), laws::projection()},
      .denied =
          {
              {laws::bounded(0, 1), {0xffffffff}},  // -1 is ffffffff
              {laws::involution(), {2}},
              {laws::de_morgan("primitive.math.mul", "primitive.math.mul"),
               {0x10000, 0x10000}},  // true of numbers; the product wraps to 0
              {laws::de_morgan("primitive.math.add", "primitive.math.add"), {1, 1}},
              {laws::de_morgan("primitive.bitwise.and", "primitive.bitwise.and"), {1, 2}},
              {laws::antitone(), {0, 1}},
          },
      .classes =
          {
              {"zero", [](const uint32_t* x) { return x[0] == 0; }, {0}},
              {"positive", [](const uint32_t* x) { return x[0] >= 1 && x[0] <= 0x7fffffff; }, {42}},
              {"negative", [](const uint32_t* x) { return x[0] >= 0x80000000; }, {0xffffffd6}},
          },
      .boundaries =
          {
              {{0}, "zero"},
              {{1}, "the least positive"},
              {{0x7fffffff}, "the greatest as i32"},
              {{0x80000000}, "the least as i32"},
              {{0xffffffff}, "the greatest word, which is -1"},
          },
      .rows =
          {
              {{0}, 0, "zero has no sign", "semantics: The primitives (sign is 1, 0, ffffffff)"},
              {{1}, 1, "the least positive", "semantics: The primitives (sign is 1, 0, ffffffff)"},
              {{42}, 1, "positive", "semantics: The primitives (sign is 1, 0, ffffffff)"},
              {{0x7fffffff}, 1, "the greatest as i32", "semantics: The primitives (sign is 1, 0, ffffffff)"},
              {{0x80000000},
               0xffffffff,
               "MIN is negative",
               "semantics: The primitives (sign is 1, 0, ffffffff)"},
              {{0xffffffff},
               0xffffffff,
               "-1 is its own sign",
               "semantics: The primitives (sign is 1, 0, ffffffff)"},
              {{0xffffffd6}, 0xffffffff, "-42", "semantics: The primitives (sign is 1, 0, ffffffff)"},
              {{0x00010000},
               1,
               "positive though the low half is zero",
               "semantics: The primitives (sign is 1, 0, ffffffff)"},
              {{0x80000001},
               0xffffffff,
               "one above MIN",
               "semantics: The primitives (sign is 1, 0, ffffffff)"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            const smt::Term zero = pool.constant(width, 0), one = pool.constant(width, 1);
            return pool.ite(pool.slt(x[0], zero), pool.neg(one), pool.ite(pool.eq(x[0], zero), zero, one));
          },
  };
}

}  // namespace vyre::ops
