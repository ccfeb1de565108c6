// Each file in test/invalid must give exactly the diagnostics that it names, where it names them.
//
// Oracle: the directives in the files, from the rules in docs/spec.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "check/checked.h"
#include "files.h"
#include "ops/operation.h"
#include "oracle.h"
#include "text/text.h"

namespace vyre::file_test {
namespace {

class InvalidFile : public testing::TestWithParam<std::string> {};

/// "V010 at line 3"
using Place = std::pair<uint32_t, std::string>;

// covers: EX-47 BA-07
TEST_P(InvalidFile, GivesExactlyTheseDiagnostics) {
  VYRE_ORACLE(SpecificationTable, "the directives in the files, from the rules in docs/spec");
  const std::string text = read_text(GetParam());
  const Source source(GetParam(), text);
  Diagnostics diagnostics;
  auto parsed = text::parse(text);
  if (!parsed) {
    diagnostics.push_back(parsed.error());
  } else if (auto checked = check::check(std::move(*parsed), ops::op_table()); !checked) {
    diagnostics = checked.error();
  } else if (auto directives = text::parse_directives(text); !directives) {
    diagnostics.push_back(directives.error());
  }
  std::multiset<Place> actual;
  for (const Diag& diag : diagnostics) {
    EXPECT_FALSE(diag.message.empty());
    // "expected `;`" is its own way out; all others say one.
    const bool syntax = diag.code == DiagCode::P002 || diag.code == DiagCode::P003;
    EXPECT_TRUE(syntax || !diag.help.empty()) << "a diagnostic says the way out: " << diag.message;
    actual.emplace(diag.span.known() ? source.position(diag.span.begin).line : 0, diag_info(diag.code).name);
  }
  // A file that cannot carry a directive (it is empty, or no UTF-8) has its code in its name alone.
  const std::string code = std::filesystem::path(GetParam()).filename().string().substr(0, 4);
  const auto directives = text::parse_directives(text);
  if (!directives || directives->errors.empty()) {
    ASSERT_EQ(actual.size(), 1u) << explain(diagnostics, source);
    EXPECT_EQ(actual.begin()->second, code) << explain(diagnostics, source);
    return;
  }
  std::multiset<Place> expected;
  bool named = false;
  for (const text::ErrorDirective& error : directives->errors) {
    expected.emplace(error.line, diag_info(error.code).name);
    named |= diag_info(error.code).name == code;
  }
  EXPECT_TRUE(named) << "the file's name begins with a code that it gives";
  EXPECT_EQ(actual, expected) << explain(diagnostics, source);
}
INSTANTIATE_TEST_SUITE_P(Files, InvalidFile, testing::ValuesIn(files_in({"test/invalid"}, ".vyre")),
                         test_name);

}  // namespace
}  // namespace vyre::file_test
