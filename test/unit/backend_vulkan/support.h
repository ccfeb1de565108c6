// A vulkan backend over the real loader or the faulty one, and programs for it.
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <string>

#include "../device_support.h"
#include "backend/vulkan/instance.h"
#include "backend/vulkan/vulkan.h"
#include "faults/faulty_vulkan.h"
#include "ref/ref.h"

namespace vyre::test {

/// What is planted in the faulty loader, which the backends of a test open as well.
inline FaultyVulkan& faults() {
  static FaultyVulkan* const state = [] {
    void* const library = dlopen(VYRE_FAULTY_VULKAN, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<FaultyVulkan* (*)()>(dlsym(library, "vyre_faulty_vulkan"))();
  }();
  return *state;
}

/// Starts with a loader as it comes, and ends without a word of the validation layers.
class VulkanTest : public testing::Test {
 protected:
  void SetUp() override { faults() = {}; }
  void TearDown() override {
    EXPECT_THAT(backend::vulkan::late_messages().take(), testing::IsEmpty());
    std::error_code error;
    std::filesystem::remove_all(folder(), error);
  }

  static std::filesystem::path folder() { return folder_of_test("vulkan"); }
  static backend::VulkanOptions options() {
    return {.library = VYRE_FAULTY_VULKAN,
            .cache = "none",
            .threads = 1,
            .validate = true,
            .floats = backend::FloatForm::Composed};
  }
  static std::unique_ptr<backend::Backend> open(
      const backend::VulkanOptions& options = VulkanTest::options()) {
    auto backend = backend::make_vulkan(options);
    if (!backend) throw std::runtime_error(diagnosis(backend.error()));
    return std::move(*backend);
  }
  /// The device as one with memory of its own, so that everything goes through staging.
  static void make_discrete() { faults().device_type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU; }
};

}  // namespace vyre::test
