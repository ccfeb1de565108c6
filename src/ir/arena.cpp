#include "ir/arena.h"

#include <cstring>
#include <random>

namespace vyre::ir {
namespace {

constexpr uint32_t kEmpty = UINT32_MAX;

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return uint64_t(product) ^ uint64_t(product >> 64);
}

/// Names come from untrusted files, and a table that can be filled with names of one hash is a list. So the
/// hash has a secret key; the order of the table never shows.
uint64_t hash(std::string_view name) {
  static const uint64_t key = [] {
    std::random_device device;
    return uint64_t(device()) << 32 | device();
  }();
  uint64_t state = mix(key ^ name.size(), 0x9e3779b97f4a7c15);
  while (!name.empty()) {
    uint64_t word = 0;
    const size_t bytes = name.size() < 8 ? name.size() : 8;
    std::memcpy(&word, name.data(), bytes);
    state = mix(state ^ word, 0xd6e8feb86659fd93 ^ key);
    name.remove_prefix(bytes);
  }
  return mix(state, 0xa0761d6478bd642f);
}

}  // namespace

Symbol Symbols::intern(std::string_view name) {
  if (size() * 3 >= slots_.size() * 2) rehash();
  const size_t mask = slots_.size() - 1;
  size_t slot = hash(name) & mask;
  for (; slots_[slot] != kEmpty; slot = (slot + 1) & mask) {
    if ((*this)[slots_[slot]] == name) return Symbol{slots_[slot]};
  }
  slots_[slot] = uint32_t(size());
  text_.append(name);
  ends_.push_back(uint32_t(text_.size()));
  return Symbol{slots_[slot]};
}

/// Doubles the table.
void Symbols::rehash() {
  const size_t wanted = slots_.empty() ? 16 : slots_.size() * 2;
  Arena<uint32_t>().swap(slots_);  // before the new one is there, to hold less
  slots_.assign(wanted, kEmpty);
  for (uint32_t i = 0; i < size(); ++i) {
    size_t slot = hash((*this)[i]) & (wanted - 1);
    while (slots_[slot] != kEmpty) slot = (slot + 1) & (wanted - 1);
    slots_[slot] = i;
  }
}

namespace {

constexpr uint32_t kNone = (1u << 28) - 1;  // as in PackedNode

/// An index in 28 bits, all ones for none.
constexpr bool fits(uint32_t index) { return index == UINT32_MAX || index < kNone; }

bool well_formed(const Node& node) {
  const NodeShape& shape = kNodeShapes[node.kind];
  if (node.malformed || (!shape.any_number && node.args.count != shape.operands)) return false;
  if ((!shape.symbol && node.symbol != kNoSymbol) || (!shape.body && node.body != kNoBlock)) return false;
  if (!shape.orelse && node.orelse != kNoBlock) return false;
  // A loop's body shares its word with the hint.
  const bool has_room = node.body == kNoBlock ? !node.unroll : index(node.body) < uint32_t(1) << 31;
  if (node.kind == NodeKind::Loop ? !has_room : node.unroll) return false;
  return fits(index(node.symbol)) && fits(index(node.orelse));
}

}  // namespace

PackedNode::PackedNode(const Node& node)
    : kind_(static_cast<uint32_t>(node.kind)), malformed_(!well_formed(node)) {
  if (malformed_) return;
  const NodeShape& shape = kNodeShapes[node.kind];
  upper_ = shape.symbol ? index(node.symbol) : index(node.orelse);
  first_ = node.args.first;
  lower_ = shape.any_number ? node.args.count : index(node.body);
  if (node.unroll) lower_ |= kUnroll;
}

}  // namespace vyre::ir
