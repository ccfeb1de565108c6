// Where barriers are accepted and where not: the paragraph "Uniformity" of SEMANTICS, worked by hand case by
// case in uniformity_cases.txt. A line that ends in `//!` holds a barrier that must be refused; every other
// barrier must be accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/checked.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Uniformity\", by hand: the marks in the case, and the chain of reasons");

namespace vyre::check {
namespace {

struct Case {
  std::string name;
  std::string body;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr const char* kHead =
    "program p(read data: u32 @0, uniform params: u32 @1, read_write out: u32 @2, workgroup shared: u32[64]) "
    "workgroup(8, 8, 1) {\n";

class UniformityCase : public testing::TestWithParam<Case> {};

// covers: EX-33 BA-06 BA-07
TEST_P(UniformityCase, BarriersStandWhereControlIsUniform) {
  const std::string text = kHead + GetParam().body + "}\n";
  const Source source("case.vyre", text);
  std::vector<uint32_t> refused, expected;
  for (uint32_t line = 1; line <= uint32_t(std::ranges::count(text, '\n')); ++line) {
    if (source.line(line).ends_with("//!")) expected.push_back(line);
  }
  auto program = text::parse(text);
  ASSERT_TRUE(program.has_value()) << render(program.error(), &source);
  const auto checked = check(std::move(*program), spec::OpTable());
  if (!checked) {
    for (const Diag& diag : checked.error()) {
      ASSERT_EQ(diag.code, DiagCode::V010) << render(diag, &source);
      EXPECT_FALSE(diag.notes.empty());
      refused.push_back(source.position(diag.span.begin).line);
    }
  } else {
    EXPECT_TRUE(checked->has_barrier());
  }
  EXPECT_EQ(refused, expected) << text;
}

std::vector<Case> cases() {
  std::vector<Case> out;
  std::ifstream in(VYRE_SOURCE_DIR "/test/unit/check/uniformity_cases.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== ")) {
      out.push_back({line.substr(4), ""});
    } else if (!line.empty() && !line.starts_with("#")) {
      out.back().body += line + "\n";
    }
  }
  if (out.size() < 78) throw std::runtime_error("uniformity_cases.txt lacks cases");
  return out;
}

INSTANTIATE_TEST_SUITE_P(Semantics, UniformityCase, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

std::vector<std::string> notes_of_first(const std::string& body) {
  auto program = text::parse(kHead + body + "}\n");
  const auto checked = check(std::move(*program), spec::OpTable());
  std::vector<std::string> out;
  for (const DiagNote& note : checked.error().front().notes) out.push_back(note.message);
  return out;
}

TEST(UniformityNotes, NameTheReason) {
  EXPECT_EQ(
      notes_of_first("if (local_id.x) { barrier; }\n"),
      (std::vector<std::string>{"this condition can differ between invocations because of local_id here"}));
  EXPECT_EQ(notes_of_first("let n = out[0]; for i in 0..n { barrier; }\n"),
            (std::vector<std::string>{
                "this loop bound can differ between invocations because of `n` here",
                "`n` can differ between invocations because of a load from `out`, which others "
                "may write, here"}));
  EXPECT_EQ(notes_of_first("if (invocation_id.x > 9) { return; } barrier;\n"),
            (std::vector<std::string>{
                "some invocations may have returned here and others not",
                "this condition can differ between invocations because of invocation_id here"}));
  EXPECT_EQ(notes_of_first("let x = 0; if (atomic_or(out[0], 1)) { x = 1; } if (x) { barrier; }\n"),
            (std::vector<std::string>{
                "this condition can differ between invocations because of `x` here",
                "`x` can differ between invocations because it is set here, which not all of them may reach",
                "this condition can differ between invocations because of atomic_or, which gives each "
                "invocation its "
                "own value, here"}));
}

}  // namespace
}  // namespace vyre::check
