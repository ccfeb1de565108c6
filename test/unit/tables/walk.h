// The tables of vyre-tables, read as the heads of src/library/match describe them: word by word, one byte of
// text at a time. It shares nothing with what makes them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tables/tables.h"

namespace vyre::tables {

/// A table of match.dfa that begins at a word of a larger one.
struct DfaWords {
  std::span<const uint32_t> words;

  uint32_t states() const { return words[0]; }
  uint32_t classes() const { return words[1]; }
  uint32_t start() const { return words[2] & 0x7fff'ffff; }
  bool start_accepts() const { return words[2] >> 31 != 0; }
  uint32_t class_of(uint8_t byte) const { return words[4 + byte / 4] >> 8 * (byte % 4) & 255; }
  uint32_t entry(uint32_t state, uint32_t its_class) const {
    return words[68 + state * classes() + its_class];
  }
  uint32_t next(uint32_t state, uint8_t byte) const { return entry(state, class_of(byte)) & 0x7fff'ffff; }
  /// What stands behind the transitions.
  uint32_t label(uint32_t i) const { return words[68 + states() * classes() + i]; }
  size_t size() const { return 68 + size_t(states()) * classes(); }
};

inline Table table_of(Kind kind, const std::vector<std::string>& patterns) {
  const std::vector<std::string_view> views(patterns.begin(), patterns.end());
  auto table = make_table(kind, views);
  if (!table) {
    ADD_FAILURE() << patterns[table.error().line - 1] << ": " << table.error().message;
    return {};
  }
  return std::move(*table);
}

/// The lowest glob that matches a text.
inline std::optional<uint32_t> match_glob(const Table& table, std::string_view text) {
  const DfaWords dfa = {table.words};
  uint32_t state = dfa.start();
  for (const char c : text) state = dfa.next(state, uint8_t(c));
  const uint32_t label = dfa.label(state);
  return label == 0 ? std::nullopt : std::optional(label - 1);
}

struct Match {
  size_t begin, end;
  uint32_t pattern;
  bool operator==(const Match&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Match& match) {
  return out << "[" << match.begin << ", " << match.end << ") of " << match.pattern;
}

/// As match.regex does it: backward for where matches begin, forward from the first for the longest.
inline std::optional<Match> match_expression(const Table& table, std::string_view text) {
  const DfaWords dfa = {table.words};
  const std::span rest = std::span(table.words).subspan(table.words[3]);
  const DfaWords back = {rest.subspan(2)};
  std::optional<size_t> begin;
  uint32_t state = back.start();
  if (back.start_accepts()) begin = text.size();
  for (size_t at = text.size(); at-- > 0;) {
    const uint32_t entry = back.entry(state, back.class_of(uint8_t(text[at])));
    state = entry & 0x7fff'ffff;
    if (entry >> 31 != 0) begin = at;
  }
  if (back.label(state) != 0) begin = 0;
  if (!begin) return {};

  state = *begin == 0 ? dfa.start() : rest[0];
  std::optional<Match> longest;
  for (size_t at = *begin;; ++at) {
    if (const uint32_t label = dfa.label(state); label != 0) longest = {*begin, at, label - 1};
    if (at == text.size()) break;
    if (state == rest[1]) return longest;
    state = dfa.next(state, uint8_t(text[at]));
  }
  if (const uint32_t label = dfa.label(dfa.states() + state); label != 0)
    longest = {*begin, text.size(), label - 1};
  EXPECT_TRUE(longest) << "a match begins here and ends nowhere";
  return longest;
}

/// That a table has no states and no classes too many: each state is reached from one of `starts`, two states
/// differ by their labels or by where some text leads them (by Moore's refinement, in rounds), and two
/// classes by where they lead.
inline void expect_minimal(const DfaWords& dfa, const std::vector<uint32_t>& starts, uint32_t labels) {
  const uint32_t n = dfa.states(), c = dfa.classes();
  std::vector<bool> reached(n), accepts(n), entries(n);
  accepts[dfa.start()] = dfa.start_accepts();
  std::vector<uint32_t> queue = starts;
  for (const uint32_t start : starts) reached[start] = true;
  for (size_t i = 0; i < queue.size(); ++i) {
    for (uint32_t k = 0; k < c; ++k) {
      const uint32_t to = dfa.entry(queue[i], k) & 0x7fff'ffff;
      ASSERT_LT(to, n);
      // It is of a state, whatever leads to it.
      const bool entered = dfa.entry(queue[i], k) >> 31 != 0;
      if (to == dfa.start() || entries[to]) {
        ASSERT_EQ(accepts[to], entered);
      }
      accepts[to] = entered;
      entries[to] = true;
      if (!reached[to]) queue.push_back(to);
      reached[to] = true;
    }
  }
  EXPECT_TRUE(std::ranges::all_of(reached, std::identity())) << "a state is never reached";

  std::vector<uint32_t> block(n);
  for (size_t blocks = 0;;) {
    // A state is what block it is in, and into which it leads.
    std::vector<std::vector<uint32_t>> kinds(n);
    for (uint32_t s = 0; s < n; ++s) {
      kinds[s].push_back(block[s]);
      for (uint32_t l = 0; l < labels; ++l) kinds[s].push_back(dfa.label(l * n + s));
      kinds[s].push_back(accepts[s]);
      for (uint32_t k = 0; k < c; ++k) kinds[s].push_back(block[dfa.entry(s, k) & 0x7fff'ffff]);
    }
    std::vector<std::vector<uint32_t>> sorted = kinds;
    std::ranges::sort(sorted);
    sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
    for (uint32_t s = 0; s < n; ++s)
      block[s] = uint32_t(std::ranges::lower_bound(sorted, kinds[s]) - sorted.begin());
    if (sorted.size() == blocks) break;
    blocks = sorted.size();
  }
  std::ranges::sort(block);
  EXPECT_EQ(std::ranges::unique(block).begin(), block.end()) << "two states are equivalent";

  std::vector<std::vector<uint32_t>> columns(c);
  for (uint32_t k = 0; k < c; ++k)
    for (uint32_t s = 0; s < n; ++s) columns[k].push_back(dfa.entry(s, k));
  std::ranges::sort(columns);
  EXPECT_EQ(std::ranges::unique(columns).begin(), columns.end()) << "two classes lead to the same";
}

}  // namespace vyre::tables
