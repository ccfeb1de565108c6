// The two arenas of Code that are packed: statements in 12 bytes each and names in their own characters and 4
// bytes.
//
// A hostile file has a statement in every byte and a name in every third, so what these take decides how much
// memory decoding takes (docs/wire-format.md, "Hostile bytes"). Both look like vectors whose elements are
// handed out by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "ir/node.h"

namespace vyre::ir {

/// The names of one Code, each once, in the order of their symbols. A view of a name lasts until the next
/// intern().
class Symbols {
 public:
  size_t size() const { return ends_.size(); }
  std::string_view operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }
  /// The symbol of a name, new or known. Cost: linear in the name, whatever names there are.
  Symbol intern(std::string_view name);
  /// Room for this many names in all.
  void reserve(size_t names) { ends_.reserve(names); }

 private:
  void rehash();

  std::string text_;       // all names, one after the other
  Arena<uint32_t> ends_;   // of each, in text_
  Arena<uint32_t> slots_;  // an open hash table of symbols; a power of two, at most two thirds full
};

/// A statement in 12 bytes. What the fields hold depends on the kind; a node with a part that its kind does
/// not have, or with a symbol or block beyond 2^28 (the body of a loop: 2^31), is kept as malformed, which
/// check refuses.
class PackedNode {
 public:
  PackedNode() = default;
  explicit PackedNode(const Node& node);
  Node unpack() const;
  void set_orelse(BlockId block) { upper_ = index(block); }

 private:
  /// A symbol or block of 28 bits, all ones for none.
  static constexpr uint32_t kNone = (uint32_t(1) << 28) - 1;
  static uint32_t widened(uint32_t upper) { return upper == kNone ? UINT32_MAX : upper; }
  static constexpr uint32_t kUnroll = uint32_t(1) << 31;

  uint32_t kind_ : 3 = 0;
  uint32_t malformed_ : 1 = 0;
  uint32_t upper_ : 28 = 0;  // the symbol; If: the else block
  uint32_t first_ = 0;       // args.first
  uint32_t lower_ = 0;       // the body; Store: args.count; Loop: the body and, in the highest bit, unroll
};
static_assert(sizeof(PackedNode) == 12);

/// A switch, not the table of shapes: statements are unpacked at each look, and the reference is 4 % slower
/// by the table.
inline Node PackedNode::unpack() const {
  Node node{.kind = static_cast<NodeKind>(kind_), .malformed = malformed_ == 1};
  if (node.malformed) return node;
  switch (node.kind) {
    case NodeKind::Let:
    case NodeKind::Assign:
      node.symbol = Symbol{widened(upper_)};
      node.args = {first_, 1};
      break;
    case NodeKind::Store:
      node.symbol = Symbol{widened(upper_)};
      node.args = {first_, lower_};
      break;
    case NodeKind::If:
      node.args = {first_, 1};
      node.body = BlockId{lower_};
      node.orelse = BlockId{widened(upper_)};
      break;
    case NodeKind::Loop:
      node.symbol = Symbol{widened(upper_)};
      node.args = {first_, 2};
      node.body = lower_ == UINT32_MAX ? kNoBlock : BlockId{lower_ & ~kUnroll};
      node.unroll = lower_ != UINT32_MAX && (lower_ & kUnroll) != 0;
      break;
    case NodeKind::Block: node.body = BlockId{lower_}; break;
    case NodeKind::Return:
    case NodeKind::Barrier: break;
  }
  return node;
}

/// Statements by NodeId.
class Nodes {
 public:
  class Iterator {
   public:
    explicit Iterator(const PackedNode* at) : at_(at) {}
    Node operator*() const { return at_->unpack(); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const PackedNode* at_;
  };

  size_t size() const { return packed_.size(); }
  Node operator[](size_t i) const { return packed_[i].unpack(); }
  Iterator begin() const { return Iterator(packed_.data()); }
  Iterator end() const { return Iterator(packed_.data() + packed_.size()); }
  void reserve(size_t nodes) { packed_.reserve(nodes); }
  void push_back(const Node& node) { packed_.emplace_back(node); }
  void set(size_t i, const Node& node) { packed_[i] = PackedNode(node); }
  /// Gives an If that has none its else block.
  void set_orelse(NodeId id, BlockId block) { packed_[index(id)].set_orelse(block); }

 private:
  Arena<PackedNode> packed_;
};

}  // namespace vyre::ir
