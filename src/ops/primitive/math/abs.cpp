// primitive.math.abs: the distance from zero of the word read as i32.
#include "ops/reference.h"

namespace {

// Reads the word as a signed number and negates it in 64 bits, where that always fits.
uint32_t reference(uint32_t a) {
  const int64_t value = static_cast<int32_t>(a);
  return static_cast<uint32_t>(value < 0 ? -value : value);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_abs() {
  return {
      .id = "primitive.math.abs",
      .version = 1,
      .signature = words(1),
      .category = spec::Category::A,
      .summary = "|a| with a read as i32; abs(MIN) = MIN",
      .parameter_names = {"a"},
      .reference = reference_of<reference>,
      // The mask is all ones for a negative word: (a ^ -1) - -1 is ~a + 1.
      .compose =
          [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
            const ir::Ex mask = f.let("mask", -(p[0] >> 31));
            return (p[0] ^ mask) - mask;
          },
      .laws = {laws::bounded(0, 0x80000000), laws::projection()},
      .denied =
          {
              {laws::bounded(0, 0x7fffffff), {0x80000000}},  // abs(MIN) = MIN
              {laws::involution(), {0xffffffff}},
              {laws::monotone(),
               {0x80000000,
                0xffffffff}},  // in unsigned order negative words come last, and -1 is the greatest
              {laws::de_morgan("primitive.math.mul", "primitive.math.mul"),
               {0x10000, 0x8001}},  // the product wraps into the sign bit
              {laws::de_morgan("primitive.math.add", "primitive.math.add"), {1, 0xffffffff}},
              {laws::antitone(), {0, 1}},
          },
      .classes =
          {
              {"not negative", [](const uint32_t* x) { return x[0] < 0x80000000; }, {5}},
              {"negative", [](const uint32_t* x) { return x[0] > 0x80000000; }, {0xfffffffb}},
              {"MIN, which has no positive twin",
               [](const uint32_t* x) { return x[0] == 0x80000000; },
               {0x80000000}},
          },
      .boundaries =
          {
              {{0}, "zero"},
              {{0x7fffffff}, "the greatest as i32"},
              {{0x80000000}, "the least as i32: stays"},
              {{0x80000001}, "one above the least: the greatest"},
              {{0xffffffff}, "the greatest word, which is -1"},
          },
      .rows =
          {
              {{0}, 0, "zero", "semantics: The primitives (abs)"},
              {{1}, 1, "a positive word stays", "semantics: The primitives (abs)"},
              {{0xffffffff}, 1, "the distance of -1", "semantics: The primitives (abs)"},
              {{0xfffffffb}, 5, "the distance of -5", "semantics: The primitives (abs)"},
              {{0x7fffffff}, 0x7fffffff, "the greatest stays", "semantics: The primitives (abs)"},
              {{0x80000000}, 0x80000000, "abs(MIN) = MIN", "semantics: The primitives (abs)"},
              {{0x80000001}, 0x7fffffff, "-(2^31 - 1)", "semantics: The primitives (abs)"},
              {{0xffff0000}, 0x10000, "-65536", "semantics: The primitives (abs)"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.ite(pool.slt(x[0], pool.constant(pool.width(x[0]), 0)), pool.neg(x[0]), x[0]);
          },
  };
}

}  // namespace vyre::ops
