// Waivers: what they change and what they do not.
#include "certify/waiver.h"

#include <gtest/gtest.h>

#include "certify/certificate.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "docs/expectations.md and docs/certificate.md");

namespace vyre::certify {
namespace {

using verify::Fault;
using verify::Verdict;

Verdict family(std::string name, uint64_t failed) {
  Verdict v;
  v.kind = verify::SubjectKind::Family;
  v.subject = std::move(name);
  v.parity = {{verify::Oracle::ReferenceInterpreter, {20, 20, failed}}};
  v.leaves = {{verify::Oracle::ReferenceInterpreter, "program", 0, {20, 20, failed}, ""}};
  v.determinism = {40, 40, 0};
  v.canaries = 1'000;
  v.failure_count = failed;
  for (uint64_t k = 0; k < failed; ++k) {
    verify::Failure failure;
    failure.token = name + ":program:1:" + std::to_string(k);
    v.failures.push_back(std::move(failure));
  }
  return v;
}

/// One operation and two families, of which the second has failures.
Certificate with_failures(uint64_t failed) {
  Certificate c;
  c.registry = {std::string(64, '1'), 1, 2};
  c.strength = verify::Strength::Quick;
  Verdict operation = family("primitive.math.add@1", 0);
  operation.kind = verify::SubjectKind::Operation;
  operation.parity = {{verify::Oracle::SpecificationTable, {8, 8, 0}},
                      {verify::Oracle::CpuReference, {10'000, 10'000, 0}}};
  operation.leaves = {{verify::Oracle::SpecificationTable, "rows", 0, {8, 8, 0}, ""},
                      {verify::Oracle::CpuReference, "random", 0, {10'000, 10'000, 0}, ""}};
  operation.definition = {10, 10, 0};
  c.verdicts = {operation, family("ir.barriers", 0), family("ir.loops", failed)};
  return c;
}

Certificate waived() {
  Certificate c = with_failures(3);
  waive(c.verdicts[2]);
  c.waivers = {{"ir.loops", verify::Track::Integer, 3, "loops", "https://example.org/1", "2026-12-31"}};
  return c;
}

TEST(Waiver, AWaivedFailureEndsWellAndLiftsNoLevel) {
  EXPECT_TRUE(with_failures(0).passed());
  EXPECT_FALSE(with_failures(3).conforms());
  const Certificate c = waived();
  EXPECT_TRUE(c.conforms());
  EXPECT_FALSE(c.passed());
  EXPECT_EQ(c.level(), Level::None);
  EXPECT_EQ(with_failures(0).level(), Level::L2);
  EXPECT_EQ(standing_of(c, c.verdicts[1]), Standing::Passed);
  EXPECT_EQ(standing_of(c, c.verdicts[2]), Standing::Waived);
  const Totals t = totals(c);
  EXPECT_EQ(t.planned, 10'048u);
  EXPECT_EQ(t.waived, 3u);
  EXPECT_EQ(t.passed, 10'045u);
  EXPECT_EQ(t.failed, 0u);
}

TEST(Waiver, WhatItDoesNotCoverFails) {
  Certificate fewer = waived();
  fewer.waivers[0].failures = 2;
  EXPECT_EQ(standing_of(fewer, fewer.verdicts[2]), Standing::Failed);
  EXPECT_FALSE(fewer.conforms());
  EXPECT_TRUE(wrong_waivers(fewer));
  Certificate broken_off = waived();
  broken_off.verdicts[2].error = "B003: no memory";
  EXPECT_FALSE(broken_off.conforms());
  Certificate other = waived();
  other.waivers[0].track = verify::Track::Float;
  EXPECT_FALSE(other.conforms());
  Certificate without = waived();
  without.verdicts.erase(without.verdicts.begin() + 1);  // a family that was not asked for
  EXPECT_FALSE(without.conforms());
}

TEST(Waiver, FlakyIsAVerdictOfItsOwnAndIsNotWaived) {
  Certificate c = waived();
  c.verdicts[2].failures[1].fault = Fault::Flaky;
  EXPECT_EQ(standing_of(c, c.verdicts[2]), Standing::Flaky);
  EXPECT_FALSE(c.conforms());
  EXPECT_TRUE(wrong_waivers(c));
  EXPECT_EQ(totals(c).flaky, 1u);
  c.verdicts[2].failures[1].fault = Fault::OrderDependent;
  EXPECT_EQ(standing_of(c, c.verdicts[2]), Standing::Waived);
}

TEST(Waiver, ACaseThatIsInNoCountIsFound) {
  EXPECT_EQ(unaccounted(family("ir.loops", 3)), 0u);
  Verdict lost = family("ir.loops", 0);
  lost.parity[0].tally.completed = 15;
  EXPECT_EQ(unaccounted(lost), 5u);
  lost.parity[0].tally.unsupported = 2;
  EXPECT_EQ(unaccounted(lost), 3u);
  lost.parity[0].tally.failed = 3;  // without an answer
  EXPECT_EQ(unaccounted(lost), 0u);
}

TEST(Waiver, ACertificateHasItsWaiversAndNoOthers) {
  const auto read = parse(print(waived()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, waived());
  Certificate invented = with_failures(0);
  invented.waivers = waived().waivers;
  Certificate unlinked = waived();
  unlinked.waivers[0].link.clear();
  Certificate silent = waived();
  silent.waivers.clear();
  for (const Certificate& wrong : {invented, unlinked, silent}) {
    const auto refused = parse(print(wrong));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, DiagCode::C002);
  }
}

}  // namespace
}  // namespace vyre::certify
