// Tests that stand in files: what the lines `// run:` and `// error:` of a text say, held against what comes.
//
// `vyre test` and the tests of the project both judge by what stands here. Source: docs/text-format.md,
// "Tests in files"; docs/commands.md, "Tests".
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/run.h"
#include "text/directives.h"

namespace vyre::host {

/// A text with its directives, checked with its constants as they are written.
struct TestFile {
  std::shared_ptr<const Source> source;
  text::Directives directives;
  /// All that is wrong: with the text, by the rules, of rows and witnesses, and with a directive.
  Diagnostics diagnostics;
  std::shared_ptr<const check::CheckedModule> module;  // null where the text or the rules are broken
};
/// What else is wrong with a module that keeps the rules: witnesses are evaluated by what knows the laws.
using MoreChecks = std::function<Diagnostics(const std::shared_ptr<const check::CheckedModule>&)>;

/// Cost  of reading and checking, and of the rows of its operations on the reference. `ops` must outlive it.
TestFile read_test_file(std::string name, std::string text, const spec::OpTable& ops, const MoreChecks& more);

/// Where what is wrong with a file is not what its error lines say: each diagnostic that none of them names,
/// rendered, and each line whose diagnostic did not come. Empty when they agree.
std::vector<std::string> unexpected_diagnostics(const TestFile& file);

/// What a run line needs.
struct RunCase {
  Step step;
  Buffers inputs;
  Buffers expected;  // those behind =>, all of them writable here
};
/// The module of a file with constants chosen. Errors  the first of what is wrong with it then; P017 at a
/// constant that the file does not have.
Result<std::shared_ptr<const check::CheckedModule>> module_for(const TestFile& file,
                                                               const text::RunDirective& run,
                                                               const spec::OpTable& ops);
/// Errors  P017 in the directive: an entry, a buffer or a value that does not fit, groups of a pipeline.
Result<RunCase> case_of(std::shared_ptr<const check::CheckedModule> module, const text::RunDirective& run);

/// "out[2]: expected 5 (0x00000005), and native gives 7 (0x00000007)": the first element that is not what the
/// line says; none when all are.
std::optional<std::string> difference(const RunCase& run, const Buffers& after, std::string_view backend);

/// Opens a backend with so many lanes in a subgroup where it leaves that open; 0: it has none.
using OpenBackend = std::function<Result<backend::Backend*>(std::string_view name, uint32_t subgroup_size)>;

struct TestCounts {
  uint64_t passed = 0, failed = 0;
};
/// Runs the tests of one file: a run line counts once a backend, the diagnostics of a file once, unless it is
/// valid and has no error lines. Of a file whose diagnostics are not as it says no line is run.
///
/// `show` gets each failure: lines that begin with file:line and end with a newline.
TestCounts run_file_tests(const TestFile& file, std::span<const std::string> backends,
                          const OpenBackend& open, const spec::OpTable& ops,
                          const std::function<void(const std::string&)>& show);

/// The .vyre files at or below a path, sorted. Errors  a path that is not there.
std::expected<std::vector<std::string>, UsageError> test_files(const std::string& path);

}  // namespace vyre::host
