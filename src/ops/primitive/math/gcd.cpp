// primitive.math.gcd, beside gcd.vyre: what judges it.
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

#include "ops/text_operation.h"

namespace vyre::ops {

Beside primitive_math_gcd() {
  return {
      .reference = reference_of<reference>,
      // No formula says it: Euclid's algorithm is a loop. Its laws are run, and derived from each other.
  };
}

}  // namespace vyre::ops
