// Each file in test/invalid must give exactly the diagnostics that it names, where it names them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

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

}  // namespace
}  // namespace vyre::file_test
