// primitive.math.gcd: the greatest common divisor; gcd(a, 0) = a, so gcd(0, 0) = 0.
#include "ops/reference.h"

#include <bit>

namespace {

// Stein's algorithm: common factors of two come out first; then the greater of two odd numbers is replaced by
// the odd part of their difference, until they meet.
uint32_t reference(uint32_t a, uint32_t b) {
  if (a == 0) return b;
  if (b == 0) return a;
  const int common = std::countr_zero(a | b);
  a >>= std::countr_zero(a);
  b >>= std::countr_zero(b);
  while (a != b) {
    const uint32_t difference = a < b ? b - a : a - b;
    a = a < b ? a : b;
    b = difference >> std::countr_zero(difference);
  }
  return a << common;
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_gcd() {
  return {
      .id = "primitive.math.gcd",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "the greatest common divisor of a and b; gcd(0, 0) = 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      // Euclid's algorithm, at most 46 steps. Lame: n divisions on x > y want x of at least F(n + 2), where
      // F(1) and F(2) are 1. F(47) is 2971215073 and below 2^32, F(48) is not, so n is at most 45. Where x is
      // below y the first step only exchanges the two, which makes 46, and F(46), F(47) takes them all. Once
      // y is 0 a step does nothing.
      .compose =
          [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
            const ir::Ex x = f.let("x", p[0]);
            const ir::Ex y = f.let("y", p[1]);
            f.loop("step", f.u32(0), f.u32(46), [&](ir::Ex) {
              f.if_(y != 0, [&] {
                const ir::Ex rest = f.let("rest", x % y);
                f.assign(x, y);
                f.assign(y, rest);
              });
            });
            return x;
          },
      .laws = {laws::commutative(), laws::associative(), laws::identity(0), laws::idempotent(),
               laws::absorbing(1)},
      .denied =
          {
              {laws::identity(1), {2}},
              {laws::absorbing(0), {1}},  // gcd(1, 0) is 1: zero is the identity
              {laws::self_inverse(0), {1}},
              {laws::distributive_over("primitive.math.lcm"),
               {3, 3, 0x80000000}},  // true of numbers; the low word of 3 * 2^31 has lost the 3
              {laws::distributive_over("primitive.math.mul"), {2, 2, 2}},
              {laws::lattice_absorption("primitive.math.lcm"),
               {0xffffffff, 0xfffffffe}},  // true of numbers; the low word of the multiple is 2
          },
      .classes =
          {
              {"an operand is zero: the other",
               [](const uint32_t* x) { return x[0] == 0 || x[1] == 0; },
               {0, 12}},
              {"equal", [](const uint32_t* x) { return x[0] == x[1]; }, {9, 9}},
              {"one is odd: no common factor of two",
               [](const uint32_t* x) { return x[0] != 0 && x[1] != 0 && (x[0] | x[1]) % 2 == 1; },
               {35, 64}},
              {"both even and not zero",
               [](const uint32_t* x) { return x[0] != 0 && x[1] != 0 && (x[0] | x[1]) % 2 == 0; },
               {12, 18}},
          },
      .boundaries =
          {
              {{0, 0}, "gcd(0, 0) = 0"},
              {{0, 0xffffffff}, "zero and the greatest"},
              {{0xffffffff, 0xffffffff}, "equal at the greatest"},
              {{1836311903, 2971215073},
               "neighbouring Fibonacci numbers in this order: the 46 steps that are the most"},
              {{0x80000000, 0xffffffff}, "a power of two and an odd number"},
              {{0x80000000, 0x40000000}, "powers of two alone"},
          },
      .rows =
          {
              {{0, 0}, 0, "gcd(0, 0) = 0", "semantics: The primitives (gcd)"},
              {{0, 12}, 12, "Identity(0) on the left", "semantics: The primitives (gcd)"},
              {{12, 0}, 12, "Identity(0) on the right", "semantics: The primitives (gcd)"},
              {{12, 18}, 6, "2 * 2 * 3 and 2 * 3 * 3", "semantics: The primitives (gcd)"},
              {{17, 5}, 1, "two primes", "semantics: The primitives (gcd)"},
              {{1, 0xffffffff}, 1, "Absorbing(1)", "semantics: The primitives (gcd)"},
              {{0xffffffff, 0xffffffff}, 0xffffffff, "Idempotent", "semantics: The primitives (gcd)"},
              {{0x80000000, 0x40000000}, 0x40000000, "powers of two", "semantics: The primitives (gcd)"},
              {{1836311903, 2971215073},
               1,
               "neighbouring Fibonacci numbers share nothing",
               "semantics: The primitives (gcd)"},
              {{0xffffffff, 0x10001}, 0x10001, "2^32 - 1 = 65535 * 65537", "semantics: The primitives (gcd)"},
          },
      .identities =
          {
              {{0, {}}, {}, "every word divides zero, and gcd(0, 0) = 0", "semantics: The primitives (gcd)"},
              {{{}, 0}, {}, "every word divides zero, and gcd(0, 0) = 0", "semantics: The primitives (gcd)"},
              {{1, {}}, 1, "only one divides one", "semantics: The primitives (gcd)"},
              {{{}, {}}, {}, "the greatest divisor of a word is itself", "semantics: The primitives (gcd)"},
          },
      // No formula says it: Euclid's algorithm is a loop. Its laws are run, and derived from each other.
      .define = nullptr,
  };
}

}  // namespace vyre::ops
