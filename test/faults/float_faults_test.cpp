// Planted faults of floats: each is found by what certification runs at its quick strength, and the failure
// names the operator that has it. What is expected stands in float_faults.def and follows from what each
// fault does, never from what a judge said.
#include "float_faults.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "backend/native/native.h"
#include "oracle.h"
#include "suite/replay.h"
#include "verify/examine.h"
#include "verify/families.h"

VYRE_ORACLE(SpecificationTable,
            "float_faults.def: the fault that was planted, and the operation that it strikes");

namespace vyre::faults {
namespace {

using testing::StartsWith;
using verify::Family;
using verify::Subject;
using verify::Verdict;

backend::Backend& honest() {
  static const auto native = [] {
    auto made = backend::make_native({.optimisation = 0, .threads = 1});
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }();
  return *native;
}

const verify::FamilyPlan kPlan = verify::family_plan(verify::Strength::Quick);

/// The family of a row's subject; none where the ledger of families has no such row.
std::optional<Family> family_of(std::string_view subject) {
  for (const verify::FamilyInfo& f : verify::kFamilies) {
    if (subject.substr(0, subject.find('/')) == f.text) return f.family;
  }
  return std::nullopt;
}

const std::map<std::string, Subject, std::less<>>& subjects() {
  static const auto all = [] {
    std::map<std::string, Subject, std::less<>> out;
    for (const Family family : {Family::Operators, Family::Casts}) {
      for (Subject& s : verify::elementwise_subjects(family)) out.emplace(s.name, std::move(s));
    }
    return out;
  }();
  return all;
}

/// Parity of one member of an elementwise family, as its family judges it.
Verdict judge(backend::Backend& backend, const Subject& subject) {
  Verdict verdict;
  constexpr uint32_t kSizes[] = {verify::kWorkgroup};
  auto pipelines = verify::make_pipelines(backend, subject, kSizes, 1, verdict);
  if (!pipelines) {
    verdict.error = pipelines.error().message;
    return verdict;
  }
  const verify::Monitor monitor;
  verify::Examiner examiner(backend, subject, pipelines->all, 1, monitor, verdict);
  const auto ranges = plan_cases(subject, 1, kPlan.cases_a_subject, kPlan.cases_a_subject, false);
  const auto done = check_parity(subject, examiner, ranges, 1, monitor, verdict);
  if (!done) verdict.error = done.error().message;
  return verdict;
}
Verdict judge(backend::Backend& backend, std::string_view subject) {
  const auto member = subjects().find(subject);
  if (member != subjects().end()) return judge(backend, member->second);
  const auto family = family_of(subject);
  if (!family) {
    Verdict verdict;
    verdict.error = fmt::format("there is no subject {}", subject);
    return verdict;
  }
  return verify::check_family(backend, *family, kPlan, 1, {});
}

/// Verdicts on the honest backend, each made once.
const Verdict& healthy(std::string_view subject) {
  static std::map<std::string, Verdict, std::less<>> all;
  const auto known = all.find(subject);
  return known != all.end() ? known->second : all.emplace(subject, judge(honest(), subject)).first->second;
}

class AFloatFault : public testing::TestWithParam<FloatFaultInfo> {};

TEST_P(AFloatFault, IsFoundAndNamed) {
  const FloatFaultInfo& fault = GetParam();
  Liar liar(honest(), fault.fault);
  const Verdict verdict = judge(liar, fault.subject);
  EXPECT_EQ(verdict.error, "") << "refused for another reason than its answers";
  EXPECT_GT(liar.planted(), 0u) << "nothing that was run has the victim";
  ASSERT_GT(verdict.failure_count, 0u) << fault.meaning;
  for (const verify::Failure& f : verdict.failures) {
    EXPECT_EQ(f.fault, verify::Fault::WrongValue);
    EXPECT_EQ(f.check, verify::Check::Parity);
    EXPECT_NE(f.expected, f.actual);
    EXPECT_THAT(f.token, StartsWith(std::string(fault.subject)));
  }
  // The first failure's token shows it again, and nothing on a backend without the fault.
  const std::string& token = verdict.failures.front().token;
  const auto again = suite::replay(token, liar);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->fails) << again->report;
  const auto right = suite::replay(token, honest());
  ASSERT_TRUE(right) << right.error().message;
  EXPECT_FALSE(right->fails) << right->report;
}

TEST_P(AFloatFault, IsNotFoundWhereThereIsNone) {
  VYRE_ORACLE(Property,
              "native follows the specification; a judge that refused it would find faults in anything");
  const Verdict& verdict = healthy(GetParam().subject);
  EXPECT_EQ(verdict.error, "");
  EXPECT_EQ(verdict.failure_count, 0u) << verdict.failures.front().token;
  ASSERT_FALSE(verdict.parity.empty());
  for (const verify::OracleCases& cases : verdict.parity) EXPECT_TRUE(cases.tally.whole());
}

INSTANTIATE_TEST_SUITE_P(Ledger, AFloatFault, testing::ValuesIn(kFloatFaults),
                         [](const auto& info) { return std::string(info.param.name); });

// A family that has many members tells them apart: the wrong one is named, and no other.
TEST(AFloatFault, LeavesTheRestOfItsFamilyAlone) {
  Liar liar(honest(), FloatFault::ZerosAreEqual);
  const verify::FamilyPlan few{64, 1, 0};
  const Verdict verdict = verify::check_family(liar, Family::Operators, few, 1, {});
  EXPECT_EQ(verdict.error, "");
  ASSERT_GT(verdict.failure_count, 0u);
  for (const verify::Failure& f : verdict.failures)
    EXPECT_THAT(f.token, StartsWith(std::string(info(FloatFault::ZerosAreEqual).subject)));
}

}  // namespace
}  // namespace vyre::faults
