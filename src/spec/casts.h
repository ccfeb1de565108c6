// Which casts and bitcasts there are: the specification's table as data, for checker, generators and docs.
#pragma once

#include "spec/types.h"

namespace vyre::spec {

/// Whether cast<to>(from) exists, whatever its mode. Source: semantics, "Casts".
constexpr bool can_cast(DataType from, DataType to) {
  if (!is_value_type(from) || !is_value_type(to)) return false;
  if (from == to) return true;
  if (kVectors.contains(from)) return false;
  const bool from_float = kFloats.contains(from), to_float = kFloats.contains(to);
  if (from_float && to_float) return true;
  if (from_float) return to == DataType::U32 || to == DataType::I32;
  if (kVectors.contains(to)) return from == DataType::U32 || from == DataType::I32 || from == DataType::Bool;
  if (to_float) return from == DataType::U32 || from == DataType::I32 || from == DataType::U64;
  return true;  // among U32 I32 U64 U128 Bool
}

/// Whether the cast must name a rounding mode; no other cast may.
constexpr bool cast_takes_mode(DataType from, DataType to) {
  return kFloats.contains(from) && kIntegers.contains(to);
}

/// The same among elements of tensors: a small type is cast as its wide type is, i8 and u8 are cast from
/// whatever u32 is, and small floats from floats. Source: docs/spec/graphs.md, "Small types".
constexpr bool can_cast_in_graphs(DataType from, DataType to) {
  if (from == to) return true;
  if (is_small(from)) return !is_small(to) && can_cast(wide_type(from), to);
  if (is_small(to))
    return wide_type(to) == DataType::F32 ? kFloats.contains(from) : can_cast(from, DataType::U32);
  return can_cast(from, to);
}
constexpr bool cast_takes_mode_in_graphs(DataType from, DataType to) {
  if (from == to) return false;
  return cast_takes_mode(is_small(from) ? wide_type(from) : from, is_small(to) ? wide_type(to) : to);
}

/// Whether bitcast<to>(from) exists. Source: semantics, "Casts".
constexpr bool can_bitcast(DataType from, DataType to) {
  if (!is_value_type(from) || !is_value_type(to) || from == DataType::Bool || to == DataType::Bool)
    return false;
  if (from == to) return true;
  const uint32_t bits_from = value_bits(from), bits_to = value_bits(to);
  if (bits_from == bits_to) return true;
  return (bits_from == 16 && to == DataType::U32) || (bits_to == 16 && from == DataType::U32);
}

}  // namespace vyre::spec
