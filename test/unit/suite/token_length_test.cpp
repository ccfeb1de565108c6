// The longest token of every kind of case: who copies it from a terminal must get all of it.
#include <gtest/gtest.h>

#include "algebra/law.h"
#include "oracle.h"
#include "verify/examine.h"
#include "verify/families.h"
#include "verify/token.h"

VYRE_ORACLE(SpecificationTable, "certificate, \"Replay tokens\": at most 120 characters");

namespace vyre::verify {
namespace {

constexpr size_t kDocumented = 120;
constexpr uint64_t kMost = UINT64_MAX;

void expect_short(const Token& token) {
  const std::string text = print(token);
  EXPECT_LE(text.size(), kDocumented) << text;
  const auto back = parse_token(text);
  ASSERT_TRUE(back.has_value()) << text;
  EXPECT_EQ(*back, token) << text;
}

std::vector<Subject> every_subject() {
  std::vector<Subject> out;
  for (const ops::Operation& op : ops::all_operations()) out.push_back(subject_of(op));
  for (const FamilyInfo& family : kFamilies) {
    for (Subject& subject : elementwise_subjects(family.family)) out.push_back(std::move(subject));
  }
  return out;
}

TEST(TokenLength, OfCasesByNumber) {
  for (const Subject& subject : every_subject()) {
    for (const generate::StrategyInfo& strategy : generate::kStrategies)
      expect_short({subject.name, std::string(strategy.text), kMost, kMost, {}});
    expect_short({subject.name, "whole", kMost, kMost, {}});
  }
  for (const FamilyInfo& family : kFamilies) {
    expect_short({std::string(family.text), "program", kMost, kMost, {}});
    expect_short({std::string(family.text), "claim", kMost, kMost, {}});
  }
}

TEST(TokenLength, OfOperandsAndLaws) {
  for (const Subject& subject : every_subject()) {
    expect_short({subject.name, "operands", 0, 0,
                  std::vector<uint32_t>(input_words(subject.application), UINT32_MAX)});
  }
  for (const ops::Operation& op : ops::all_operations()) {
    const uint64_t laws = op.laws.size() + op.denied.size();
    for (uint64_t k = 0; k < laws; ++k) {
      const spec::Law& law = k < op.laws.size() ? op.laws[k] : op.denied[k - op.laws.size()].law;
      const auto bound = algebra::bind(law, op);
      ASSERT_TRUE(bound.has_value()) << op.id;
      expect_short({subject_of(op.id, op.version), "law", 0, k,
                    std::vector<uint32_t>(bound->variables.size(), UINT32_MAX)});
    }
  }
}

}  // namespace
}  // namespace vyre::verify
