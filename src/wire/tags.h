// Tags: the permanent numbers of the wire format that no ledger in spec/ holds, and its header.
//
// Types and operators bring their tags with them (types.def, ops.def); statements, expressions, commands,
// accesses and rounding modes get theirs here. Each set is a table that is total at compile time; the way
// back is made from it, so that there is no second list. A tag is never changed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "ir/module.h"
#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::spec {

template <>
struct KeyCount<BufferAccess> : std::integral_constant<size_t, kBufferAccessCount> {};
template <>
struct KeyCount<RoundingMode> : std::integral_constant<size_t, kRoundingModeCount> {};
template <>
struct KeyCount<ir::Order> : std::integral_constant<size_t, 3> {};

}  // namespace vyre::spec

namespace vyre::wire {

inline constexpr std::array<char, 4> kMagic = {'V', 'Y', 'R', 'E'};
inline constexpr uint32_t kVersion = 1;        // of one program
inline constexpr uint32_t kModuleVersion = 2;  // of any other module
// Offsets in the header: magic, version (u32, little-endian), digest; then the body.
inline constexpr size_t kVersionAt = 4;
inline constexpr size_t kDigestAt = 8;
inline constexpr size_t kBodyAt = 40;

/// The rows of an enum.
template <typename Enum>
struct Tags;
template <typename Enum>
using Tag = spec::Row<Enum, uint8_t>;

template <>
struct Tags<ir::NodeKind> {
  using enum ir::NodeKind;
  static constexpr Tag<ir::NodeKind> rows[] = {{Let, 1},  {Assign, 2}, {Store, 3}, {If, 4},
                                               {Loop, 5}, {Return, 6}, {Block, 7}, {Barrier, 8}};
  /// A Loop with the hint to unroll it.
  static constexpr uint8_t unrolled_loop = 9;
};
template <>
struct Tags<ir::ExprKind> {
  using enum ir::ExprKind;
  static constexpr Tag<ir::ExprKind> rows[] = {{Literal, 1}, {Var, 2},          {Load, 3},
                                               {BufLen, 4},  {InvocationId, 5}, {WorkgroupId, 6},
                                               {LocalId, 7}, {Apply, 8},        {NumWorkgroups, 9}};
};
template <>
struct Tags<ir::CommandKind> {
  using enum ir::CommandKind;
  static constexpr Tag<ir::CommandKind> rows[] = {{Scratch, 1}, {Let, 2},    {Dispatch, 3}, {Run, 4},
                                                  {Loop, 5},    {Repeat, 6}, {If, 7}};
};
template <>
struct Tags<spec::BufferAccess> {
  using enum spec::BufferAccess;
  static constexpr Tag<spec::BufferAccess> rows[] = {
      {Read, 1}, {ReadWrite, 2}, {Uniform, 3}, {Workgroup, 4}, {Private, 5}};
};
template <>
struct Tags<spec::RoundingMode> {
  using enum spec::RoundingMode;
  static constexpr Tag<spec::RoundingMode> rows[] = {
      {None, 0}, {Trunc, 1}, {Nearest, 2}, {Floor, 3}, {Ceil, 4}};
};

template <>
struct Tags<ir::Order> {
  using enum ir::Order;
  static constexpr Tag<ir::Order> rows[] = {{None, 0}, {Strict, 1}, {Tree, 2}};
};

/// What follows the pipelines of a module begins with what it is.
inline constexpr uint8_t kGraphs = 1;

template <typename Enum>
constexpr uint8_t tag(Enum value) {
  return spec::TotalTable<Tags<Enum>::rows>()[value];
}
constexpr uint32_t tag(spec::DataType type) { return spec::info(type).wire_tag; }
constexpr uint8_t tag(ir::TensorOp op) { return ir::info(op).wire_tag; }
constexpr uint32_t tag(spec::Op op) { return spec::info(op).wire_tag; }

/// By tag: one more than the enumerator, or zero.
template <typename Enum>
inline constexpr auto kByTag = [] {
  std::array<uint8_t, 256> out{};
  for (size_t i = 0; i < spec::KeyCount<Enum>::value; ++i) out[tag(static_cast<Enum>(i))] = uint8_t(i + 1);
  return out;
}();

/// The enumerator with this tag.
template <typename Enum>
constexpr std::optional<Enum> find_tag(uint32_t wanted) {
  const uint8_t found = wanted < 256 ? kByTag<Enum>[wanted] : 0;
  return found == 0 ? std::nullopt : std::optional(static_cast<Enum>(found - 1));
}

/// Tags that are promised to types (types.def) and operators to come: docs/permanence.md, "How it grows".
constexpr bool is_reserved_type_tag(uint32_t wanted) { return wanted == 0x10 || wanted == 0x11; }
constexpr bool is_reserved_operator_tag(uint32_t wanted) { return wanted >= 0x5d && wanted <= 0x5f; }

static_assert(
    std::ranges::none_of(spec::kTypes, [](const auto& t) { return is_reserved_type_tag(t.wire_tag); }),
    "a row of types.def has a reserved tag; docs/permanence.md, \"Reserved tags\", names the free ones");
static_assert(
    std::ranges::none_of(spec::kOps, [](const auto& o) { return is_reserved_operator_tag(o.wire_tag); }),
    "a row of ops.def has a reserved tag; docs/permanence.md, \"Reserved tags\", names the free ones");

/// A type's literals are written as this many numbers of 32 bits, least significant first.
constexpr uint32_t literal_words(spec::DataType type) {
  const uint32_t bytes = spec::info(type).bytes;
  return bytes <= 4 ? 1 : bytes / 4;
}

}  // namespace vyre::wire
