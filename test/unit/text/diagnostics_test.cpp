// What bad texts get: the code, the position and the words.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "oracle.h"
#include "text/directives.h"
#include "text/foreign_words.h"
#include "text/lexer.h"
#include "text/text.h"

VYRE_ORACLE(
    SpecificationTable,
    "diag.def and text-format, \"Characters and words\"; positions marked, and words written, by hand");

namespace vyre::text {
namespace {

struct Bad {
  std::string code;
  std::string marked;  // the text, with the place of the diagnostic between « and »
};

/// Takes the marks out of a text; the span is what was between them.
std::string unmark(const std::string& marked, Span& span) {
  const size_t begin = marked.find("\xC2\xAB"), end = marked.find("\xC2\xBB");
  EXPECT_NE(begin, std::string::npos) << marked;
  EXPECT_NE(end, std::string::npos) << marked;
  span = {uint32_t(begin), uint32_t(end - 2)};
  return marked.substr(0, begin) + marked.substr(begin + 2, end - begin - 2) + marked.substr(end + 2);
}

void expect_bad(const Bad& bad) {
  Span span;
  const std::string text = unmark(bad.marked, span);
  const auto program = parse(text);
  ASSERT_FALSE(program.has_value()) << text;
  EXPECT_EQ(diag_info(program.error().code).name, bad.code) << text << "\n" << program.error().message;
  EXPECT_EQ(program.error().span.begin, span.begin) << text << "\n" << program.error().message;
  EXPECT_EQ(program.error().span.end, span.end) << text << "\n" << program.error().message;
  EXPECT_FALSE(program.error().message.empty());
}

void expect_bad_body(const std::string& code, const std::string& body) {
  expect_bad(
      {code, "program p(read a: u32 @0, read_write o: u32 @1) workgroup(1, 1, 1) {\n" + body + "\n}\n"});
}

/// The lines of a file beside this one, but its comments, with their ends of lines put in.
std::vector<std::string> rows_of(const char* file) {
  std::ifstream in(std::string(VYRE_SOURCE_DIR "/test/unit/text/") + file);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    for (size_t at; (at = line.find("\\n")) != line.npos;) line.replace(at, 2, "\n");
    out.push_back(line);
  }
  return out;
}

TEST(Diagnostics, Statements) {
  const auto rows = rows_of("marked_statements.txt");
  EXPECT_GE(rows.size(), 149);
  for (const std::string& row : rows) expect_bad_body(row.substr(0, 4), row.substr(5));

  // What is no text, or not to be seen in one.
  expect_bad_body("P001", "let x «\x01»= 1;");
  expect_bad_body("P014", "// latin-1: «\xE4» umlaut");
  expect_bad_body("P014", "let «\xFF»x = 1;");
  expect_bad_body("P014", "// surrogate «\xED»\xA0\x80");
  expect_bad_body("P014", "// too long «\xC0»\xAF");
  expect_bad_body("P001", "// nul «" + std::string(1, '\0') + "»");
  expect_bad_body("P001", "let x «" + std::string(1, '\0') + "»= 1;");
}

TEST(Diagnostics, HeadersAndEnds) {
  const auto rows = rows_of("marked_texts.txt");
  EXPECT_GE(rows.size(), 49);
  for (const std::string& row : rows) expect_bad({row.substr(0, 4), row.substr(5)});
  expect_bad({"P001", "«\xEF\xBB\xBF»program p() workgroup(1, 1, 1) { }"});
}

std::string rendered(const std::string& text) {
  const auto program = parse(text);
  EXPECT_FALSE(program.has_value());
  const Source source("t.vyre", text);
  return program ? "" : render(program.error(), &source);
}

TEST(Diagnostics, Rendered) {
  EXPECT_EQ(
      rendered("program p() workgroup(1, 1, 1) {\n  let x = a + b << c;\n}\n"),
      "t.vyre:2:11: error[P007]: `+` and `<<` are mixed without parentheses\n"
      " 2 |   let x = a + b << c;\n"
      "   |           ^~~~~\n"
      "  help: vyre reads this as (a + b) << c: write so, or put the parentheses where you mean them\n");
  EXPECT_EQ(rendered("program p() workgroup(1, 1, 1) {\n  if (a <\n b < c + 1) { }\n}\n"),
            "t.vyre:3:4: error[P008]: `<` compares the result of `<`\n"
            " 3 |  b < c + 1) { }\n"
            "   |    ^\n"
            "  help: write (a < b) && (b < c + 1), or put parentheses around one comparison\n");
  EXPECT_EQ(rendered("program p() workgroup(1, 1, 1) {\n  atomic_add(b[0], 1);\n}\n"),
            "t.vyre:2:3: error[P011]: an expression is not a statement\n"
            " 2 |   atomic_add(b[0], 1);\n"
            "   |   ^~~~~~~~~~~~~~~~~~~\n"
            "  help: bind its value to a name: let result = atomic_add(b[0], 1);\n");
  EXPECT_EQ(rendered("program p() workgroup(1, 1, 1) {\n  let x = (1 + 2\n"),
            "t.vyre:2:17: error[P003]: the file ends where an operator or `)` should follow\n"
            " 2 |   let x = (1 + 2\n"
            "   |                 ^\n"
            "t.vyre:2:11: note: opened here\n"
            " 2 |   let x = (1 + 2\n"
            "   |           ^\n");
}

TEST(Diagnostics, WordsOfOtherLanguages) {
  // What vyre has in place of each.
  const auto rows = rows_of("foreign_texts.txt");
  EXPECT_GE(rows.size(), 96);
  for (const std::string& row : rows) {
    const size_t help = row.find('\t') + 1, text = row.find('\t', help) + 1;
    const auto module = parse_module(row.substr(text));
    ASSERT_FALSE(module.has_value()) << row;
    EXPECT_EQ(diag_info(module.error().code).name, row.substr(0, help - 1)) << row;
    EXPECT_THAT(module.error().help, testing::HasSubstr(row.substr(help, text - 1 - help))) << row;
  }
  // A sign apart is no compound assignment, and what nothing is known of gets no such help.
  for (const char* body : {"x + = 1;", "let x = 1 +;", "return\n}", "let x = (1 + 2;"}) {
    const auto program = parse(fmt::format("program p() workgroup(1, 1, 1) {{ {} }}", body));
    ASSERT_FALSE(program.has_value()) << body;
    EXPECT_EQ(program.error().help, "") << body;
  }
}

TEST(Diagnostics, ForeignWordsAreNotReserved) {
  EXPECT_TRUE(
      parse("program fn(read min: u32 @0, read_write global_id: u32 @1) workgroup(1, 1, 1) {\n"
            "  let break = min[0]; let int = break + -1i32; global_id[0] = int--1i32;\n}"));
  for (const ForeignWords& row : kForeignWords) {
    for (const auto part : std::views::split(row.words, ' ')) {
      const std::string_view word(part);
      EXPECT_EQ(find_keyword(word), Keyword::None) << word;
    }
  }
}

}  // namespace
}  // namespace vyre::text
