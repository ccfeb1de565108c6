// Diagnostics, digests and random numbers.
#include <gtest/gtest.h>

#include <set>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/digest.h"
#include "base/random.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "commands, \"Diagnostics\", by hand");

namespace vyre {
namespace {

Diag at(Span span) { return make_diag(DiagCode::V010, span, "message", "way out"); }

TEST(Render, ShowsPositionLineCaretAndHelp) {
  const Source source("a.vyre", "first\n  let x = 1;\n");
  EXPECT_EQ(render(at({8, 11}), &source),
            "a.vyre:2:3: error[V010]: message\n 2 |   let x = 1;\n   |   ^~~\n  help: way out\n");
  EXPECT_EQ(render(at(Span::none()), nullptr, "b.vyrb"), "b.vyrb: error[V010]: message\n  help: way out\n");
}

// Columns count code points; a tab is repeated under the line; the end of the text has a place.
TEST(Render, CountsCodePointsAndKeepsTabs) {
  const Source source("a", "\t\xc3\xa9 x");
  EXPECT_EQ(render(at({4, 5}), &source),
            "a:1:4: error[V010]: message\n 1 | \t\xc3\xa9 x\n   | \t  ^\n  help: way out\n");
  EXPECT_EQ(render(at({5, 5}), &source),
            "a:1:5: error[V010]: message\n 1 | \t\xc3\xa9 x\n   | \t   ^\n  help: way out\n");
}

TEST(Render, ShowsAPartOfALongLine) {
  // Of a line of megabytes the part around the place is shown, and the caret stands under it.
  for (const size_t before : {size_t{0}, size_t{70}, size_t{100}, size_t{1'000'000}}) {
    for (const size_t after : {size_t{0}, size_t{300}, size_t{1'000'000}}) {
      if (before + after < 300) continue;
      std::string text;
      for (size_t i = 0; i < before / 2; ++i) text += "\u00e9";
      text += "FAULT";
      text.append(after, 'y');
      const Source source("f", text);
      const auto begin = uint32_t(before / 2 * 2);
      const std::string out = render(make_diag(DiagCode::P001, Span{begin, begin + 5}, "m", "h"), &source);
      EXPECT_LT(out.size(), 700u);
      const size_t line = out.find('\n') + 1, carets = out.find('\n', line) + 1;
      const std::string shown = out.substr(line, carets - line);
      const std::string under = out.substr(carets, out.find('\n', carets) - carets);
      EXPECT_EQ(shown.find("\ufffd"), std::string::npos) << "cut inside a character";
      size_t column = 0;
      for (size_t i = 0; i < shown.find("FAULT"); ++i) column += (shown[i] & 0xc0) != 0x80;
      EXPECT_EQ(under.find("^~~~~"), column) << out;
      EXPECT_EQ(shown.find(" ...") != std::string::npos, before > 80);
      EXPECT_EQ(shown.ends_with("...\n"), after > 160);
    }
  }
}

TEST(Render, ReplacesWhatATerminalCannotShow) {
  VYRE_ORACLE(Property, "output is always UTF-8 without control characters, whatever the file holds");
  const Source source("a", std::string("\x1b[2J\x80") + '\0' + "z");
  EXPECT_EQ(render(at({6, 7}), &source),
            "a:1:6: error[V010]: message\n 1 | \xef\xbf\xbd[2J\xef\xbf\xbd\xef\xbf\xbdz\n   |       ^\n  "
            "help: way out\n");
}

TEST(Ledger, CodesAreWellFormedAndExplained) {
  VYRE_ORACLE(Property,
              "the ledger's own rules: permanent codes of one letter and three digits, each explained");
  std::set<std::string_view> names;
  for (const DiagInfo& info : all_diagnostics()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(info.name.size(), 4u);
    EXPECT_NE(std::string_view("PWVXLBCG").find(info.name[0]), std::string_view::npos);
    EXPECT_GT(info.explanation.size(), 40u) << info.name;
    EXPECT_EQ(find_diagnostic(info.name), info.code);
  }
}

TEST(Sha256, KnownAnswer) {
  VYRE_ORACLE(ExternalCorpus, "FIPS 180-4, the example \"abc\"");
  EXPECT_EQ(sha256("abc").hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hasher().update("a").update("bc").finish(), sha256("abc"));
}

TEST(Philox, KnownAnswers) {
  VYRE_ORACLE(ExternalCorpus, "Random123's published known answers for philox4x32-10");
  EXPECT_EQ(philox(0, 0), (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(UINT64_MAX, UINT64_MAX, UINT64_MAX),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

}  // namespace
}  // namespace vyre
