// The parser of regular expressions: one function a level of the grammar.
//
//   either    sequence { "|" sequence }
//   sequence  { atom [ "*" | "+" | "?" | "{" m [ "," [ n ] ] "}" ] }
//   atom      "(" either ")" | "(?:" either ")" | "[" ... "]" | "." | "^" | "$" | escape | character
#include <fmt/format.h>

#include <algorithm>

#include "tables/pattern.h"

namespace vyre::tables {

ByteSet byte_range(uint8_t first, uint8_t last) {
  ByteSet set;
  for (unsigned byte = first; byte <= last; ++byte) set.set(byte);
  return set;
}
ByteSet one_byte(uint8_t byte) { return byte_range(byte, byte); }
Node node_of(const ByteSet& bytes) { return {.kind = NodeKind::Bytes, .bytes = bytes}; }

std::expected<ByteSet, SyntaxFault> class_range(size_t at, uint8_t first, uint8_t last) {
  if (first > last)
    return std::unexpected(SyntaxFault{at, "the range of a class ends before it begins", "swap its ends"});
  return byte_range(first, last);
}

namespace {

/// The byte of a set that has one; none of others.
std::optional<uint8_t> only_byte(const ByteSet& set) {
  if (set.count() != 1) return {};
  uint8_t byte = 0;
  while (!set[byte]) ++byte;
  return byte;
}

constexpr unsigned kMostDepth = 200;  // of brackets in one another
constexpr uint32_t kMostCount = 1'000;

template <typename T>
using Parsed = std::expected<T, SyntaxFault>;

std::unexpected<SyntaxFault> fault(size_t at, std::string message, std::string help) {
  return std::unexpected(SyntaxFault{at, std::move(message), std::move(help)});
}

bool is_punctuation(char c) {
  return (c >= 32 && c < 48) || (c >= 58 && c < 65) || (c >= 91 && c < 97) || (c >= 123 && c < 127);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Parsed<Node> parse() {
    Parsed<Node> whole = either();
    if (whole && !done()) return fault(at_, "a ) without its (", "write \\) for the character");
    return whole;
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  bool sees(char c) const { return !done() && text_[at_] == c; }
  bool sees(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  bool take(char c) {
    const bool there = sees(c);
    if (there) ++at_;
    return there;
  }

  Parsed<Node> either() {
    Node out = {.kind = NodeKind::Either};
    do {
      Parsed<Node> part = sequence();
      if (!part) return part;
      out.parts.push_back(std::move(*part));
    } while (take('|'));
    return out.parts.size() == 1 ? std::move(out.parts.front()) : std::move(out);
  }

  Parsed<Node> sequence() {
    Node out;
    while (!done() && !sees('|') && !sees(')')) {
      Parsed<Node> part = atom();
      if (part) part = repeated(std::move(*part));
      if (!part) return part;
      out.parts.push_back(std::move(*part));
    }
    return out;
  }

  /// What stands behind an atom: how often it comes.
  Parsed<Node> repeated(Node part) {
    const size_t at = at_;
    Node out = {.kind = NodeKind::Repeat};
    if (take('*')) {
    } else if (take('+')) {
      out.least = 1;
    } else if (take('?')) {
      out.most = 1;
    } else if (sees('{')) {
      if (const auto read = counts(out); !read) return std::unexpected(read.error());
    } else {
      return part;
    }
    if (sees('?') || sees('+'))
      return fault(at_, "lazy and possessive repetitions are not in the subset",
                   fmt::format("drop the {}: a match is the longest in any case", text_[at_]));
    if (sees('*') || sees('{'))
      return fault(at_, "a repetition of a repetition", "put brackets around what is repeated");
    if (part.kind == NodeKind::Begin || part.kind == NodeKind::End)
      return fault(at, "^ and $ are repeated", "write \\^ or \\$ for the character");
    out.parts.push_back(std::move(part));
    return out;
  }

  Parsed<void> counts(Node& out) {
    const size_t open = at_++;
    const auto malformed = [&] {
      return fault(open, "a { that begins no count", "write {3}, {3,} or {3,5}, or \\{ for the character");
    };
    const auto least = number();
    if (!least) return malformed();
    out.least = *least;
    out.most = out.least;
    if (take(',')) {
      out.most = number();
      if (!out.most && !sees('}')) return malformed();
    }
    if (!take('}')) return malformed();
    if (std::max(out.least, out.most.value_or(0)) > kMostCount)
      return fault(open, fmt::format("a count above {}", kMostCount),
                   "use smaller counts, one after another");
    if (out.most && *out.most < out.least)
      return fault(open, "a count that ends before it begins", "swap its ends");
    return {};
  }

  std::optional<uint32_t> number() {
    std::optional<uint32_t> value;
    for (; !done() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      value = std::min(value.value_or(0) * 10 + uint32_t(text_[at_] - '0'), kMostCount + 1);
    return value;
  }

  Parsed<Node> atom() {
    switch (text_[at_]) {
      case '(': return group();
      case '[': {
        const Parsed<ByteSet> set = read_class();
        if (!set) return std::unexpected(set.error());
        return node_of(*set);
      }
      case '.': ++at_; return node_of(~one_byte('\n'));
      case '^': ++at_; return Node{.kind = NodeKind::Begin};
      case '$': ++at_; return Node{.kind = NodeKind::End};
      case '\\': {
        const Parsed<ByteSet> set = escape();
        if (!set) return std::unexpected(set.error());
        return node_of(*set);
      }
      case '*':
      case '+':
      case '?':
      case '{':
        return fault(at_, fmt::format("a {} with nothing to repeat", text_[at_]),
                     fmt::format("write \\{} for the character", text_[at_]));
      default: return character();
    }
  }

  Parsed<Node> group() {
    const size_t open = at_++;
    if (sees('?') && !sees("?:"))
      return fault(open, "of groups with a ? only (?: ) is in the subset", "write (?:...) or (...)");
    if (sees("?:")) at_ += 2;
    if (++depth_ > kMostDepth)
      return fault(open, fmt::format("brackets are nested deeper than {}", kMostDepth), "use fewer brackets");
    Parsed<Node> inner = either();
    if (!inner) return inner;
    --depth_;
    if (!take(')')) return fault(open, "a ( without its )", "write \\( for the character");
    return inner;
  }

  /// A character of several bytes of UTF-8 is one atom; other bytes are one each.
  Parsed<Node> character() {
    Node out;
    const auto first = uint8_t(text_[at_]);
    const size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    do {
      out.parts.push_back(node_of(one_byte(uint8_t(text_[at_++]))));
    } while (out.parts.size() <= more && !done() && (uint8_t(text_[at_]) & 0xc0) == 0x80);
    return out.parts.size() == 1 ? std::move(out.parts.front()) : std::move(out);
  }

  Parsed<ByteSet> escape() {
    const size_t begin = at_++;
    if (done()) return fault(begin, "a \\ at the end", "write \\\\ for the character");
    const ByteSet digits = byte_range('0', '9');
    const ByteSet words = digits | byte_range('a', 'z') | byte_range('A', 'Z') | one_byte('_');
    const ByteSet blanks = byte_range('\t', '\r') | one_byte(' ');
    const char c = text_[at_++];
    switch (c) {
      case 'd': return digits;
      case 'D': return ~digits;
      case 'w': return words;
      case 'W': return ~words;
      case 's': return blanks;
      case 'S': return ~blanks;
      case 'n': return one_byte('\n');
      case 't': return one_byte('\t');
      case 'r': return one_byte('\r');
      case 'f': return one_byte('\f');
      case 'v': return one_byte('\v');
      case 'x': {
        unsigned value = 0;
        for (int i = 0; i < 2; ++i) {
          const size_t digit =
              done() ? std::string_view::npos : std::string_view("0123456789abcdefABCDEF").find(text_[at_]);
          if (digit == std::string_view::npos)
            return fault(begin, "\\x is not followed by two hexadecimal digits",
                         "write \\x0a for the byte 10");
          ++at_;
          value = value * 16 + unsigned(digit < 16 ? digit : digit - 6);
        }
        return one_byte(uint8_t(value));
      }
      default: break;
    }
    if (is_punctuation(c)) return one_byte(uint8_t(c));
    return fault(
        begin, fmt::format("\\{} is not in the subset", is_ascii(c) ? std::string(1, c) : "?"),
        "there are \\d \\D \\w \\W \\s \\S \\n \\t \\r \\f \\v \\xHH, and \\ before a punctuation mark");
  }

  static bool is_ascii(char c) { return c > ' ' && c < 127; }

  Parsed<ByteSet> read_class() {
    const size_t open = at_++;
    const bool negated = take('^');
    ByteSet set;
    for (const size_t first = at_; !done() && (at_ == first || !sees(']'));) {
      const size_t from = at_;
      if (sees("[:") || sees("[=") || sees("[."))
        return fault(at_, "named classes are not in the subset",
                     "write its bytes, or \\[ for the character [");
      const Parsed<ByteSet> low = member();
      if (!low) return low;
      if (sees('-') && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
        ++at_;
        const Parsed<ByteSet> high = member();
        if (!high) return high;
        const auto first_byte = only_byte(*low), last_byte = only_byte(*high);
        if (!first_byte || !last_byte)
          return fault(from, "the range of a class has a class as its end", "write \\- for the character -");
        const Parsed<ByteSet> range = class_range(from, *first_byte, *last_byte);
        if (!range) return range;
        set |= *range;
      } else {
        set |= *low;
      }
    }
    if (!take(']')) return fault(open, "a class without its ]", "write \\[ for the character");
    return negated ? ~set : set;
  }

  Parsed<ByteSet> member() {
    if (sees('\\')) return escape();
    const auto byte = uint8_t(text_[at_]);
    if (byte >= 0x80)
      return fault(at_, "a class has bytes, and this character is several",
                   "write a choice, (a|b), or bytes as \\xHH");
    ++at_;
    return one_byte(byte);
  }

  std::string_view text_;
  size_t at_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

std::expected<Node, SyntaxFault> parse_expression(std::string_view text) { return Parser(text).parse(); }

}  // namespace vyre::tables
