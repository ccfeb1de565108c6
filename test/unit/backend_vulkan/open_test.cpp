// Opening: the loader, the device, and what is missing. Oracle of all: what was planted in the loader, and
// the rules that vulkan.h states.
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the layer of faults/ does what its script says");

namespace vyre::test {
namespace {

class Open : public VulkanTest {
 protected:
  static Result<std::unique_ptr<backend::Backend>> make(std::optional<uint32_t> ordinal = {}) {
    backend::VulkanOptions wanted = options();
    wanted.ordinal = ordinal;
    return backend::make_vulkan(wanted);
  }
};

TEST_F(Open, WithoutALoader) {
  expect_refused(backend::make_vulkan({.library = "/nowhere/libvulkan.so.1"}), DiagCode::B001,
                 {"no Vulkan loader", "/nowhere/libvulkan.so.1", "libvulkan1", "VYRE_VULKAN_LIB"});
  // A library that is no loader.
  expect_refused(backend::make_vulkan({.library = "libm.so.6"}), DiagCode::B001, {"no Vulkan loader"});
}

TEST_F(Open, OldLoaders) {
  faults().loader_version = VK_API_VERSION_1_1;
  expect_refused(make(), DiagCode::B001, {"loader knows Vulkan 1.1.0", "1.2.0"});
  faults() = {};
  faults().missing = {"EnumerateInstanceVersion"};
  expect_refused(make(), DiagCode::B001, {"loader knows Vulkan 1.0.0"});
}

TEST_F(Open, WithoutADevice) {
  faults().devices = 0;
  expect_refused(make(), DiagCode::B001, {"finds no device", "VK_ICD_FILENAMES", "mesa-vulkan-drivers"});
  faults() = {};
  faults().failures["CreateInstance"] = {VK_ERROR_INCOMPATIBLE_DRIVER};
  expect_refused(make(), DiagCode::B001, {"VK_ERROR_INCOMPATIBLE_DRIVER", "VK_ICD_FILENAMES"});
  faults().failures["EnumeratePhysicalDevices"] = {VK_ERROR_INITIALIZATION_FAILED};
  expect_refused(make(), DiagCode::B001, {"VK_ERROR_INITIALIZATION_FAILED"});
}

TEST_F(Open, OldDevices) {
  faults().device_version = VK_MAKE_API_VERSION(0, 1, 0, 68);
  expect_refused(make(), DiagCode::B001, {"llvmpipe", "Vulkan 1.0.68", "1.2.0"});
  faults().device_version = VK_API_VERSION_1_1;
  expect_refused(make(), DiagCode::B001, {"Vulkan 1.1.0"});
}

TEST_F(Open, DevicesByNumber) {
  EXPECT_TRUE(make(0));
  expect_refused(make(1), DiagCode::B001, {"vulkan:1", "there is 1", "choose vulkan:0"});
  faults().devices = 3;
  EXPECT_TRUE(make(2));
  expect_refused(make(7), DiagCode::B001, {"vulkan:7", "there are 3", "vulkan:0 to vulkan:2"});
  EXPECT_EQ(backend::parse_vulkan_ordinal("12"), 12u);
  for (const char* wrong : {"x", "-1", "1x", "4294967296", " 1"})
    expect_refused(backend::parse_vulkan_ordinal(wrong), DiagCode::B004, {wrong});
}

TEST_F(Open, AFunctionThatIsMissing) {
  for (const char* name : {"CreateInstance", "GetPhysicalDeviceFeatures2", "CmdDispatch"}) {
    faults() = {};
    faults().missing = {name};
    expect_refused(make(), DiagCode::B001, {std::string("vk") + name});
  }
}

TEST_F(Open, ADeviceThatIsTaken) {
  for (const char* name : {"CreateDevice", "CreateCommandPool", "CreateFence", "CreateDescriptorPool"}) {
    faults() = {};
    faults().failures[name] = {VK_ERROR_INITIALIZATION_FAILED};
    expect_refused(make(), DiagCode::B001, {"llvmpipe", "VK_ERROR_INITIALIZATION_FAILED"});
  }
}

TEST_F(Open, ValidationThatIsNotInstalled) {
  faults().has_layers = false;
  expect_refused(make(), DiagCode::B001, {"VK_LAYER_KHRONOS_validation", "vulkan-validationlayers"});
  backend::VulkanOptions without = options();
  without.validate = false;
  EXPECT_TRUE(backend::make_vulkan(without));
}

// Only what the device is certain of: whole subgroups of one size.
TEST_F(Open, SubgroupsAreCertainOrNotThere) {
  const auto program = checked(
      "program p(read_write out: u32 @0) workgroup(64, 1, 1) { out[invocation_id.x] = subgroup.size(); }");
  const uint32_t size = open()->limits().subgroup_size;
  EXPECT_EQ(size, 8u);  // lavapipe with 256-bit vectors
  faults().change_properties11 = [](auto& p) {
    p.subgroupSupportedOperations &= ~VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  };
  EXPECT_EQ(open()->limits().subgroup_size, 0u);
  expect_refused(open()->compile(program), DiagCode::B002, {"subgroup.size"});
  faults() = {};
  // Sizes that vary, and cannot be asked for.
  faults().change_subgroups = [](auto& p) {
    p.minSubgroupSize = 4;
    p.requiredSubgroupSizeStages = 0;
  };
  EXPECT_EQ(open()->limits().subgroup_size, 0u);
}

TEST_F(Open, WithoutTheMemoryModelOr16BitStorage) {
  faults().change_features12 = [](auto& f) { f.vulkanMemoryModelDeviceScope = false; };
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  const auto code = (*pipeline)->code();
  ASSERT_TRUE(code);
  EXPECT_THAT(code->text, testing::HasSubstr("OpMemoryModel Logical GLSL450"));
}

}  // namespace
}  // namespace vyre::test
