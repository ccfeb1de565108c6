// Random programs become modules that Vulkan 1.2 takes, on devices with everything and with nothing optional.
#include "generate/programs.h"
#include "oracle.h"
#include "programs.h"

VYRE_ORACLE(Property, "SPIRV-Tools' validator");

namespace vyre::lower {
namespace {

void expect_valid(const Kernel& built, const SpirvTarget& target, const FloatPromises& floats,
                  const std::string& name) {
  const auto module = emit_spirv(legalize(built, spirv_target(target, floats)), target);
  ASSERT_TRUE(module) << name << ": " << module.error().message;
  EXPECT_EQ(test::refusal(*module), "") << name;
}

TEST(SpirvRandom, TwoThousandProgramsAreValid) {
  constexpr uint64_t kPrograms = 2000;
  const spec::OpTable& ops = ops::op_table();
  generate::ProgramOptions options = generate::ProgramOptions::small(&ops);
  options.max_nodes = 120;
  generate::ProgramGenerator plain(options);
  options.subgroup_size = test::kRichDevice.subgroup_size;
  generate::ProgramGenerator with_subgroups(options);
  generate::ProgramCase made;
  for (uint64_t i = 0; i < kPrograms; ++i) {
    const bool subgroups = i % 4 == 0;
    (subgroups ? with_subgroups : plain).make(/*seed=*/2026, i, made);
    const auto checked = check::check(made.program, ops);
    ASSERT_TRUE(checked) << i;
    const Kernel built = build(*checked);
    const std::string name = "program " + std::to_string(i);
    if (subgroups || i % 4 == 1) {
      expect_valid(built, test::kRichDevice, test::every_promise(), name);
    } else if (i % 4 == 2) {
      expect_valid(built, kUsualDevice, vulkan_promises(kUsualDevice.floats), name);
    } else {
      expect_valid(built, test::kBareDevice, kNoFloats, name);
    }
  }
}

}  // namespace
}  // namespace vyre::lower
