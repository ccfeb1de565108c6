#include "modules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "check/module.h"
#include "ops/operation.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(Property,
            "the checker, written by others from the specification, the ledgers of the language, and what a "
            "generator is: a function of seed and index, whose failures shrink");

namespace vyre::generate {
namespace {

TEST(RandomModules, AreAllValidAndHaveEverything) {
  const ModuleGenerator generator(ModuleOptions::small(&ops::op_table()));
  ModuleCoverage coverage;
  for (uint64_t index = 0; index < 500; ++index) {
    const ModuleCase c = generator.make(5, index);
    const auto checked = check::check(c.module, ops::op_table());
    ASSERT_TRUE(checked) << index << ": " << render(checked.error().front(), nullptr)
                         << text::print(c.module);
    coverage.add(**checked);
  }
  EXPECT_TRUE(coverage.missing().empty()) << coverage.print();
}

TEST(RandomModules, CoverageSeesWhatIsMissing) {
  VYRE_ORACLE(SpecificationTable, "docs/spec/pipelines.md: a module without the command has it not");
  ModuleCoverage coverage;
  const auto module = text::parse_module(
      "program p(read_write o: u32 @0) workgroup(1, 1, 1) { o[0] = 1; }\n"
      "pipeline q(read_write o: u32 @0) { dispatch p(o) groups(1); }\n",
      &ops::op_table());
  ASSERT_TRUE(module);
  coverage.add(**check::check(*module, ops::op_table()));
  const auto missing = coverage.missing();
  const auto lacks = [&](std::string_view part) { return std::ranges::find(missing, part) != missing.end(); };
  EXPECT_FALSE(lacks("dispatch"));
  EXPECT_FALSE(lacks("an argument of the parameter's name"));
  for (const std::string_view part : {"scratch", "let", "run", "for", "repeat", "if", "a list", "popcount"})
    EXPECT_TRUE(lacks(part)) << part;
}

TEST(RandomModules, AreTheSameEveryTime) {
  const ModuleGenerator one(ModuleOptions::small(&ops::op_table())),
      other(ModuleOptions::small(&ops::op_table()));
  one.make(7, 0);
  const ModuleCase a = one.make(7, 3), b = other.make(7, 3);
  EXPECT_TRUE(ir::equal(a.module, b.module));
  EXPECT_EQ(a.buffers, b.buffers);
  EXPECT_FALSE(ir::equal(a.module, one.make(7, 4).module));
}

TEST(RandomModules, ConstantsTakeThePlaceOfNumbers) {
  VYRE_ORACLE(SpecificationTable,
              "docs/text-format.md, \"Constants\": where a constant may stand and where not");
  auto module = text::parse_module(
      "program p(read_write o: u32 @8) workgroup(8, 1, 1) { o[8] = 8; o[18] = o[invocation_id.x]; }\n"
      "pipeline q(read_write o: u32 @8) { for i in 0..8 { dispatch p(o) groups(1); } }\n",
      &ops::op_table());
  ASSERT_TRUE(module);
  module->constants.push_back({.name = "C", .value = 8, .written = 8});
  const NamedText named = with_constants(*module);
  EXPECT_NE(named.text.find("const C = 9 in {9, 8};"), std::string::npos) << named.text;
  EXPECT_NE(named.text.find("workgroup(C, 1, 1)"), std::string::npos) << named.text;
  EXPECT_NE(named.text.find("o[C] = C;"), std::string::npos) << named.text;
  EXPECT_NE(named.text.find("0..C"), std::string::npos) << named.text;
  EXPECT_NE(named.text.find("u32 @8"), std::string::npos) << named.text;
  EXPECT_NE(named.text.find("o[18]"), std::string::npos) << named.text;
}

TEST(RandomModules, ShrinkToWhatTheFailureNeeds) {
  // The failure is a repeat that dispatches: what is left is that, and little else.
  const ModuleGenerator generator(ModuleOptions::small(&ops::op_table()));
  const auto fails = [](const ModuleCase& c) {
    for (const ir::Pipeline& pipeline : c.module.pipelines) {
      for (size_t i = 0; i < pipeline.commands.size(); ++i) {
        if (pipeline.commands[i].kind != ir::CommandKind::Repeat) continue;
        for (size_t k = i + 1; k < pipeline.commands[i].end; ++k) {
          if (pipeline.commands[k].kind == ir::CommandKind::Dispatch) return true;
        }
      }
    }
    return false;
  };
  uint32_t tried = 0;
  for (uint64_t index = 0; tried < 5; ++index) {
    ModuleCase c = generator.make(9, index);
    if (!fails(c)) continue;
    ++tried;
    const ModuleCase shrunk = shrink_module(std::move(c), ops::op_table(), fails);
    ASSERT_TRUE(check::check(shrunk.module, ops::op_table()));
    EXPECT_TRUE(fails(shrunk));
    size_t commands = 0;
    for (const ir::Pipeline& pipeline : shrunk.module.pipelines) commands += pipeline.commands.size();
    // A scratch that is looked at may be a third.
    EXPECT_LE(commands, 3u) << text::print(shrunk.module);
    EXPECT_EQ(shrunk.module.programs.size(), 1u) << text::print(shrunk.module);
    EXPECT_TRUE(shrunk.module.operations.empty()) << text::print(shrunk.module);
  }
}

}  // namespace
}  // namespace vyre::generate
