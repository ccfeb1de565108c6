// Each file in test/invalid must give exactly the diagnostics that it names, where it names them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "algebra/file_laws.h"
#include "files.h"
#include "host/file_tests.h"
#include "ops/operation.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "the directives in the files, from the rules in docs/spec");

namespace vyre::file_test {
namespace {

class InvalidFile : public testing::TestWithParam<std::string> {};

// covers: EX-47 BA-07
TEST_P(InvalidFile, GivesExactlyTheseDiagnostics) {
  const host::TestFile file =
      host::read_test_file(GetParam(), read_text(GetParam()), ops::op_table(), algebra::check_witnesses);
  const std::string rendered = explain(file.diagnostics, *file.source);
  for (const Diag& diag : file.diagnostics) {
    EXPECT_FALSE(diag.message.empty());
    // "expected `;`" is its own way out; all others say one.
    const bool syntax = diag.code == DiagCode::P002 || diag.code == DiagCode::P003;
    EXPECT_TRUE(syntax || !diag.help.empty()) << "a diagnostic says the way out: " << diag.message;
  }
  // A file that cannot carry a directive (it is empty, or no UTF-8) has its code in its name alone.
  const std::string code = std::filesystem::path(GetParam()).filename().string().substr(0, 4);
  const auto& errors = file.directives.errors;
  if (errors.empty()) {
    ASSERT_EQ(file.diagnostics.size(), 1u) << rendered;
    EXPECT_EQ(diag_info(file.diagnostics[0].code).name, code) << rendered;
    return;
  }
  EXPECT_TRUE(std::ranges::any_of(errors, [&](const text::ErrorDirective& error) {
    return diag_info(error.code).name == code;
  })) << "the file's name begins with a code that it gives";
  for (const std::string& wrong : host::unexpected_diagnostics(file)) ADD_FAILURE() << wrong;
}
INSTANTIATE_TEST_SUITE_P(Files, InvalidFile, testing::ValuesIn(files_in({"test/invalid"}, ".vyre")),
                         test_name);

TEST(InvalidFiles, HelpIsAWayOutThere) {
  // Workgroup memory cannot be read_write, and the id of an invocation is invocation_id.
  for (const auto& [name, way] : {std::pair("V007-atomic-workgroup", "in workgroup memory"),
                                  std::pair("V003-other-language", "invocation_id.x")}) {
    const std::string path = "test/invalid/" + std::string(name) + ".vyre";
    const host::TestFile file =
        host::read_test_file(path, read_text(path), ops::op_table(), algebra::check_witnesses);
    ASSERT_FALSE(file.diagnostics.empty()) << name;
    EXPECT_NE(file.diagnostics[0].help.find(way), std::string::npos) << name;
  }
}

TEST(InvalidFiles, EveryRuleThatTextCanBreakHasOne) {
  VYRE_ORACLE(Property,
              "the ledger of diagnostics; the exceptions are those that no text can say, each with a test of "
              "its own in test/unit/check");
  const std::set<std::string> kOnlyInIr = {
      "V016",                  // text has the axes x, y, z
      "V024",                  // texts of millions of nodes; limits_test.cpp builds such
      "V031", "V034", "V036",  // the parser makes none of these
      "V044",                  // a warning of a valid program; accepted_test.cpp
      "V062",                  // in text the name is what hides the group counts
  };
  std::set<std::string> codes;
  for (const std::string& file : files_in({"test/invalid"}, ".vyre")) {
    const auto directives = text::parse_directives(read_text(file));
    if (!directives) continue;  // that is the point of the file
    for (const text::ErrorDirective& error : directives->errors)
      codes.insert(std::string(diag_info(error.code).name));
  }
  for (const DiagInfo& info : all_diagnostics()) {
    const std::string name(info.name);
    if (name[0] == 'V') EXPECT_NE(codes.contains(name), kOnlyInIr.contains(name)) << name;
  }
}

}  // namespace
}  // namespace vyre::file_test
