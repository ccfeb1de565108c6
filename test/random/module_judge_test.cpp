// What random modules notice. Faults are planted in the plan that the interpreter is compared with; each must
// be noticed by some of a few modules, and what is left of such a module must show it.
#include "module_judge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ops/operation.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "planted, so known by construction: a seventh dispatch needs seven, and a second scratch keeps "
            "what was there");

namespace vyre::test {
namespace {

struct Found {
  generate::ModuleCase module;
  std::string text;
  size_t lines = 0;
};

/// The first module of a sequence that notices the fault, shrunk.
std::optional<Found> find(Planted planted) {
  const generate::ModuleGenerator generator(generate::ModuleOptions::small(&ops::op_table()));
  const auto reference = backend::make_reference();
  const auto differs = [&](const generate::ModuleCase& c) {
    const ModuleTrial trial = judge_module(c, ops::op_table(), *reference, *reference, planted);
    return trial.judgement.verdict == Verdict::Differ && !trial.invalid;
  };
  for (uint64_t index = 0; index < 200; ++index) {
    generate::ModuleCase c = generator.make(3, index);
    EXPECT_EQ(judge_module(c, ops::op_table(), *reference, *reference).judgement.complaint, "") << index;
    if (!differs(c)) continue;
    Found out = {generate::shrink_module(std::move(c), ops::op_table(), differs), {}, 0};
    EXPECT_TRUE(differs(out.module));
    out.text = text::print(out.module.module);
    out.lines = size_t(std::ranges::count(out.text, '\n'));
    return out;
  }
  return std::nullopt;
}

TEST(ModuleJudge, FindsADispatchThatIsDropped) {
  const auto found = find(Planted::SeventhDispatchDropped);
  ASSERT_TRUE(found);
  EXPECT_LE(found->lines, 25u) << found->text;
}

TEST(ModuleJudge, FindsScratchThatIsNotZero) {
  const auto found = find(Planted::SecondZeroSkipped);
  ASSERT_TRUE(found);
  EXPECT_LE(found->lines, 25u) << found->text;
  EXPECT_NE(found->text.find("scratch"), std::string::npos) << found->text;
}

}  // namespace
}  // namespace vyre::test
