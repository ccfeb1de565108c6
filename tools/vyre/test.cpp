#include <fmt/format.h>

#include <map>
#include <memory>
#include <vector>

#include "algebra/file_laws.h"
#include "backend/registry/registry.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "host/file_tests.h"
#include "ops/operation.h"
#include "text/directives.h"
#include "verbs.h"
#include "wire/wire.h"

namespace vyre::tool {
namespace {

struct TestOptions {
  std::vector<std::string> paths;
  std::vector<std::string> backends = {"native"};
};

constexpr std::string_view kForm =
    "a line `// run: a=[1] => out=[2]` is one (docs/text-format.md, \"Tests in files\")";

int run_test(const TestOptions& options) {
  std::map<std::pair<std::string, uint32_t>, std::unique_ptr<backend::Backend>> opened;
  const host::OpenBackend open = [&](std::string_view name, uint32_t lanes) -> Result<backend::Backend*> {
    // Of all backends the reference alone takes the size that a file says.
    const std::pair key(std::string(name), name == "reference" ? lanes : 0);
    auto& backend = opened[key];
    if (backend == nullptr) {
      backend::Options with;
      with.reference.subgroup_size = key.second;
      VYRE_TRY(fresh, backend::open(key.first, with));
      backend = std::move(fresh);
    }
    return backend.get();
  };
  for (const std::string& name : options.backends) {
    if (const auto backend = open(name, 0); !backend) return report(backend.error());
  }
  std::vector<std::vector<std::string>> files;  // of each path
  for (const std::string& path : options.paths) {
    auto found = host::test_files(path);
    if (!found) return usage_error(found.error().message);
    if (found->empty()) return usage_error(fmt::format("'{}' has no .vyre files", path));
    files.push_back(std::move(*found));
  }
  host::TestCounts counts;
  const auto run_file = [&](const std::string& path) {
    const auto bytes = host::read_file(path, kMaxProgramBytes);
    if (!bytes) return usage_error(bytes.error().message);
    if (wire::is_wire(*bytes))
      return usage_error(fmt::format("{} is in wire form, which has no lines", path));
    const auto file =
        host::read_test_file(path, {reinterpret_cast<const char*>(bytes->data()), bytes->size()},
                             ops::op_table(), algebra::check_witnesses);
    const auto show = [](const std::string& failure) { fmt::print(stderr, "{}", failure); };
    const auto these = host::run_file_tests(file, options.backends, open, ops::op_table(), show);
    for (const Diag& near : text::near_directives(file.source->text())) warn(near, path, file.source.get());
    counts.passed += these.passed;
    counts.failed += these.failed;
    return 0;
  };
  for (size_t i = 0; i < files.size(); ++i) {
    const uint64_t before = counts.passed + counts.failed;
    for (const std::string& path : files[i])
      if (const int exit = run_file(path); exit != 0) return exit;
    if (counts.passed + counts.failed == before)
      fmt::print(stderr, "note: no tests in {}: {}\n", printable(options.paths[i]), kForm);
  }
  fmt::print("{} passed, {} failed\n", counts.passed, counts.failed);
  return counts.failed == 0 ? 0 : 1;
}

}  // namespace

void add_test(CLI::App& app, int& exit) {
  auto options = std::make_shared<TestOptions>();
  CLI::App* verb = app.add_subcommand("test", "Run the tests that stand in files: their run and error lines");
  verb->add_option("FILE", options->paths, "texts, or folders, of which all .vyre files below them")
      ->required();
  verb->add_option("--backend", options->backends, "where the run lines are run")
      ->type_name("B,...")
      ->delimiter(',')
      ->default_str("native");
  verb->footer(
      "Example: vyre test examples --backend reference,native\n"
      "A line `// run: a=[1] groups=[1] => out=[2]` is run and compared, `// error: V010` stands where a "
      "diagnostic\n"
      "must come; docs/text-format.md, \"Tests in files\", has both. The last line is `N passed, N failed`.");
  verb->callback([options, &exit] { exit = run_test(*options); });
}

}  // namespace vyre::tool
