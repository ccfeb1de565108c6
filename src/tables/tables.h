// Tables for match.dfa, match.aho_corasick, match.glob and match.regex: from patterns to automata.
//
// Those operations (src/library/match) walk over text by a table, the buffer `lookup`: of a state and a byte
// it has the next state. Here such tables are made. Bytes that no pattern tells apart are one class, which
// keeps tables small. Literals become the automaton of Aho and Corasick. Globs and regular expressions become
// a tree (pattern.h), then a nondeterministic automaton, which may be in several states at once, then a
// deterministic one, whose states are sets of those, and of these the one with the fewest states
// (automaton.h). The words of each table are described at the head of the text that reads it.
//
//   globs        the whole item is matched. * is any bytes, ? one byte, [a-z] and [!a-z] one of a class; ] is
//                in a class where it comes first, - where it comes first or last. Nothing escapes: [*] is a
//                star. A / is a byte as any other.
//   expressions  bytes; . is any but a line feed; [a-z] [^a-z]; \d \D \w \W \s \S of ASCII; \n \t \r \f \v
//                \xHH; \ before a punctuation mark; ( ) and (?: ); | * + ? {m} {m,} {m,n}, counts up to
//                1,000; ^ and $, the beginning and the end of the item. A character of several bytes of UTF-8
//                is repeated as a whole, and is in no class. The match is the leftmost, of those the longest.
//
// Pattern k is line k + 1 of a file. Where several match equally the one with the lowest number is meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vyre::tables {

enum class Kind : uint8_t { Literals, Globs, Expressions };

// What is refused beyond: tables stay below 256 MiB, and making one takes seconds.
inline constexpr size_t kMostPatterns = 65'536;
inline constexpr size_t kMostStates = 65'536;            // of a deterministic automaton, not yet minimal
inline constexpr size_t kMostWords = size_t{1} << 26;    // of a table of literals
inline constexpr size_t kMostSteps = size_t{1} << 20;    // of a nondeterministic one
inline constexpr size_t kMostMembers = size_t{1} << 24;  // states of that in states of this
inline constexpr size_t kMostVisits = size_t{1} << 30;   // of states, on the way to that
inline constexpr size_t kMostFileBytes = size_t{1} << 26;

struct Table {
  std::vector<uint32_t> words = {};
  uint32_t patterns = 0, states = 0, classes = 0;  // of expressions those of the first automaton
};

/// Why there is no table: where, what, and what to do about it.
struct Fault {
  size_t line = 1, column = 1;  // in bytes
  std::string message, help;
};

/// Domain: any bytes; none of the patterns may be empty.
std::expected<Table, Fault> make_table(Kind kind, std::span<const std::string_view> patterns);

/// The same of a file's text, one pattern a line. Lines end with \n or \r\n.
std::expected<Table, Fault> make_table_of_lines(Kind kind, std::string_view text);

}  // namespace vyre::tables
