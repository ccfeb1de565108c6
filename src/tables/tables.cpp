#include "tables/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tables/automaton.h"
#include "tables/layout.h"
#include "tables/literals.h"
#include "tables/pattern.h"

namespace vyre::tables {

void put_head(std::vector<uint32_t>& words, const std::array<uint32_t, 4>& first, const Classes& class_of) {
  words.insert(words.end(), first.begin(), first.end());
  for (size_t byte = 0; byte < 256; byte += 4) {
    uint32_t word = 0;
    for (size_t lane = 0; lane < 4; ++lane) word |= uint32_t(class_of[byte + lane]) << 8 * lane;
    words.push_back(word);
  }
}

void put_dfa(std::vector<uint32_t>& words, const Dfa& dfa) {
  const auto entry = [&](uint32_t state) { return state | (dfa.here[state] != 0 ? kAccepts : 0); };
  put_head(words, {dfa.states(), dfa.classes, entry(dfa.start), 0}, dfa.class_of);
  for (const uint32_t state : dfa.next) words.push_back(entry(state));
}

namespace {

void append(std::vector<uint32_t>& words, const std::vector<uint32_t>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// The state from which nothing is matched any more; ffffffff where there is none.
uint32_t dead_state(const Dfa& dfa) {
  for (uint32_t s = 0; s < dfa.states(); ++s) {
    bool leaves = dfa.here[s] != 0 || dfa.at_last[s] != 0;
    for (size_t c = 0; c < dfa.classes && !leaves; ++c) leaves = dfa.next[s * dfa.classes + c] != s;
    if (!leaves) return s;
  }
  return 0xffff'ffff;
}

/// None: a limit is exceeded.
std::optional<Table> table_of(Kind kind, std::span<const Node> patterns) {
  const std::optional<Nfa> nfa = nfa_of(patterns);
  if (!nfa) return {};
  std::optional<Dfa> dfa = determinize(*nfa, Direction::Forward);
  if (!dfa) return {};
  dfa = minimal(*dfa);
  Table table = {.patterns = uint32_t(patterns.size()), .states = dfa->states(), .classes = dfa->classes};
  put_dfa(table.words, *dfa);
  append(table.words, dfa->here);
  if (kind == Kind::Globs) return table;
  append(table.words, dfa->at_last);
  std::optional<Dfa> back = determinize(*nfa, Direction::Backward);
  if (!back) return {};
  back = minimal(*back);
  table.words[3] = uint32_t(table.words.size());
  table.words.push_back(dfa->inside);
  table.words.push_back(dead_state(*dfa));
  put_dfa(table.words, *back);
  append(table.words, back->at_last);
  return table;
}

/// How a pattern of each kind is called, and what one is called for.
struct Words {
  std::string_view one, many;
};
Words words_of(Kind kind) {
  switch (kind) {
    case Kind::Literals: return {"literal", "literals"};
    case Kind::Globs: return {"glob", "globs"};
    case Kind::Expressions: return {"expression", "expressions"};
  }
  return {};
}

/// What is wrong before any pattern is read.
std::optional<Fault> fault_of(Kind kind, std::span<const std::string_view> patterns) {
  const Words words = words_of(kind);
  if (patterns.empty())
    return Fault{1, 1, fmt::format("there is no {}", words.one),
                 fmt::format("write {}, one a line", words.many)};
  if (patterns.size() > kMostPatterns)
    return Fault{kMostPatterns + 1, 1, fmt::format("more than {} {}", kMostPatterns, words.many),
                 "make several tables of parts of them"};
  for (size_t k = 0; k < patterns.size(); ++k) {
    if (!patterns[k].empty()) continue;
    return Fault{k + 1, 1, "an empty line",
                 kind == Kind::Expressions ? "remove it, or write () for the empty text" : "remove it"};
  }
  return {};
}

/// The first pattern with which a limit is exceeded, given that with all of them one is.
template <typename Make>
size_t first_too_many(size_t patterns, const Make& fits) {
  size_t good = 0, bad = patterns;
  while (bad - good > 1) {
    const size_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return bad;
}

}  // namespace

std::expected<Table, Fault> make_table(Kind kind, std::span<const std::string_view> patterns) {
  if (auto fault = fault_of(kind, patterns)) return std::unexpected(std::move(*fault));
  if (kind == Kind::Literals) {
    if (auto table = table_of_literals(patterns)) return std::move(*table);
    const size_t line = first_too_many(
        patterns.size(), [&](size_t n) { return table_of_literals(patterns.first(n)).has_value(); });
    return std::unexpected(
        Fault{line, 1, fmt::format("with this literal the table has more than {} words", kMostWords),
              "make several tables of parts of them"});
  }
  std::vector<Node> nodes;
  for (size_t k = 0; k < patterns.size(); ++k) {
    auto node = kind == Kind::Globs ? parse_glob(patterns[k]) : parse_expression(patterns[k]);
    if (!node)
      return std::unexpected(
          Fault{k + 1, node.error().at + 1, std::move(node.error().message), std::move(node.error().help)});
    nodes.push_back(std::move(*node));
  }
  if (auto table = table_of(kind, nodes)) return std::move(*table);
  // One that is too large alone is named; else it is all of them together.
  size_t alone = 0;
  while (alone < nodes.size() && nodes.size() > 1 && table_of(kind, std::span(nodes).subspan(alone, 1)))
    ++alone;
  const bool together = alone == nodes.size();
  return std::unexpected(Fault{
      together ? 1 : alone + 1, 1,
      together ? fmt::format("the automaton of these {} {} is too large", nodes.size(), words_of(kind).many)
               : fmt::format("the automaton of this {} is too large", words_of(kind).one),
      fmt::format("the limit is {} states before it is made minimal: {}", kMostStates,
                  together ? "make several tables of parts of the file, or use fewer wildcards"
                           : "use smaller counts and fewer wildcards")});
}

std::expected<Table, Fault> make_table_of_lines(Kind kind, std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (end != text.npos && line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end == text.npos ? end : end + 1, text.size()));
  }
  return make_table(kind, lines);
}

}  // namespace vyre::tables
