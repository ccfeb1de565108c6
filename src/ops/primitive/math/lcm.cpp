// primitive.math.lcm: the low word of the least common multiple; lcm(0, x) = 0.
#include "ops/reference.h"

#include <numeric>

namespace {

// The product in 64 bits, where it always fits, divided by the greatest common divisor.
uint32_t reference(uint32_t a, uint32_t b) {
  if (a == 0 || b == 0) return 0;
  return static_cast<uint32_t>(uint64_t{a} * b / std::gcd(a, b));
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_lcm() {
  return {
      .id = "primitive.math.lcm",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "the least common multiple of a and b, its low 32 bits; lcm(0, x) = 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      // The division is exact; of two zeros it is 0 / 0 = 0.
      .compose =
          [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
            return (p[0] / f.call("primitive.math.gcd", {p[0], p[1]})) * p[1];
          },
      .laws = {laws::commutative(), laws::identity(1), laws::idempotent(), laws::absorbing(0)},
      .denied =
          {
              {laws::associative(),
               {0x80000001, 2, 3}},  // true of numbers; lcm(80000001, 2) wraps to 2 and loses its factor 3
              {laws::distributive_over("primitive.math.gcd"),
               {2, 0x80000001, 3}},  // true of numbers; lost in the same way
              {laws::identity(0), {1}},
              {laws::self_inverse(1), {2}},
              {laws::distributive_over("primitive.math.add"), {2, 1, 1}},
          },
      .classes =
          {
              {"an operand is zero: 0", [](const uint32_t* x) { return x[0] == 0 || x[1] == 0; }, {0, 12}},
              {"the product fits, so the multiple does",
               [](const uint32_t* x) {
                 return x[0] != 0 && x[1] != 0 && uint64_t{x[0]} * x[1] <= UINT32_MAX;
               },
               {4, 6}},
              {"the product does not fit",
               [](const uint32_t* x) { return uint64_t{x[0]} * x[1] > UINT32_MAX; },
               {0x80000000, 3}},
          },
      .boundaries =
          {
              {{0, 0}, "zero and zero"},
              {{0, 0xffffffff}, "zero and the greatest"},
              {{1, 0xffffffff}, "one and the greatest"},
              {{0xffffffff, 0xffffffff}, "equal: the product wraps, the multiple does not"},
              {{0xffffffff, 0xfffffffe}, "neighbours at the greatest: the multiple wraps"},
              {{0x80000000, 3}, "3 * 2^31 does not fit"},
          },
      .rows =
          {
              {{4, 6}, 12, "2 * 2 and 2 * 3", "semantics: The primitives (lcm)"},
              {{0, 5}, 0, "lcm(0, x) = 0", "semantics: The primitives (lcm)"},
              {{5, 0}, 0, "and the other way", "semantics: The primitives (lcm)"},
              {{0, 0}, 0, "lcm(0, x) = 0 with x zero", "semantics: The primitives (lcm)"},
              {{1, 0x12345678}, 0x12345678, "Identity(1)", "semantics: The primitives (lcm)"},
              {{0xffffffff, 0xffffffff},
               0xffffffff,
               "Idempotent: dividing before multiplying keeps it in range",
               "semantics: The primitives (lcm)"},
              {{7, 13}, 91, "two primes: the product", "semantics: The primitives (lcm)"},
              {{0x80000000, 3},
               0x80000000,
               "low 32 bits: 3 * 2^31 = 2^32 + 2^31",
               "semantics: The primitives (lcm)"},
              {{0xffffffff, 0xfffffffe},
               2,
               "low 32 bits: neighbours share nothing, and -1 * -2 is 2",
               "semantics: The primitives (lcm)"},
              {{0x10000, 0x18000},
               0x30000,
               "the gcd is 8000: 2 * 3 * 8000",
               "semantics: The primitives (lcm)"},
          },
      .identities =
          {
              {{0, {}}, 0, "lcm(0, x) = 0", "semantics: The primitives (lcm)"},
              {{1, {}}, {}, "one divides every word", "semantics: The primitives (lcm)"},
              {{{}, {}}, {}, "the least multiple of a word is itself", "semantics: The primitives (lcm)"},
          },
      // No formula says it: Euclid's algorithm is a loop. Its laws are run, and derived from each other.
      .define = nullptr,
  };
}

}  // namespace vyre::ops
