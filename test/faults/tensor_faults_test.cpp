// Lowerings that are wrong in one thing each: the quick cases of the subject that a row names find each of
// them, and the token of the failure finds it again. docs/tensor-faults.md lists them all.
//
//   VYRE_TABLE=1 test_tensor_faults --gtest_filter='All*'     rows of that page, from the cases of every
//   subject
#include "tensor_faults.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "backend/native/native.h"
#include "oracle.h"
#include "project_files.h"
#include "verify/section.h"
#include "verify/tensor_check.h"

VYRE_ORACLE(Property, "docs/spec/graphs.md: a right lowering, and one thing that the page does not allow");

namespace vyre::faults {

void PrintTo(const WrongLowering& planted, std::ostream* out) { *out << planted.name; }

namespace {

using verify::Strength;
using verify::TensorJudge;
using verify::TensorSubject;
using verify::Token;

constexpr uint64_t kSeed = 1;

std::unique_ptr<backend::Backend> make_backend() {
  return backend::make_native({.optimisation = 0, .threads = 1}).value();
}

struct Found {
  Token token;
  std::string what;
};
/// The first case of a quick run that fails.
std::optional<Found> first_failure(backend::Backend& backend, const TensorSubject& subject,
                                   const verify::Lowering& lower) {
  TensorJudge judge(backend, lower);
  const uint64_t cases = verify::tensor_plan(Strength::Quick).cases(subject);
  for (uint64_t number = 0; number < cases; ++number) {
    const auto fault = judge.judge(verify::make_tensor_case(subject, kSeed, number));
    EXPECT_TRUE(fault.has_value()) << subject.name() << ", case " << number << ": "
                                   << verify::text_of(fault.error());
    if (!fault) return std::nullopt;
    const Token token{subject.name(), std::string(verify::text(subject.track)), kSeed, number, {}};
    if (*fault) return Found{token, (*fault)->what};
  }
  return std::nullopt;
}

class TensorFaults : public testing::TestWithParam<WrongLowering> {};

/// A row of the page: all subjects that find it.
void print_row(backend::Backend& backend, const WrongLowering& planted) {
  std::string first = "nothing", by;
  for (const TensorSubject& subject : verify::tensor_subjects()) {
    const auto found = first_failure(backend, subject, planted.lower);
    if (!found) continue;
    if (subject.name() == planted.subject && subject.track == planted.track) first = print(found->token);
    by += fmt::format("{}{}{}", by.empty() ? "" : ", ", subject.id.substr(subject.id.find('.') + 1),
                      subject.track == verify::Track::Float ? " of floats" : "");
  }
  fmt::print("| `{}` | {} | `{}` | {} |\n", planted.name, planted.meaning, first, by);
}

TEST_P(TensorFaults, AreFoundByTheirSubject) {
  const WrongLowering& planted = GetParam();
  const auto backend = make_backend();
  if (std::getenv("VYRE_TABLE") != nullptr) return print_row(*backend, planted);
  const TensorSubject* const subject = verify::find_tensor_subject(planted.subject, planted.track);
  ASSERT_NE(subject, nullptr) << planted.subject;
  const auto found = first_failure(*backend, *subject, planted.lower);
  ASSERT_TRUE(found.has_value()) << planted.meaning;
  // It ran, and left other bytes.
  EXPECT_NE(found->what.find("elements differ"), std::string::npos) << found->what;
  const std::string text = print(found->token);
  fmt::print("{}: {}\n", planted.name, text);
  const auto token = verify::parse_token(text);
  ASSERT_TRUE(token && verify::tensor_subject_of(*token) == subject) << text;
  const verify::TensorCase again = verify::make_tensor_case(*subject, token->seed, token->index);
  const auto wrong = TensorJudge(*backend, planted.lower).judge(again);
  EXPECT_TRUE(wrong && *wrong) << text;
  const auto right = TensorJudge(*backend).judge(again);
  EXPECT_TRUE(right && !*right) << text;
}

INSTANTIATE_TEST_SUITE_P(All, TensorFaults, testing::ValuesIn(wrong_lowerings()),
                         [](const auto& info) { return std::string(info.param.name); });

/// What takes graphs and programs apart and puts them together is no fault.
TEST(TensorFaultsPlanted, ARightLoweringIsNotRefused) {
  const auto backend = make_backend();
  const verify::Lowering right = right_lowering();
  for (const TensorSubject& subject : verify::tensor_subjects()) {
    const auto found = first_failure(*backend, subject, right);
    EXPECT_FALSE(found.has_value()) << print(found->token) << ": " << found->what;
  }
}

TEST(TensorFaultsPlanted, AreOfEverySubjectAndOnTheirPage) {
  std::set<std::string> subjects;
  for (const TensorSubject& subject : verify::tensor_subjects()) subjects.insert(subject.name());
  std::map<std::string, std::string> rows;
  std::istringstream page(test::file_text("docs/tensor-faults.md"));
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) rows.emplace(line.substr(3, line.find('`', 3) - 3), line);
  for (const WrongLowering& planted : wrong_lowerings()) {
    subjects.erase(std::string(planted.subject));
    const auto row = rows.find(std::string(planted.name));
    ASSERT_NE(row, rows.end()) << planted.name;
    EXPECT_NE(row->second.find(fmt::format("| {} |", planted.meaning)), std::string::npos) << row->second;
    EXPECT_NE(row->second.find(fmt::format("`{}:{}:", planted.subject, verify::text(planted.track))),
              std::string::npos)
        << row->second;
    rows.erase(row);
  }
  EXPECT_TRUE(rows.empty()) << rows.begin()->first << " is not planted";
  EXPECT_TRUE(subjects.empty()) << *subjects.begin() << " has no fault";
}

}  // namespace
}  // namespace vyre::faults
