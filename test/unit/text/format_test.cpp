// Formatting: layout, comments and radix, with results written out by hand, most of them in layouts.txt.
#include <gtest/gtest.h>

#include <fstream>

#include "ir/ir.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "text-format, the layout, by hand");

namespace vyre::text {
namespace {

/// Formats, and checks what holds for every text: it means the same and formatting again changes nothing.
std::string formatted(const std::string& text) {
  const Source source("test.vyre", text);
  const auto once = format(text);
  EXPECT_TRUE(once.has_value()) << render(once.error(), &source);
  if (!once) return {};
  const auto twice = format(*once);
  EXPECT_TRUE(twice && *twice == *once) << *once << "\nbecame\n" << twice.value_or("no program");
  const auto before = parse_module(text), after = parse_module(*once);
  EXPECT_TRUE(before && after && ir::equal(*before, *after)) << *once;
  return *once;
}

/// Formats statements in a body without parameters; gives the body back.
std::string body(const std::string& text) {
  const std::string before = "program p() workgroup(1, 1, 1) {\n", after = "}\n";
  const std::string out = formatted(before + text + "\n" + after);
  EXPECT_TRUE(out.starts_with(before) && out.ends_with(after)) << out;
  return out.substr(before.size(), out.size() - before.size() - after.size());
}

struct Layout {
  std::string name, text, wanted;
};
/// The cases of layouts.txt.
std::vector<Layout> layouts() {
  std::vector<Layout> out;
  std::ifstream in(VYRE_SOURCE_DIR "/test/unit/text/layouts.txt");
  bool after = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== ")) {
      out.push_back({line.substr(4), "", ""});
      after = false;
    } else if (line == "---") {
      after = true;
      out.back().text.pop_back();  // the end of line that the dashes stand behind
    } else if (!out.empty()) {
      (after ? out.back().wanted : out.back().text) += line + "\n";
    }
  }
  return out;
}

TEST(Format, Layouts) {
  const std::vector<Layout> all = layouts();
  EXPECT_GE(all.size(), 40u);
  for (const Layout& layout : all) EXPECT_EQ(formatted(layout.text), layout.wanted) << layout.name;
}

TEST(Format, LineEndsOfOtherSystems) {
  EXPECT_EQ(
      formatted(
          "// a \t \r\nprogram p() workgroup(1, 1, 1) {\r\n\r\n\tlet x = 1; // b\r\n\r\n\tx = 2;\r\n}\r\n"),
      "// a\nprogram p() workgroup(1, 1, 1) {\n  let x = 1;  // b\n\n  x = 2;\n}\n");
}

TEST(Format, LongLines) {
  // text-format: 110 columns; the outermost bracket breaks first, then the loosest operator.
  const std::string a30(30, 'a'), b30(30, 'b'), c30(30, 'c');
  const std::string a29(29, 'a');  // with it the line has 110 columns
  EXPECT_EQ(body("let x = " + a29 + " + " + b30 + " + " + c30 + " + 1;"),
            "  let x = " + a29 + " + " + b30 + " + " + c30 + " + 1;\n");
  EXPECT_EQ(body("let x = " + a30 + " + " + b30 + " + " + c30 + " + 1;"),
            "  let x = " + a30 + " + " + b30 + " + " + c30 + " +\n      1;\n");
  EXPECT_EQ(body("let x = " + a30 + " + " + b30 + " + " + c30 + " * 12345;"),
            "  let x = " + a30 + " + " + b30 + " +\n      " + c30 + " * 12345;\n");
  EXPECT_EQ(body("let x = f.g(" + a30 + ", h.i(" + b30 + ", 1), " + c30 + ", 12345);"),
            "  let x = f.g(" + a30 + ", h.i(" + b30 + ", 1),\n      " + c30 + ", 12345);\n");
  const std::string name(120, 'n');
  EXPECT_EQ(body("let " + name + " = " + name + ";"), "  let " + name + " =\n      " + name + ";\n");
}

TEST(Format, NoLineIsTooLong) {
  VYRE_ORACLE(Property, "a column is at most 110 unless the line has no place to break");
  std::string sum = "let x = a[i + 1]";
  for (int i = 0; i < 500; ++i)
    sum += " + f.g(" + std::to_string(i) + ", (x ^ 0x" + std::to_string(i) + ") * y, z)";
  const std::string out = body(sum + ";");
  size_t begin = 0;
  while (begin < out.size()) {
    const size_t end = out.find('\n', begin);
    EXPECT_LE(end - begin, 110u);
    EXPECT_GE(end - begin, end + 1 == out.size() ? 1u : 70u) << out.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(Format, RefusesWhatIsNoProgram) {
  const auto result = format("program p() workgroup(1, 1, 1) { let x = ; }");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, DiagCode::P002);
}

}  // namespace
}  // namespace vyre::text
