// A cuda backend over the fake driver, and programs for it.
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <string>

#include "../device_support.h"
#include "backend/cuda/cuda.h"
#include "fake/fake_cuda.h"
#include "ref/ref.h"

namespace vyre::test {

/// The state of the fake driver, which the backends of a test open as well.
inline FakeCuda& fake() {
  static FakeCuda* const state = [] {
    void* const library = dlopen(VYRE_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<FakeCuda* (*)()>(dlsym(library, "vyre_fake_cuda"))();
  }();
  return *state;
}

/// What a kernel on the fake does when it is this program: the reference runs it, on what the launch's
/// parameters name.
inline std::function<int(const FakeLaunch&)> kernel_of(const check::Checked& program) {
  return [&program](const FakeLaunch& launch) {
    std::vector<std::span<std::byte>> buffers;
    for (size_t i = 0; i < program.bound_buffers().size(); ++i) {
      const ir::BufferDecl& decl = program.buffer(program.bound_buffers()[i]);
      const uint64_t size = spec::info(program.program().element(decl)).bytes;
      buffers.emplace_back(fake().at(launch.parameters.at(2 * i)), launch.parameters.at(2 * i + 1) * size);
    }
    const layout::Groups groups = {launch.grid[0], launch.grid[1], launch.grid[2]};
    const auto ran = ref::run(program, buffers, groups, {.subgroup_size = 32});
    EXPECT_TRUE(ran) << diagnosis(ran.error());
    return 0;
  };
}

/// Starts with a driver as it comes, and ends with nothing held and no rule of the driver broken.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override { fake() = {}; }
  void TearDown() override {
    EXPECT_EQ(fake().held(), 0u);
    EXPECT_THAT(fake().violations, testing::IsEmpty());
    std::error_code error;
    std::filesystem::remove_all(folder(), error);
  }

  static std::filesystem::path folder() { return folder_of_test("cuda"); }
  static backend::CudaOptions options() { return {.library = VYRE_FAKE_CUDA, .cache = "none", .threads = 1}; }
  static backend::CudaOptions cached() {
    return {.library = VYRE_FAKE_CUDA, .cache = folder().string(), .threads = 1};
  }
  static std::unique_ptr<backend::Backend> open(const backend::CudaOptions& options = CudaTest::options()) {
    auto backend = backend::make_cuda(options);
    if (!backend) throw std::runtime_error(diagnosis(backend.error()));
    return std::move(*backend);
  }
};

}  // namespace vyre::test
