// Differences of certificates: each reason for another level is named, and nothing else is said.
#include "certify/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "docs/certificate.md, \"Differences\", by hand");

namespace vyre::certify {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using verify::Verdict;

Verdict operation(std::string name) {
  Verdict v;
  v.kind = verify::SubjectKind::Operation;
  v.subject = std::move(name);
  v.parity = {{verify::Oracle::CpuReference, {10'000, 10'000, 0}},
              {verify::Oracle::SpecificationTable, {8, 8, 0}}};
  v.definition = v.determinism = {8, 8, 0};
  v.canaries = 9;
  return v;
}

Certificate with(const std::vector<std::string>& operations) {
  Certificate c;
  c.vyre = "0.1.0";
  c.backend = "native";
  c.device = "two threads";
  c.driver = "LLVM 19";
  c.registry = {std::string(64, '1'), 2, 0};
  c.strength = verify::Strength::Quick;
  c.seed = 1;
  c.selection = "*";
  for (const std::string& name : operations) c.verdicts.push_back(operation(name));
  return c;
}

TEST(Diff, OfEqualsIsTheLevel) {
  const Difference d = diff(with({"a@1", "b@1"}), with({"a@1", "b@1"}));
  EXPECT_TRUE(d.same_level);
  EXPECT_THAT(d.lines, ElementsAre("level: integer=L2 in both"));
  Certificate counted = with({"a@1", "b@1"});
  counted.verdicts[0].dispatches = 7;
  EXPECT_THAT(diff(with({"a@1", "b@1"}), counted).lines,
              ElementsAre("level: integer=L2 in both", "only counts and evidence differ"));
}

TEST(Diff, NamesWhoAnsweredAndWhatWasAsked) {
  Certificate other = with({"a@1"});
  other.driver = "LLVM 20\n";
  other.floats = "auto";
  other.seed = 2;
  other.selection = "a";
  other.registry.digest = std::string(64, '2');
  other.registry.operations = 3;
  const Difference d = diff(with({"a@1", "b@1"}), other);
  EXPECT_TRUE(d.same_level);  // L2 of those that were selected
  EXPECT_THAT(d.lines, ElementsAre("level: integer=L2 -> integer=L2(1 of 3)",
                                   "who answered: driver LLVM 19 -> LLVM 20 , floats nothing -> auto",
                                   "what was asked: seed 1 -> 2, selection * -> a",
                                   "registry: digest 1111111111111111 -> 2222222222222222, operations 2 -> 3",
                                   "no longer judged: b@1"));
}

TEST(Diff, NamesWhatLostALevelAndItsFirstFailingCase) {
  // a@1 fails in one case, and b@1 in a law.
  Certificate wrong = with({"a@1", "b@1"});
  wrong.verdicts[0].parity[0].tally.failed = wrong.verdicts[0].failure_count = 1;
  wrong.verdicts[0].failures.push_back({verify::Check::Parity,
                                        "cpu reference function",
                                        verify::Minimality::Smallest,
                                        {1},
                                        {2},
                                        {3},
                                        "",
                                        "a@1:u8:1:1"});
  wrong.verdicts[1].laws.push_back({"Involution", true, {}});
  const Difference d = diff(with({"a@1", "b@1"}), wrong);
  EXPECT_FALSE(d.same_level);
  EXPECT_THAT(
      d.lines,
      ElementsAre("level: integer=L2 -> integer=none",
                  "lost: a@1 L2 -> none (parity with the cpu reference function: 1 of 10000 failed); b@1 L2 "
                  "-> L1 (Involution is not verified)",
                  "first failing case: a@1:u8:1:1 (wrong value): input 0x00000001 (1); expected 0x00000002 "
                  "(2); actual 0x00000003 (3)"));
  const Difference back = diff(wrong, with({"a@1", "b@1"}));
  EXPECT_FALSE(back.same_level);
  EXPECT_THAT(
      back.lines,
      ElementsAre("level: integer=none -> integer=L2",
                  "gained: a@1 none -> L2 (was: parity with the cpu reference function: 1 of 10000 failed); "
                  "b@1 L1 -> L2 (was: Involution is not verified)"));
}

TEST(Diff, TakesNoMoreThanTenLines) {
  // The issue: `diff` explains a change of level in at most 10 lines.
  Certificate from = with({}), to = with({});
  for (int k = 0; k < 40; ++k) {
    const std::string name = "o" + std::to_string(k) + "@1";
    if (k < 30) from.verdicts.push_back(operation(name));
    if (k >= 10) to.verdicts.push_back(operation(name));
    Certificate& wrong = k % 2 == 0 ? to : from;
    if (wrong.verdicts.empty()) continue;
    Verdict& v = wrong.verdicts.back();
    v.error = "B003:\ntoo\nmuch";
    v.failures.push_back({});
  }
  to.vyre = to.backend = to.device = to.driver = to.floats = to.selection = "other\nwords";
  to.seed = 3;
  to.registry = {"2", 5, 5, 5, 5};
  const Difference d = diff(from, to);
  EXPECT_EQ(d.lines.size(), 9u);  // each kind of line once
  EXPECT_LE(d.lines.size(), kDiffLines);
  for (const std::string& line : d.lines) EXPECT_EQ(line.find('\n'), line.npos) << line;
  EXPECT_THAT(d.lines, testing::Contains(HasSubstr("lost: o")));
  EXPECT_THAT(d.lines, testing::Contains(HasSubstr(" and 8 more")));
}

}  // namespace
}  // namespace vyre::certify
