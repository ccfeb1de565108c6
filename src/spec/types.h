// Data types, buffer access and rounding modes: the vocabulary of signatures and declarations.
//
// types.def is the ledger; everything here is generated from it, so a new type is one row there, and each
// table keyed by DataType refuses to compile until it has a row for it. Source: ir-types, "DataType",
// "BufferAccess".
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vyre::spec {

enum class DataType : uint8_t {
#define VYRE_TYPE(tag, Name, text, bytes, klass, available) Name,
#include "spec/types.def"
#undef VYRE_TYPE
};

/// Small: of tensors in graphs, whose elements are kept and moved, and cast to be computed with.
enum class TypeClass : uint8_t { Integer, Vector, Truth, Memory, Float, Small };

struct TypeInfo {
  DataType type;
  uint8_t wire_tag;
  std::string_view name;  // "U32"
  std::string_view text;  // "u32"
  uint32_t bytes;         // of one element in a buffer; what shares a byte has 1, see packed_bits()
  TypeClass klass;
  bool available;  // in this version of vyre
};

inline constexpr auto kTypes = std::to_array<TypeInfo>({
#define VYRE_TYPE(tag, Name, text, bytes, klass, available) \
  {DataType::Name, tag, #Name, text, bytes, TypeClass::klass, available},
#include "spec/types.def"
#undef VYRE_TYPE
});
inline constexpr size_t kTypeCount = kTypes.size();

constexpr const TypeInfo& info(DataType type) { return kTypes[static_cast<size_t>(type)]; }
constexpr std::string_view text(DataType type) { return info(type).text; }
constexpr bool is_available(DataType type) { return info(type).available; }

constexpr std::optional<DataType> find_type(std::string_view text) {
  for (const TypeInfo& t : kTypes) {
    if (t.text == text) return t.type;
  }
  return std::nullopt;
}

/// The fewest bytes that a value or a buffer of this type takes: an element, or none for what may be empty.
/// Source: ir-types, "DataType".
constexpr uint32_t min_bytes(DataType type) {
  return info(type).klass == TypeClass::Memory ? 0 : info(type).bytes;
}

/// Bits of an element among others in memory: 8 times its bytes, but of fp4, of which two share a byte.
constexpr uint32_t packed_bits(DataType type) { return type == DataType::FP4E2M1 ? 4 : info(type).bytes * 8; }
/// Bytes of so many elements.
constexpr uint64_t packed_bytes(DataType type, uint64_t count) { return (count * packed_bits(type) + 7) / 8; }

/// The type of a value loaded from a buffer of this element type: Bytes holds u32 words.
constexpr DataType element_value_type(DataType element) {
  return element == DataType::Bytes ? DataType::U32 : element;
}
/// Whether tensors of graphs have this type, and nothing else does.
constexpr bool is_small(DataType type) { return info(type).klass == TypeClass::Small; }
/// Whether expressions of programs can have this type (Bytes and Tensor are buffer types only).
constexpr bool is_value_type(DataType type) {
  return info(type).klass != TypeClass::Memory && !is_small(type);
}
/// What a small type is cast to exactly, to be computed with. Domain: is_small.
constexpr DataType wide_type(DataType type) {
  return type == DataType::I8 ? DataType::I32 : type == DataType::U8 ? DataType::U32 : DataType::F32;
}

/// A set of data types.
struct TypeSet {
  uint32_t bits = 0;
  constexpr bool contains(DataType type) const { return (bits >> static_cast<uint32_t>(type) & 1) != 0; }
  constexpr TypeSet operator|(TypeSet other) const { return {bits | other.bits}; }
  bool operator==(const TypeSet&) const = default;
};
constexpr TypeSet types_of_class(TypeClass klass) {
  TypeSet set;
  for (const TypeInfo& t : kTypes) {
    if (t.klass == klass) set.bits |= 1u << static_cast<uint32_t>(t.type);
  }
  return set;
}
inline constexpr TypeSet kIntegers = types_of_class(TypeClass::Integer);
inline constexpr TypeSet kVectors = types_of_class(TypeClass::Vector);
inline constexpr TypeSet kTruth = types_of_class(TypeClass::Truth);
inline constexpr TypeSet kFloats = types_of_class(TypeClass::Float);
inline constexpr TypeSet kSmall = types_of_class(TypeClass::Small);
inline constexpr TypeSet kValues = kIntegers | kVectors | kTruth | kFloats;
constexpr TypeSet only(DataType type) { return {1u << static_cast<uint32_t>(type)}; }
inline constexpr TypeSet kU32Only = only(DataType::U32);
/// The first type of a set that is not empty, in the order of the ledger.
constexpr DataType first_of(TypeSet set) { return static_cast<DataType>(std::countr_zero(set.bits)); }

/// How many 32-bit words a value takes in a register: a 16-bit float takes one, its bits the low half. 0 for
/// what is no value.
constexpr uint32_t value_words(DataType type) { return is_value_type(type) ? (info(type).bytes + 3) / 4 : 0; }
/// Bits of a value of this type: 8 times its bytes (32 for a bool).
constexpr uint32_t value_bits(DataType type) { return info(type).bytes * 8; }
/// Whether these words, least significant first, are a value of the type: nothing stands beyond its bits, of
/// which a bool has one.
constexpr bool is_value(const std::array<uint32_t, 4>& words, DataType type) {
  const uint32_t width = type == DataType::Bool ? 1 : value_bits(type);
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t left = width > 32 * i ? width - 32 * i : 0;
    if (left < 32 && words[i] >> left != 0) return false;
  }
  return true;
}
/// How many components a vector has; 1 for every other value.
constexpr uint32_t components(DataType type) {
  return info(type).klass == TypeClass::Vector ? info(type).bytes / 4 : 1;
}

/// How a buffer may be used. Source: ir-types, "BufferAccess".
enum class BufferAccess : uint8_t { Read, ReadWrite, Uniform, Workgroup, Private };
inline constexpr size_t kBufferAccessCount = 5;
constexpr std::string_view text(BufferAccess access) {
  constexpr std::array<std::string_view, kBufferAccessCount> names = {"read", "read_write", "uniform",
                                                                      "workgroup", "private"};
  return names[static_cast<size_t>(access)];
}
/// Whether it is memory of the host's, bound by its number; the rest is the program's own and has a count.
constexpr bool is_bound(BufferAccess access) {
  return access != BufferAccess::Workgroup && access != BufferAccess::Private;
}
/// Whether other invocations may write what one reads, so that a load need not give the same twice.
constexpr bool is_written_by_others(BufferAccess access) {
  return access == BufferAccess::ReadWrite || access == BufferAccess::Workgroup;
}
/// Whether invocations may write it, so that a load need not give two of them the same.
constexpr bool is_writable(BufferAccess access) {
  return is_written_by_others(access) || access == BufferAccess::Private;
}

/// How a cast from float to integer rounds; None for every other cast.
enum class RoundingMode : uint8_t { None, Trunc, Nearest, Floor, Ceil };
inline constexpr size_t kRoundingModeCount = 5;
constexpr std::string_view text(RoundingMode mode) {
  constexpr std::array<std::string_view, kRoundingModeCount> names = {"", "trunc", "nearest", "floor",
                                                                      "ceil"};
  return names[static_cast<size_t>(mode)];
}

}  // namespace vyre::spec
