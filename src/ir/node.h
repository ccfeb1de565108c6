// Ids and statements: the parts of the representation that its arenas are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "spec/table.h"

namespace vyre::ir {

/// Indices into the arenas of one Code.
enum class ExprId : uint32_t {};
enum class NodeId : uint32_t {};
enum class BlockId : uint32_t {};
enum class Symbol : uint32_t {};  // an interned name
constexpr uint32_t index(ExprId id) { return static_cast<uint32_t>(id); }
constexpr uint32_t index(NodeId id) { return static_cast<uint32_t>(id); }
constexpr uint32_t index(BlockId id) { return static_cast<uint32_t>(id); }
constexpr uint32_t index(Symbol id) { return static_cast<uint32_t>(id); }
inline constexpr BlockId kNoBlock{UINT32_MAX};
inline constexpr Symbol kNoSymbol{UINT32_MAX};

struct Range {
  uint32_t first = 0;
  uint32_t count = 0;
};

/// Statement kinds and their operands: Let, Assign [value]; Store [index..., value]; If [condition];
/// Loop [from, to].
enum class NodeKind : uint8_t { Let, Assign, Store, If, Loop, Return, Block, Barrier };
inline constexpr size_t kNodeKindCount = 8;

struct Node {
  NodeKind kind{};
  Symbol symbol = kNoSymbol;  // Let, Assign: variable; Store: buffer; Loop: loop variable
  Range args;                 // operand ids in Code::expr_list
  BlockId body = kNoBlock;    // If: then; Loop, Block: body
  BlockId orelse = kNoBlock;  // If: else, or none
  bool unroll = false;        // Loop: the hint to write its rounds one after the other
  bool malformed = false;     // it was added with parts that its kind does not have, which are lost
};

/// What a statement of a kind is made of. Wire, checker and arena go by it.
struct NodeShape {
  std::string_view name;  // in messages
  uint32_t operands = 0;
  bool symbol = false, body = false, orelse = false;
  bool any_number = false;  // of operands, the last of which is no index
};

}  // namespace vyre::ir

template <>
struct vyre::spec::KeyCount<vyre::ir::NodeKind> : std::integral_constant<size_t, vyre::ir::kNodeKindCount> {};

namespace vyre::ir {

inline constexpr spec::Row<NodeKind, NodeShape> kNodeShapeRows[] = {
    {NodeKind::Let, {.name = "let", .operands = 1, .symbol = true}},
    {NodeKind::Assign, {.name = "assignment", .operands = 1, .symbol = true}},
    {NodeKind::Store, {.name = "store", .operands = 1, .symbol = true, .any_number = true}},
    {NodeKind::If, {.name = "if", .operands = 1, .body = true, .orelse = true}},
    {NodeKind::Loop, {.name = "for", .operands = 2, .symbol = true, .body = true}},
    {NodeKind::Return, {.name = "return"}},
    {NodeKind::Block, {.name = "block", .body = true}},
    {NodeKind::Barrier, {.name = "barrier"}},
};
inline constexpr spec::TotalTable<kNodeShapeRows> kNodeShapes;

}  // namespace vyre::ir
