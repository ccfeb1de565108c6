// A vulkan backend over the real loader or the faulty one, and programs for it.
#pragma once

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "backend/vulkan/instance.h"
#include "backend/vulkan/vulkan.h"
#include "base/bytes.h"
#include "check/checked.h"
#include "faults/faulty_vulkan.h"
#include "ops/operation.h"
#include "ref/ref.h"
#include "text/text.h"

namespace vyre::test {

inline std::string diagnosis(const Diag& d) {
  return std::string(diag_info(d.code).name) + ": " + d.message + " (" + d.help + ")";
}

inline check::Checked checked(std::string_view text) {
  auto program = text::parse(text);
  if (!program) throw std::runtime_error(diagnosis(program.error()));
  auto result = check::check(std::move(*program), ops::op_table());
  if (!result) throw std::runtime_error(diagnosis(result.error().front()));
  return std::move(*result);
}

/// What is planted in the faulty loader, which the backends of a test open as well.
inline FaultyVulkan& faults() {
  static FaultyVulkan* const state = [] {
    void* const library = dlopen(VYRE_FAULTY_VULKAN, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<FaultyVulkan* (*)()>(dlsym(library, "vyre_faulty_vulkan"))();
  }();
  return *state;
}

inline std::vector<uint32_t> iota(size_t count, uint32_t first) {
  std::vector<uint32_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}
inline std::span<std::byte> bytes_of(std::vector<uint32_t>& words) {
  return std::as_writable_bytes(std::span(words));
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

  static std::filesystem::path folder() {
    return std::filesystem::path(testing::TempDir()) /
           ("vyre-vulkan-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
            "-" + std::to_string(getpid()));
  }
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

  template <typename T>
  static void expect_refused(const Result<T>& result, DiagCode code, std::vector<std::string> words) {
    ASSERT_FALSE(result) << "it was not refused";
    EXPECT_EQ(diag_info(result.error().code).name, diag_info(code).name) << diagnosis(result.error());
    for (const std::string& word : words) EXPECT_THAT(diagnosis(result.error()), testing::HasSubstr(word));
    EXPECT_FALSE(result.error().help.empty());
  }
};

inline constexpr std::string_view kAdd = R"(
program add(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  if (i < len(out)) { out[i] = out[i] + a[i]; }
})";

}  // namespace vyre::test
