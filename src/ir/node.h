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

}  // namespace vyre::ir

template <>
struct vyre::spec::KeyCount<vyre::ir::NodeKind> {
  static constexpr size_t value = vyre::ir::kNodeKindCount;
};

namespace vyre::ir {

/// What a statement of each kind is made of.
struct NodeInfo {
  std::string_view name;  // in messages
  uint32_t min_operands, max_operands;
  bool symbol, body, orelse;
};
inline constexpr spec::Row<NodeKind, NodeInfo> kNodeRows[] = {
    {NodeKind::Let, {"let", 1, 1, true, false, false}},
    {NodeKind::Assign, {"assignment", 1, 1, true, false, false}},
    {NodeKind::Store, {"store", 1, UINT32_MAX, true, false, false}},
    {NodeKind::If, {"if", 1, 1, false, true, true}},
    {NodeKind::Loop, {"for", 2, 2, true, true, false}},
    {NodeKind::Return, {"return", 0, 0, false, false, false}},
    {NodeKind::Block, {"block", 0, 0, false, true, false}},
    {NodeKind::Barrier, {"barrier", 0, 0, false, false, false}},
};
inline constexpr spec::TotalTable<kNodeRows> kNodeInfo;
constexpr const NodeInfo& info(NodeKind kind) { return kNodeInfo[kind]; }

struct Node {
  NodeKind kind{};
  Symbol symbol = kNoSymbol;  // Let, Assign: variable; Store: buffer; Loop: loop variable
  Range args;                 // operand ids in Code::expr_list
  BlockId body = kNoBlock;    // If: then; Loop, Block: body
  BlockId orelse = kNoBlock;  // If: else, or none
  bool malformed = false;     // it was added with parts that its kind does not have, which are lost
};

}  // namespace vyre::ir
