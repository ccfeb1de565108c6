// Tags: the permanent numbers of the wire format that no ledger in spec/ holds, and its header.
//
// Types and operators bring their tags with them (types.def, ops.def); statements, expressions, commands,
// accesses and rounding modes get theirs here. Each set has one function from the enumerator to its tag,
// total because a switch over an enum of ours has no default; the way back searches it, so that there is no
// second list. A tag is never changed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "ir/module.h"
#include "spec/ops.h"

namespace vyre::wire {

inline constexpr std::array<char, 4> kMagic = {'V', 'Y', 'R', 'E'};
inline constexpr uint32_t kVersion = 1;        // of one program
inline constexpr uint32_t kModuleVersion = 2;  // of any other module
// Offsets in the header: magic, version (u32, little-endian), digest; then the body.
inline constexpr size_t kVersionAt = 4;
inline constexpr size_t kDigestAt = 8;
inline constexpr size_t kBodyAt = 40;

constexpr uint8_t tag(ir::NodeKind kind) {
  switch (kind) {
    case ir::NodeKind::Let: return 1;
    case ir::NodeKind::Assign: return 2;
    case ir::NodeKind::Store: return 3;
    case ir::NodeKind::If: return 4;
    case ir::NodeKind::Loop: return 5;
    case ir::NodeKind::Return: return 6;
    case ir::NodeKind::Block: return 7;
    case ir::NodeKind::Barrier: return 8;
  }
  std::unreachable();
}

constexpr uint8_t tag(ir::ExprKind kind) {
  switch (kind) {
    case ir::ExprKind::Literal: return 1;
    case ir::ExprKind::Var: return 2;
    case ir::ExprKind::Load: return 3;
    case ir::ExprKind::BufLen: return 4;
    case ir::ExprKind::InvocationId: return 5;
    case ir::ExprKind::WorkgroupId: return 6;
    case ir::ExprKind::LocalId: return 7;
    case ir::ExprKind::Apply: return 8;
  }
  std::unreachable();
}

constexpr uint8_t tag(ir::CommandKind kind) {
  switch (kind) {
    case ir::CommandKind::Scratch: return 1;
    case ir::CommandKind::Let: return 2;
    case ir::CommandKind::Dispatch: return 3;
    case ir::CommandKind::Run: return 4;
    case ir::CommandKind::Loop: return 5;
    case ir::CommandKind::Repeat: return 6;
    case ir::CommandKind::If: return 7;
  }
  std::unreachable();
}

constexpr uint8_t tag(spec::BufferAccess access) {
  switch (access) {
    case spec::BufferAccess::Read: return 1;
    case spec::BufferAccess::ReadWrite: return 2;
    case spec::BufferAccess::Uniform: return 3;
    case spec::BufferAccess::Workgroup: return 4;
  }
  std::unreachable();
}

constexpr uint8_t tag(spec::RoundingMode mode) {
  switch (mode) {
    case spec::RoundingMode::None: return 0;
    case spec::RoundingMode::Trunc: return 1;
    case spec::RoundingMode::Nearest: return 2;
    case spec::RoundingMode::Floor: return 3;
    case spec::RoundingMode::Ceil: return 4;
  }
  std::unreachable();
}

constexpr uint32_t tag(spec::DataType type) { return spec::info(type).wire_tag; }
constexpr uint32_t tag(spec::Op op) { return spec::info(op).wire_tag; }

template <typename Enum>
struct TagCount;
template <>
struct TagCount<ir::NodeKind> {
  static constexpr size_t value = ir::kNodeKindCount;
};
template <>
struct TagCount<ir::ExprKind> {
  static constexpr size_t value = ir::kExprKindCount;
};
template <>
struct TagCount<ir::CommandKind> {
  static constexpr size_t value = ir::kCommandKindCount;
};
template <>
struct TagCount<spec::BufferAccess> {
  static constexpr size_t value = spec::kBufferAccessCount;
};
template <>
struct TagCount<spec::RoundingMode> {
  static constexpr size_t value = spec::kRoundingModeCount;
};
template <>
struct TagCount<spec::DataType> {
  static constexpr size_t value = spec::kTypeCount;
};
template <>
struct TagCount<spec::Op> {
  static constexpr size_t value = spec::kOpCount;
};

/// By tag: one more than the enumerator, or zero.
template <typename Enum>
inline constexpr auto kByTag = [] {
  std::array<uint8_t, 256> out{};
  for (size_t i = 0; i < TagCount<Enum>::value; ++i) out[tag(static_cast<Enum>(i))] = uint8_t(i + 1);
  return out;
}();

/// The enumerator with this tag.
template <typename Enum>
constexpr std::optional<Enum> find_tag(uint32_t wanted) {
  const uint8_t found = wanted < 256 ? kByTag<Enum>[wanted] : 0;
  return found == 0 ? std::nullopt : std::optional(static_cast<Enum>(found - 1));
}

/// Tags that are promised to types (types.def) and operators to come: docs/permanence.md, "How it grows".
constexpr bool is_reserved_type_tag(uint32_t wanted) { return wanted >= 0x10 && wanted <= 0x14; }
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
