// A glob or a regular expression as a tree: what is left of either once its syntax is read.
//
// Leaves are one byte of a set, and the two places at which an item begins and ends. Above them stand
// sequences, choices and repetitions. Neither parser knows what becomes of a tree, nor automata of syntax.
#pragma once

#include <bitset>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vyre::tables {

using ByteSet = std::bitset<256>;

enum class NodeKind : uint8_t {
  Bytes,     // one byte of `bytes`
  Sequence,  // all parts, one behind the other; without parts the empty text
  Either,    // one of the parts
  Repeat,    // the only part, `least` times or more, up to `most`
  Begin,     // the empty text at the beginning of the item
  End,       // the same at its end
};

struct Node {
  NodeKind kind = NodeKind::Sequence;
  ByteSet bytes = {};
  std::vector<Node> parts = {};
  uint32_t least = 0;
  std::optional<uint32_t> most = {};
};

/// Why a pattern is refused: at which byte, what, and the way out.
struct SyntaxFault {
  size_t at;
  std::string message, help;
};

std::expected<Node, SyntaxFault> parse_glob(std::string_view text);
std::expected<Node, SyntaxFault> parse_expression(std::string_view text);

/// The set of one byte, and of the bytes from `first` to `last`.
ByteSet one_byte(uint8_t byte);
ByteSet byte_range(uint8_t first, uint8_t last);
Node node_of(const ByteSet& bytes);

/// A range of a class that is written at `at`. Errors: its ends are in the wrong order.
std::expected<ByteSet, SyntaxFault> class_range(size_t at, uint8_t first, uint8_t last);

}  // namespace vyre::tables
