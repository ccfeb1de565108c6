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

/// Whether bitcast<to>(from) exists. Source: semantics, "Casts".
constexpr bool can_bitcast(DataType from, DataType to) {
  if (!is_value_type(from) || !is_value_type(to) || from == DataType::Bool || to == DataType::Bool)
    return false;
  if (from == to) return true;
  const auto family = [](DataType t) {
    switch (t) {
      case DataType::U32:
      case DataType::I32:
      case DataType::F32: return 1;
      case DataType::U64:
      case DataType::Vec2U32: return 2;
      case DataType::U128:
      case DataType::Vec4U32: return 3;
      case DataType::F16:
      case DataType::BF16: return 4;
      case DataType::Bool:
      case DataType::Bytes:
      case DataType::Tensor: return 0;
    }
    return 0;
  };
  if (family(from) == family(to)) return true;
  const bool half_from = family(from) == 4, half_to = family(to) == 4;
  return (half_from && to == DataType::U32) || (half_to && from == DataType::U32);
}

}  // namespace vyre::spec
