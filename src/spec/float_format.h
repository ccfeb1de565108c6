// Binary interchange formats of IEEE 754: how a float's bits are divided.
//
// A pattern is, from the top, one sign bit, exponent_bits of biased exponent and fraction_bits of fraction.
// All arithmetic on floats in vyre, the oracle's and the integer compositions', is written once over these
// two numbers: what is proved for all inputs of a format of 6 to 8 bits is the same code that runs at 16
// and 32. Source: IEEE 754-2019, 3.4; semantics, "Floats" (one NaN).
#pragma once

#include <cstdint>

#include "spec/types.h"

namespace vyre::spec {

struct FloatFormat {
  uint32_t exponent_bits = 8;
  uint32_t fraction_bits = 23;

  constexpr uint32_t width() const { return 1 + exponent_bits + fraction_bits; }
  constexpr uint32_t precision() const { return fraction_bits + 1; }
  constexpr int32_t bias() const { return (1 << (exponent_bits - 1)) - 1; }
  /// Exponents of the least and the greatest normal number: 2^min_exponent() is the least one.
  constexpr int32_t min_exponent() const { return 1 - bias(); }
  constexpr int32_t max_exponent() const { return bias(); }

  // Patterns.
  constexpr uint32_t mask() const { return width() == 32 ? ~0u : (1u << width()) - 1; }
  constexpr uint32_t sign_bit() const { return 1u << (width() - 1); }
  constexpr uint32_t fraction_mask() const { return (1u << fraction_bits) - 1; }
  /// +infinity; also the bits of the exponent.
  constexpr uint32_t infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }
  /// The one NaN that arithmetic gives.
  constexpr uint32_t nan() const { return infinity() | 1u << (fraction_bits - 1); }
  constexpr uint32_t greatest() const { return infinity() - 1; }
  constexpr uint32_t least_normal() const { return 1u << fraction_bits; }
  constexpr uint32_t one() const { return uint32_t(bias()) << fraction_bits; }

  constexpr bool is_nan(uint32_t x) const { return (x & ~sign_bit() & mask()) > infinity(); }
  constexpr bool is_infinite(uint32_t x) const { return (x & ~sign_bit() & mask()) == infinity(); }
  constexpr bool is_finite(uint32_t x) const { return (x & infinity()) != infinity(); }
  constexpr bool is_subnormal(uint32_t x) const {
    return (x & infinity()) == 0 && (x & fraction_mask()) != 0;
  }
  bool operator==(const FloatFormat&) const = default;
};

inline constexpr FloatFormat kBinary16{5, 10};
inline constexpr FloatFormat kBFloat16{8, 7};
inline constexpr FloatFormat kBinary32{8, 23};

/// The format of a float type. Domain: kFloats.
constexpr FloatFormat float_format(DataType type) {
  if (type == DataType::F16) return kBinary16;
  if (type == DataType::BF16) return kBFloat16;
  return kBinary32;
}
consteval bool formats_fit_the_types() {
  for (const TypeInfo& t : kTypes) {
    if (t.klass == TypeClass::Float && float_format(t.type).width() != value_bits(t.type)) return false;
  }
  return true;
}
static_assert(formats_fit_the_types(), "a float type of types.def has no format here");

/// How a small float of graphs is divided, and what of it is no number. Exponents have the bias of a
/// FloatFormat and no value of their own for infinity, but in e5m2. Source: OCP 8-bit Floating Point
/// Specification 1.0, tables 1 and 2; OCP Microscaling Formats 1.0, 5.3.3; of what a NaN becomes where there
/// is none, docs/spec/graphs.md, "Small types".
struct SmallFloat {
  uint32_t exponent_bits, fraction_bits;
  uint32_t greatest;  // the pattern of the greatest finite number
  uint32_t beyond;    // without a sign: what is rounded to more than that, and infinity
  uint32_t nan;       // what a NaN is cast to

  constexpr int32_t bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr uint32_t sign() const { return 1u << (exponent_bits + fraction_bits); }
  constexpr bool has_nan() const { return nan > greatest; }
};
/// Domain: is_small, and wide_type is F32.
constexpr SmallFloat small_float(DataType type) {
  if (type == DataType::FP8E4M3) return {4, 3, 0x7e, 0x7f, 0x7f};
  if (type == DataType::FP8E5M2) return {5, 2, 0x7b, 0x7c, 0x7e};
  return {2, 1, 0x7, 0x7, 0x7};
}

}  // namespace vyre::spec
