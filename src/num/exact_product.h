// Exact products of floats: the oracle for products of unspecified order.
//
// A finite number is an integer times a power of two, so a product of many is the product of their integers
// (GMP multiplies them, in a balanced tree) and the sum of their exponents: nothing is rounded, nothing
// overflows, and no order matters. How far a result is from it is counted in ULP of the exact product
// (docs/spec/floats.md, "Approximate operators"). No arithmetic on floats takes part, neither the host's nor
// num/float.h's.
#pragma once

#include <gmp.h>

#include <cstdint>
#include <optional>
#include <span>

#include "spec/float_format.h"

namespace vyre::num {

class ExactProduct {
 public:
  /// Domain: finite numbers, none a zero, at most 2^32 of them.
  ExactProduct(spec::FloatFormat format, std::span<const uint32_t> numbers);
  ~ExactProduct();
  ExactProduct(const ExactProduct&) = delete;
  ExactProduct& operator=(const ExactProduct&) = delete;

  /// The number that is nearest to it, ties to even, with its sign: infinity where it is too large, a zero
  /// where it is too small.
  uint32_t rounded() const;
  /// How far a result is from it, in its ULP, the fraction rounded up. An infinity stands for the number that
  /// would follow the greatest, and is right of all that is beyond. Beyond 64 bits: the greatest there. None
  /// for a NaN, and for the other sign.
  std::optional<uint64_t> ulps_off(uint32_t result) const;

 private:
  /// Of its leading bit, and of its ULP: 2 to these.
  int64_t leading() const;
  int64_t ulp() const;

  spec::FloatFormat format_;
  bool negative_ = false;
  int64_t exponent_ = 0;  // |product| = magnitude_ * 2^exponent_
  mpz_t magnitude_;
};

}  // namespace vyre::num
