// Equality and order of values as laws mean them.
//
// A law speaks of values. Integers and bool are their words. The value of a float is its pattern, but all
// NaNs are one value: arithmetic gives one NaN whatever NaNs went in, so no law of arithmetic could keep a
// payload. -0 and +0 are two values, and equal in order.
//
// Order is that of numbers, and NaN has none. A law that demands an order is refuted where the opposite order
// holds, so where a NaN is a premise or a result it demands nothing; what is given there is a matter of
// values and of specification rows. Source: semantics, "Floats"; docs/spec/laws.md.
#pragma once

#include <cstdint>

#include "spec/float_format.h"

namespace vyre::algebra {

/// The word of a value, equal words for equal values.
constexpr uint32_t canonical(uint32_t word, spec::DataType type) {
  if (!spec::kFloats.contains(type)) return word;
  const spec::FloatFormat f = spec::float_format(type);
  return f.is_nan(word) ? f.nan() : word;
}

constexpr bool equal_values(uint32_t a, uint32_t b, spec::DataType type) {
  return canonical(a, type) == canonical(b, type);
}

/// The order of a type's values as that of integers. Domain: no NaN.
constexpr int64_t rank(uint32_t word, spec::DataType type) {
  if (type == spec::DataType::I32) return int32_t(word);
  if (!spec::kFloats.contains(type)) return word;
  const spec::FloatFormat f = spec::float_format(type);
  const int64_t magnitude = word & ~f.sign_bit() & f.mask();
  return (word & f.sign_bit()) != 0 ? -magnitude : magnitude;
}

constexpr bool has_order(uint32_t word, spec::DataType type) {
  return !spec::kFloats.contains(type) || !spec::float_format(type).is_nan(word);
}

/// a < b. False where either has no order.
constexpr bool is_below(uint32_t a, uint32_t b, spec::DataType type) {
  return has_order(a, type) && has_order(b, type) && rank(a, type) < rank(b, type);
}

/// a <= b. False where either has no order.
constexpr bool is_at_most(uint32_t a, uint32_t b, spec::DataType type) {
  return has_order(a, type) && has_order(b, type) && rank(a, type) <= rank(b, type);
}

}  // namespace vyre::algebra
