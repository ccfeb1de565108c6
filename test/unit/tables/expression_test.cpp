// Tables of regular expressions, on thousands of small expressions and texts: against a matcher that follows
// the tree of an expression with the set of all places it can be at, and against RE2.
//
// Expressions are drawn as trees and written down, so that the matcher has nothing of the parser under test.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "oracle.h"
#include "walk.h"

VYRE_ORACLE(CpuReference, "the matcher of sets of places below, and RE2 with longest_match");

namespace vyre::tables {
namespace {

struct Tree {
  enum class Kind : uint8_t { Class, Sequence, Either, Repeat, Begin, End } kind = Kind::Sequence;
  std::string bytes = {};    // of a class
  std::string written = {};  // how the class is written
  std::vector<Tree> parts = {};
  uint32_t least = 0, most = 0;  // 99: no limit
  std::string_view suffix = {};
};

constexpr std::string_view kLetters = "abc\n";

Tree tree(RandomStream& random, uint32_t depth) {
  using enum Tree::Kind;
  struct Leaf {
    std::string_view written, bytes;
  };
  constexpr Leaf kLeaves[] = {{"a", "a"},
                              {"b", "b"},
                              {"c", "c"},
                              {".", "abc"},
                              {"[ab]", "ab"},
                              {"[^a]", "bc\n"},
                              {"[a-c]", "abc"},
                              {"\\x61", "a"},
                              {"\\w", "abc"},
                              {"\\s", "\n"},
                              {"\\n", "\n"},
                              {"[\\x62-c]", "bc"},
                              {"[^\\n\\d-]", "abc"},
                              {"\\D", "abc\n"},
                              {"\\S", "abc"}};
  struct Repetition {
    std::string_view suffix;
    uint32_t least, most;
  };
  constexpr Repetition kRepetitions[] = {{"*", 0, 99},    {"+", 1, 99},    {"?", 0, 1},     {"{2}", 2, 2},
                                         {"{1,}", 1, 99}, {"{0,2}", 0, 2}, {"{1,3}", 1, 3}, {"{0}", 0, 0}};
  const uint32_t kind = depth == 0 ? 0 : random.below(10);
  if (kind < 3) {
    if (random.chance(12)) return {.kind = random.chance(2) ? Begin : End};
    const Leaf& leaf = kLeaves[random.chance(2) ? random.below(3) : random.below(std::size(kLeaves))];
    return {.kind = Class, .bytes = std::string(leaf.bytes), .written = std::string(leaf.written)};
  }
  if (kind < 8) {
    Tree out = {.kind = kind < 6 ? Sequence : Either};
    for (uint32_t k = out.kind == Either ? 1 + random.below(3) : random.below(4); k-- > 0;)
      out.parts.push_back(tree(random, depth - 1));
    return out;
  }
  Tree part = tree(random, depth - 1);
  if (part.kind == Begin || part.kind == End) return part;  // which cannot be repeated
  const Repetition& chosen = kRepetitions[random.below(std::size(kRepetitions))];
  return {.kind = Repeat,
          .parts = {std::move(part)},
          .least = chosen.least,
          .most = chosen.most,
          .suffix = chosen.suffix};
}

std::string written(const Tree& tree) {
  using enum Tree::Kind;
  std::string out;
  switch (tree.kind) {
    case Class: return tree.written;
    case Begin: return "^";
    case End: return "$";
    case Sequence:
      for (const Tree& part : tree.parts) out += written(part);
      return "(" + out + ")";
    case Either:
      for (const Tree& part : tree.parts) out += (out.empty() ? "" : "|") + written(part);
      return "(?:" + out + ")";
    case Repeat: {
      const std::string inner = written(tree.parts[0]);
      return (tree.parts[0].kind == Repeat ? "(" + inner + ")" : inner) + std::string(tree.suffix);
    }
  }
  return out;
}

/// Where a tree can end that begins at one of these places.
std::set<size_t> ends(const Tree& tree, std::string_view text, const std::set<size_t>& begins) {
  using enum Tree::Kind;
  std::set<size_t> out;
  switch (tree.kind) {
    case Class:
      for (const size_t at : begins)
        if (at < text.size() && tree.bytes.contains(text[at])) out.insert(at + 1);
      break;
    case Begin:
      if (begins.contains(0)) out.insert(0);
      break;
    case End:
      if (begins.contains(text.size())) out.insert(text.size());
      break;
    case Sequence:
      out = begins;
      for (const Tree& part : tree.parts) out = ends(part, text, out);
      break;
    case Either:
      for (const Tree& part : tree.parts) out.merge(ends(part, text, begins));
      break;
    case Repeat: {
      // More often than there are places adds none.
      std::set<size_t> now = begins;
      const uint32_t most = std::min<uint32_t>(tree.most, tree.least + uint32_t(text.size()) + 1);
      for (uint32_t k = 0; k <= most; ++k) {
        if (k >= tree.least) out.insert(now.begin(), now.end());
        now = ends(tree.parts[0], text, now);
      }
      break;
    }
  }
  return out;
}

std::optional<Match> expected(const std::vector<Tree>& patterns, std::string_view text) {
  for (size_t begin = 0; begin <= text.size(); ++begin) {
    std::optional<Match> longest;
    for (uint32_t k = 0; k < patterns.size(); ++k) {
      const std::set<size_t> found = ends(patterns[k], text, {begin});
      if (!found.empty() && (!longest || *found.rbegin() > longest->end))
        longest = {begin, *found.rbegin(), k};
    }
    if (longest) return longest;
  }
  return {};
}

std::string text_of(RandomStream& random, uint32_t most) {
  std::string out;
  for (uint32_t k = random.below(most + 1); k-- > 0;)
    out += kLetters[random.below(random.chance(4) ? uint32_t(kLetters.size()) : 2)];
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

TEST(Expressions, FindTheLeftmostLongestMatch) {
  for (uint64_t number = 0; number < 4'000; ++number) {
    RandomStream random(1, number);
    std::vector<Tree> trees;
    std::vector<std::string> patterns;
    for (uint32_t k = random.chance(4) ? 1 + random.below(4) : 1; k-- > 0;) {
      trees.push_back(tree(random, 1 + random.below(4)));
      patterns.push_back(written(trees.back()));
    }
    const Table table = table_of(Kind::Expressions, patterns);
    for (int i = 0; i < 12; ++i) {
      const std::string text = text_of(random, 10);
      ASSERT_EQ(match_expression(table, text), expected(trees, text))
          << joined(patterns) << "in '" << text << "'";
    }
  }
}

TEST(Expressions, FindWhatRe2Finds) {
  RE2::Options options(RE2::Latin1);
  options.set_longest_match(true);
  options.set_log_errors(false);
  size_t refused = 0;
  for (uint64_t number = 0; number < 4'000; ++number) {
    RandomStream random(2, number);
    const std::string pattern = written(tree(random, 1 + random.below(4)));
    const RE2 re2(pattern, options);
    refused += !re2.ok();
    if (!re2.ok()) continue;
    const Table table = table_of(Kind::Expressions, {pattern});
    for (int i = 0; i < 12; ++i) {
      const std::string text = text_of(random, 12);
      re2::StringPiece found;
      std::optional<Match> match;
      if (re2.Match(text, 0, text.size(), RE2::UNANCHORED, &found, 1)) {
        const auto begin = size_t(found.data() - text.data());
        match = {begin, begin + found.size(), 0};
      }
      ASSERT_EQ(match_expression(table, text), match) << pattern << " in '" << text << "'";
    }
  }
  EXPECT_LT(refused, 40u) << "RE2 takes nearly all of the subset";
}

TEST(Expressions, HaveNoStateTooMany) {
  for (uint64_t number = 0; number < 2'000; ++number) {
    RandomStream random(3, number);
    std::vector<std::string> patterns;
    for (uint32_t k = 1 + random.below(3); k-- > 0;)
      patterns.push_back(written(tree(random, 1 + random.below(4))));
    SCOPED_TRACE(joined(patterns));
    const Table table = table_of(Kind::Expressions, patterns);
    const DfaWords dfa = {table.words};
    ASSERT_EQ(table.words[3], dfa.size() + 2 * size_t(dfa.states()));
    const std::span rest = std::span(table.words).subspan(table.words[3]);
    expect_minimal(dfa, {dfa.start(), rest[0]}, 2);
    const DfaWords back = {rest.subspan(2)};
    ASSERT_EQ(rest.size(), 2 + back.size() + back.states());
    expect_minimal(back, {back.start()}, 1);
    if (testing::Test::HasFailure()) break;
  }
}

TEST(Expressions, BytesAndCharacters) {
  VYRE_ORACLE(SpecificationTable, "the syntax in tables.h, worked out by hand");
  struct Row {
    std::string_view pattern, text;
    std::optional<Match> match;
  };
  const Row rows[] = {
      {"\xc3\xa9*x", "\xc3\xa9\xc3\xa9x", Match{0, 5, 0}},  // the character is repeated, not its last byte
      {"\\xc3\\xa9*x", "\xc3\xa9\xa9x", Match{0, 4, 0}},
      {"\xc3*", "\xc3\xc3", Match{0, 2, 0}},  // a byte that begins a character and is none
      {"[^a]", std::string_view("\0", 1), Match{0, 1, 0}},
      {"[]a]+", "x]a]", Match{1, 4, 0}},
      {"[a-]+", "b-a", Match{1, 3, 0}},
      {"[^]]", "]a", Match{1, 2, 0}},
      {"a{2,3}}", "aaaa}", Match{1, 5, 0}},
      {"]", "]", Match{0, 1, 0}},
      {"()", "", Match{0, 0, 0}},
      {"a|", "b", Match{0, 0, 0}},
      {"$^", "", Match{0, 0, 0}},
      {"a$b", "ab", {}},
      {"(^|b)a", "caba", Match{2, 4, 0}},
      {"[^\\x00-\\xff]", "a", {}},
      {"\\.\\*\\[", ".*[", Match{0, 3, 0}},
      {"a{1000}", "a", {}},
      {"\\v\\f\\r\\t", "\v\f\r\t", Match{0, 4, 0}},
  };
  for (const Row& row : rows)
    EXPECT_EQ(match_expression(table_of(Kind::Expressions, {std::string(row.pattern)}), row.text), row.match)
        << row.pattern;
}

TEST(Expressions, ManyKeywords) {
  VYRE_ORACLE(SpecificationTable, "by construction: pattern k alone matches its own word");
  std::vector<std::string> words;
  for (int k = 0; k < 3'000; ++k) words.push_back("w" + std::to_string(k * 7'919 % 100'000) + "e");
  const Table table = table_of(Kind::Expressions, words);
  for (uint32_t k = 0; k < words.size(); k += 97)
    EXPECT_EQ(match_expression(table, "--" + words[k] + "-"), (Match{2, 2 + words[k].size(), k})) << words[k];
}

}  // namespace
}  // namespace vyre::tables
