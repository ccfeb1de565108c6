// The file tests: each .vyre file in test/run and examples runs on every backend that is there, as written
// and after round trips through text and wire, and on the kernel evaluator before and after legalization.
// Each file in test/invalid must give exactly the diagnostics that it names, where it names them.
//
// Oracle: the values in the files, worked out by hand from the specification (docs/testing.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "backend/registry/registry.h"
#include "host/files.h"
#include "host/run.h"
#include "host/values.h"
#include "lower/evaluate.h"
#include "ops/operation.h"
#include "text/directives.h"
#include "text/text.h"
#include "wire/wire.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const std::vector<std::string>& folders, std::string_view extension) {
  std::vector<std::string> out;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::directory_iterator(fs::path(VYRE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == extension)
        out.push_back(folder + "/" + entry.path().filename().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string test_name(const testing::TestParamInfo<std::string>& file) {
  std::string name = file.param.substr(file.param.find('/') + 1);
  name = name.substr(0, name.rfind('.'));
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name + "_" + std::to_string(file.index);
}

std::string read_text(const std::string& file) {
  const auto bytes = host::read_file((fs::path(VYRE_SOURCE_DIR) / file).string());
  if (!bytes) throw std::runtime_error(bytes.error().message);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::string explain(const Diagnostics& diagnostics, const Source& source) {
  return host::render_all(diagnostics, &source, source.name());
}

/// One program in one of its forms, with how it is to be run.
struct Form {
  std::string name;
  host::Step step;
};

class RunFile : public testing::TestWithParam<std::string> {};

/// The backends, opened once for all files.
std::vector<std::pair<std::string, std::unique_ptr<backend::Backend>>>& backends() {
  static auto list = [] {
    std::vector<std::pair<std::string, std::unique_ptr<backend::Backend>>> out;
    for (const backend::Entry& entry : backend::all_backends()) {
      auto opened = backend::open(entry.name);
      if (opened) out.emplace_back(entry.name, std::move(*opened));
    }
    return out;
  }();
  return list;
}

/// Buffers as a directive gives them; a value that does not fit its buffer is a fault of the file.
host::Buffers inputs_of(const text::RunDirective& run, const host::Step& step) {
  auto buffers = host::declare_buffers({&step, 1}).value();
  for (const text::BufferValues& input : run.inputs) {
    const auto it = buffers.by_name.find(input.name);
    if (it == buffers.by_name.end()) {
      ADD_FAILURE() << "line " << run.line << ": there is no buffer " << input.name;
      continue;
    }
    for (const std::string& value : input.values) {
      const auto parsed = host::parse_element(value, it->second.element, it->second.bytes);
      if (!parsed) ADD_FAILURE() << "line " << run.line << ": " << parsed.error().message;
    }
  }
  return buffers;
}

void expect_outputs(const text::RunDirective& run, const host::Buffers& buffers, const std::string& who) {
  for (const text::BufferValues& output : run.outputs) {
    const auto it = buffers.by_name.find(output.name);
    if (it == buffers.by_name.end()) {
      ADD_FAILURE() << "line " << run.line << ": there is no buffer " << output.name;
      continue;
    }
    Bytes expected;
    for (const std::string& value : output.values) {
      const auto parsed = host::parse_element(value, it->second.element, expected);
      if (!parsed) ADD_FAILURE() << "line " << run.line << ": " << parsed.error().message;
    }
    EXPECT_TRUE(expected == it->second.bytes)
        << "line " << run.line << ", " << who << "\n  expected "
        << host::format_buffer(output.name, expected, it->second.element, false) << "\n  actual   "
        << host::format_buffer(output.name, it->second.bytes, it->second.element, false);
  }
}

void run_kernel(const text::RunDirective& run, const host::Step& step, const lower::Kernel& kernel,
                const std::string& who) {
  host::Buffers buffers = inputs_of(run, step);
  std::vector<std::span<std::byte>> spans;
  for (const check::BufferId id : step.checked->bound_buffers()) {
    spans.emplace_back(
        buffers.by_name.find(step.checked->program().code.name(step.checked->buffer(id).name))->second.bytes);
  }
  const auto bindings = layout::bind(*step.checked, spans, step.groups);
  ASSERT_TRUE(bindings) << bindings.error().message;
  const auto ran = lower::evaluate(kernel, *bindings, step.groups, {.seed = 7});
  ASSERT_TRUE(ran) << who << ": " << render(ran.error(), nullptr);
  expect_outputs(run, buffers, who);
}

TEST_P(RunFile, EveryBackendGivesTheseBytes) {
  const Source source(GetParam(), read_text(GetParam()));
  const auto directives = text::parse_directives(source.text());
  ASSERT_TRUE(directives) << render(directives.error(), &source);
  ASSERT_TRUE(directives->errors.empty()) << "a file in test/run has no error directives";
  ASSERT_TRUE(!directives->runs.empty() || GetParam().starts_with("examples/")) << "no run directive";

  const auto parsed = text::parse(source.text());
  ASSERT_TRUE(parsed) << render(parsed.error(), &source);
  const auto from_text = text::parse(text::print(*parsed));
  ASSERT_TRUE(from_text) << text::print(*parsed);
  const auto from_wire = wire::decode(wire::encode(*parsed));
  ASSERT_TRUE(from_wire) << from_wire.error().message;
  EXPECT_TRUE(ir::equal(*parsed, *from_text)) << text::print(*parsed);
  EXPECT_TRUE(ir::equal(*parsed, *from_wire));

  std::vector<Form> forms;
  for (const auto& [name, program] :
       {std::pair{"as written", &*parsed}, {"through text", &*from_text}, {"through wire", &*from_wire}}) {
    auto checked = check::check(*program, ops::op_table());
    ASSERT_TRUE(checked) << name << "\n" << explain(checked.error(), source);
    forms.push_back({name, {std::make_shared<const check::Checked>(std::move(*checked)), {}}});
  }
  for (const text::RunDirective& run : directives->runs) {
    for (Form& form : forms) {
      form.step.groups = {run.groups[0], run.groups[1], run.groups[2]};
      for (const auto& [name, backend] : backends()) {
        host::Buffers buffers = inputs_of(run, form.step);
        const auto ran = host::run_steps(*backend, {&form.step, 1}, buffers);
        ASSERT_TRUE(ran) << name << ": " << render(ran.error(), &source);
        expect_outputs(run, buffers, name + ", " + form.name);
      }
    }
    const lower::Kernel kernel = lower::build(*forms[0].step.checked);
    run_kernel(run, forms[0].step, kernel, "kernel");
    run_kernel(run, forms[0].step, lower::legalize(kernel, lower::kLlvmTarget), "legal kernel");
  }
}
INSTANTIATE_TEST_SUITE_P(Files, RunFile, testing::ValuesIn(files_in({"test/run", "examples"}, ".vyre")),
                         test_name);

class InvalidFile : public testing::TestWithParam<std::string> {};

/// "V010 at line 3"
using Place = std::pair<uint32_t, std::string>;

TEST_P(InvalidFile, GivesExactlyTheseDiagnostics) {
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
  const std::string code = fs::path(GetParam()).filename().string().substr(0, 4);
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

// Oracle: the ledger of diagnostics. A code that a text can produce has a file of its own; any other is named
// by a unit test or a test of the command line, which must produce it.
TEST(Coverage, EveryDiagnosticCodeHasATest) {
  std::set<std::string> have;
  for (const std::string& file : files_in({"test/invalid"}, ".vyre")) {
    have.insert(fs::path(file).filename().string().substr(0, 4));
  }
  std::string tests;
  for (const char* folder : {"test/unit", "test/cli", "test/conform"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(VYRE_SOURCE_DIR) / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".py") continue;
      tests += read_text(fs::relative(entry.path(), VYRE_SOURCE_DIR).string());
    }
  }
  for (const DiagInfo& info : all_diagnostics()) {
    if (have.contains(std::string(info.name))) continue;
    EXPECT_NE(tests.find(info.name), std::string::npos) << info.name << " has neither a file nor a test";
    // Every syntax error can be written down.
    EXPECT_NE(info.name[0], 'P') << info.name << " has no file in test/invalid";
  }
}

TEST(Coverage, ThereAreFilesEnough) { EXPECT_GE(files_in({"test/run"}, ".vyre").size(), 120u); }

}  // namespace
}  // namespace vyre
