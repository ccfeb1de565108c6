// Globs, as fnmatch of Python reads them, but for a class without its end, which is refused.
#include "tables/pattern.h"

namespace vyre::tables {
namespace {

/// Reads the class whose [ stands at `at`; leaves `at` behind its ].
std::expected<ByteSet, SyntaxFault> read_class(std::string_view text, size_t& at) {
  const size_t open = at++;
  const bool negated = at < text.size() && text[at] == '!';
  if (negated) ++at;
  ByteSet set;
  for (const size_t first = at; at < text.size() && (at == first || text[at] != ']');) {
    const size_t from = at;
    const auto low = uint8_t(text[at++]);
    auto high = low;
    if (at + 1 < text.size() && text[at] == '-' && text[at + 1] != ']') {
      high = uint8_t(text[at + 1]);
      at += 2;
    }
    const auto range = class_range(from, low, high);
    if (!range) return std::unexpected(range.error());
    set |= *range;
  }
  if (at >= text.size())
    return std::unexpected(SyntaxFault{open, "a class without its ]", "write [[] for the byte ["});
  ++at;
  return negated ? ~set : set;
}

}  // namespace

std::expected<Node, SyntaxFault> parse_glob(std::string_view text) {
  Node whole;
  for (size_t at = 0; at < text.size();) {
    switch (text[at]) {
      case '*':
        // Several are as good as one, and cost more.
        while (at + 1 < text.size() && text[at + 1] == '*') ++at;
        ++at;
        whole.parts.push_back({.kind = NodeKind::Repeat, .parts = {node_of(ByteSet().set())}});
        break;
      case '?':
        ++at;
        whole.parts.push_back(node_of(ByteSet().set()));
        break;
      case '[': {
        const auto set = read_class(text, at);
        if (!set) return std::unexpected(set.error());
        whole.parts.push_back(node_of(*set));
        break;
      }
      default: whole.parts.push_back(node_of(one_byte(uint8_t(text[at++]))));
    }
  }
  return whole;
}

}  // namespace vyre::tables
