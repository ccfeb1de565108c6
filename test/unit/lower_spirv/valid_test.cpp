// Every program that the project keeps becomes a module that Vulkan 1.2 takes.
//
// That modules run right is for tests with a device.
#include "oracle.h"
#include "programs.h"

VYRE_ORACLE(Property, "SPIRV-Tools' validator");

namespace vyre::lower {
namespace {

struct Device {
  const char* name;
  SpirvTarget target;
  FloatPromises floats;
};

std::vector<Device> devices() {
  return {{"bare", test::kBareDevice, vulkan_promises(test::kBareDevice.floats)},
          {"rich", test::kRichDevice, vulkan_promises(test::kRichDevice.floats)},
          {"usual", kUsualDevice, vulkan_promises(kUsualDevice.floats)},
          {"native floats", test::kRichDevice, test::every_promise()}};
}

TEST(SpirvValid, EveryProgramOnEveryKindOfDevice) {
  const auto programs = test::every_program();
  ASSERT_GE(programs.size(), 380u);
  size_t modules = 0;
  for (const auto& [name, program] : programs) {
    const Kernel built = build(*program);
    for (const Device& device : devices()) {
      Kernel kernel = legalize(built, spirv_target(device.target, device.floats));
      const auto is_subgroup = [](const Inst& i) { return i.kind == InstKind::Intrinsic; };
      const bool subgroups = std::ranges::any_of(kernel.insts, is_subgroup);
      // Subgroups of the files are of other sizes; for their code it is enough that workgroups are whole
      // ones.
      if (subgroups) kernel.workgroup_size = {16, 2, 2};
      const auto module = emit_spirv(kernel, device.target);
      if (subgroups && device.target.subgroup_size == 0) {
        ASSERT_FALSE(module) << name;
        EXPECT_EQ(module.error().code, DiagCode::B002);
        continue;
      }
      ASSERT_TRUE(module) << name << ", " << device.name << ": " << module.error().message;
      EXPECT_EQ(test::refusal(*module), "") << name << ", " << device.name;
      EXPECT_EQ(module->threads, kernel.invocations());
      ++modules;
    }
  }
  EXPECT_GE(modules, 3 * programs.size());
}

}  // namespace
}  // namespace vyre::lower
