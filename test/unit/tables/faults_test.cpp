// Files that give no table: where the fault is, and what the message says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle.h"
#include "tables/tables.h"

VYRE_ORACLE(SpecificationTable, "the syntax in tables.h, with faults planted at known places");

namespace vyre::tables {
namespace {

struct Row {
  Kind kind;
  std::string text;
  size_t line, column;
  std::string_view message;
};

TEST(Faults, SayWhereAndWhat) {
  using enum Kind;
  std::string nested = "ab" + std::string(300, '(');
  std::string many;
  for (size_t k = 0; k <= kMostPatterns; ++k) many += "a\n";
  const Row rows[] = {
      {Literals, "", 1, 1, "there is no literal"},
      {Literals, "a\n\nb\n", 2, 1, "an empty line"},
      {Literals, "a\r\n\r\n", 2, 1, "an empty line"},
      {Literals, many, kMostPatterns + 1, 1, "more than 65536 literals"},
      {Globs, "", 1, 1, "there is no glob"},
      {Globs, "a\nb[x\n", 2, 2, "a class without its ]"},
      {Globs, "[]", 1, 1, "a class without its ]"},
      {Globs, "a[z-a]", 1, 3, "ends before it begins"},
      {Expressions, "\n", 1, 1, "an empty line"},
      {Expressions, "a)", 1, 2, "a ) without its ("},
      {Expressions, "x\na(b", 2, 2, "a ( without its )"},
      {Expressions, nested, 1, 203, "nested deeper than 200"},
      {Expressions, "*a", 1, 1, "nothing to repeat"},
      {Expressions, "a|+", 1, 3, "nothing to repeat"},
      {Expressions, "({2})", 1, 2, "nothing to repeat"},
      {Expressions, "a**", 1, 3, "a repetition of a repetition"},
      {Expressions, "a*{2}", 1, 3, "a repetition of a repetition"},
      {Expressions, "a+?", 1, 3, "lazy and possessive"},
      {Expressions, "a{2,1}", 1, 2, "ends before it begins"},
      {Expressions, "a{x}", 1, 2, "begins no count"},
      {Expressions, "a{,2}", 1, 2, "begins no count"},
      {Expressions, "a{1", 1, 2, "begins no count"},
      {Expressions, "a{1001}", 1, 2, "a count above 1000"},
      {Expressions, "a{99999999999999999999}", 1, 2, "a count above 1000"},
      {Expressions, "a^*", 1, 3, "^ and $ are repeated"},
      {Expressions, "(?=a)", 1, 1, "groups with a ?"},
      {Expressions, "a[b", 1, 2, "a class without its ]"},
      {Expressions, "[b-a]", 1, 2, "ends before it begins"},
      {Expressions, "[\\d-a]", 1, 2, "has a class as its end"},
      {Expressions, "[[:alpha:]]", 1, 2, "named classes"},
      {Expressions, "[\xc3\xa9]", 1, 2, "this character is several"},
      {Expressions, "ab\\", 1, 3, "a \\ at the end"},
      {Expressions, "\\b", 1, 1, "\\b is not in the subset"},
      {Expressions, "\\1", 1, 1, "\\1 is not in the subset"},
      {Expressions, "\\x1", 1, 1, "two hexadecimal digits"},
      {Expressions, "x\n[ab]*a[ab]{20}\ny\n", 2, 1, "is too large"},
      {Expressions, "((a{1000}){1000}){1000}", 1, 1, "is too large"},
      {Expressions, "(((){1000}){1000}){1000}", 1, 1, "is too large"},
      {Globs, "*a?????????????????????", 1, 1, "is too large"},
  };
  for (const Row& row : rows) {
    const auto table = make_table_of_lines(row.kind, row.text);
    const std::string shown = row.text.substr(0, 40);
    ASSERT_FALSE(table) << shown;
    EXPECT_EQ(table.error().line, row.line) << shown;
    EXPECT_EQ(table.error().column, row.column) << shown;
    EXPECT_THAT(table.error().message, testing::HasSubstr(row.message)) << shown;
    EXPECT_NE(table.error().help, "") << shown;
  }
}

TEST(Lines, EndWithEitherLineEndOrNone) {
  for (const std::string_view text : {"ab\ncd", "ab\ncd\n", "ab\r\ncd\r\n"}) {
    const auto table = make_table_of_lines(Kind::Literals, text);
    ASSERT_TRUE(table);
    EXPECT_EQ(table->patterns, 2u);
    EXPECT_EQ(table->words[2], 2u);
  }
}

}  // namespace
}  // namespace vyre::tables
