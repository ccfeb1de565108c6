// test/invalid/V*.vyre: each diagnostic stands on the line that its comment names, and there are no others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "check/module.h"
#include "ir/builder.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "the comments in the files, written by hand from semantics");

namespace vyre::check {
namespace {

using Places = std::vector<std::pair<uint32_t, std::string>>;  // (line, code)

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::filesystem::path> validation_files() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(VYRE_SOURCE_DIR "/test/invalid")) {
    if (entry.path().filename().string().starts_with("V")) out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

/// Whether the rule is one about rows and witnesses, which ref/rows.h runs; file/invalid_test.cpp has them.
bool is_found_by_running(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("V050") || name.starts_with("V051");
}

Places expected_places(const std::string& text) {
  Places out;
  std::istringstream lines(text);
  std::string line;
  for (uint32_t number = 1; std::getline(lines, line); ++number) {
    constexpr std::string_view kMark = "// error: ";
    const size_t at = line.find(kMark);
    if (at != std::string::npos) out.emplace_back(number, line.substr(at + kMark.size(), 4));
  }
  return out;
}

/// An operation under the name of one of the library, which stands below this layer.
spec::OpTable table() {
  static const ir::Function rotl = [] {
    ir::FunctionBuilder f("primitive.bitwise.rotl");
    const ir::Ex a = f.parameter("a", DataType::U32), b = f.parameter("b", DataType::U32);
    return f.finish((a << b) | (a >> (32 - b)), DataType::U32);
  }();
  spec::OpTable ops;
  spec::add_intrinsics(ops);
  ops.add({rotl.id, 1, {{DataType::U32, DataType::U32}, DataType::U32}, spec::Category::A, &rotl});
  return ops;
}

TEST(InvalidFiles, DiagnosticsStandOnTheirLines) {
  const spec::OpTable ops = table();
  const auto files = validation_files();
  ASSERT_GT(files.size(), 30u);
  for (const auto& path : files) {
    SCOPED_TRACE(path.filename().string());
    const std::string text = read_text(path);
    auto module = text::parse_module(text);
    const Source source(path.filename().string(), text);
    ASSERT_TRUE(module.has_value()) << render(module.error(), &source);
    const auto checked = check(std::move(*module), ops);
    if (is_found_by_running(path)) {
      ASSERT_TRUE(checked.has_value()) << render(checked.error()[0], &source);
      continue;
    }
    ASSERT_FALSE(checked.has_value());
    Places found;
    std::string rendered;
    for (const Diag& diag : checked.error()) {
      rendered += render(diag, &source);
      EXPECT_FALSE(diag.help.empty()) << render(diag, &source);
      found.emplace_back(source.position(diag.span.begin).line, diag_info(diag.code).name);
    }
    EXPECT_EQ(found, expected_places(text)) << rendered;
  }
}

TEST(InvalidFiles, HelpIsAWayOutThere) {
  // Workgroup memory cannot be read_write, and the id of an invocation is invocation_id.
  for (const auto& [file, way] : {std::pair("V007-atomic-workgroup", "in workgroup memory"),
                                  std::pair("V003-other-language", "invocation_id.x")}) {
    const auto path = std::filesystem::path(VYRE_SOURCE_DIR "/test/invalid") / (std::string(file) + ".vyre");
    const spec::OpTable ops = table();
    const auto checked = check(*text::parse_module(read_text(path)), ops);
    ASSERT_FALSE(checked.has_value()) << file;
    EXPECT_THAT(checked.error().at(0).help, testing::HasSubstr(way)) << file;
  }
}

TEST(InvalidFiles, EveryCodeThatTextCanProduceHasOne) {
  VYRE_ORACLE(Property,
              "the ledger of diagnostics; the exceptions are those that no text can say, each with a test of "
              "its own in malformed_test.cpp");
  const std::set<std::string> kOnlyInIr = {
      "V016",                  // text has the axes x, y, z
      "V024",                  // texts of millions of nodes; limits_test.cpp builds such
      "V031", "V034", "V036",  // the parser makes none of these
      "V044",                  // a warning of a valid program; accepted_test.cpp
  };
  std::set<std::string> codes;
  for (const auto& path : validation_files()) {
    for (const auto& [line, code] : expected_places(read_text(path))) codes.insert(code);
  }
  for (const DiagInfo& info : all_diagnostics()) {
    const std::string name(info.name);
    if (name[0] != 'V') continue;
    EXPECT_NE(codes.contains(name), kOnlyInIr.contains(name)) << name;
  }
}

}  // namespace
}  // namespace vyre::check
