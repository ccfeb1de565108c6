// Libraries that are none, devices that break, and shaders that are refused. Oracle of all: what was planted
// in the library (test/faults/faulty_webgpu.h), and the meaning of B001, B003, B011, B012 and L003 in
// diag.def.
#include <dlfcn.h>

#include <memory>

#include "../../faults/faulty_webgpu.h"
#include "../device_support.h"
#include "backend/webgpu/webgpu.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "backend.h and diag.def; the faulty library does what its script says; WebGPU's default limits");

namespace vyre::test {
namespace {

using namespace backend::webgpu;

/// What is planted in the faulty library, which the backends of a test open as well.
FaultyWebgpu& faults() {
  static FaultyWebgpu* const state = [] {
    void* const library = dlopen(VYRE_FAULTY_WEBGPU, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<FaultyWebgpu* (*)()>(dlsym(library, "vyre_faulty_webgpu"))();
  }();
  return *state;
}

class Faults : public testing::Test {
 protected:
  void SetUp() override { faults() = {}; }

  static auto make(const std::string& library = VYRE_FAULTY_WEBGPU,
                   std::chrono::milliseconds timeout = std::chrono::minutes(1)) {
    return backend::make_webgpu({.library = library, .threads = 1, .timeout = timeout});
  }
  static std::unique_ptr<backend::Backend> open(const std::string& library = VYRE_FAULTY_WEBGPU) {
    auto backend = make(library);
    if (!backend) throw std::runtime_error(diagnosis(backend.error()));
    return std::move(*backend);
  }

  /// 64 sums. Their values are looked at when it succeeds.
  static Result<void> run(backend::Pipeline& pipeline) {
    std::vector<uint32_t> a = iota(64, 1000), out = iota(64, 1);
    const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
    const auto ran = pipeline.dispatch(host, {1, 1, 1});
    for (uint32_t i = 0; ran && i < 64; ++i) EXPECT_EQ(out[i], 1001 + 2 * i);
    return ran;
  }
  static std::unique_ptr<backend::Pipeline> compiled(backend::Backend& backend) {
    auto pipeline = backend.compile(checked(kAdd));
    if (!pipeline) throw std::runtime_error(diagnosis(pipeline.error()));
    return std::move(*pipeline);
  }
  /// That everything is refused from now on, and that the library is left alone.
  static void expect_lost(backend::Backend& backend, backend::Pipeline& pipeline, const std::string& words) {
    const int submitted = faults().calls["QueueSubmit"];
    expect_refused(run(pipeline), DiagCode::B011, {words});
    expect_refused(backend.allocate(4), DiagCode::B011, {words});
    expect_refused(backend.compile(checked(kAdd)), DiagCode::B011, {words});
    EXPECT_EQ(faults().calls["QueueSubmit"], submitted);
  }
};

TEST_F(Faults, WithoutOneEverythingWorks) {
  const auto backend = open();
  EXPECT_TRUE(run(*compiled(*backend)));
}

TEST_F(Faults, LibrariesThatAreNone) {
  expect_refused(make("/no/such/library.so"), DiagCode::B001, {"/no/such/library.so", "VYRE_WEBGPU_LIB"});
  expect_refused(make("libm.so.6"), DiagCode::B001, {"libm.so.6", "wgpuCreateInstance"});
  expect_refused(make(VYRE_FAULTY_WEBGPU_OLDER), DiagCode::B001,
                 {"older", "wgpuSupportedFeaturesFreeMembers"});
  expect_refused(make(VYRE_FAULTY_WEBGPU_LACKING), DiagCode::B001,
                 {"libfaulty_webgpu_lacking.so", "wgpuQueueSubmit"});
}

// One that is neither Dawn nor wgpu-native, as far as its answers show, is asked until it answers.
TEST_F(Faults, ALibraryThatCannotWait) {
  const auto backend = open(VYRE_FAULTY_WEBGPU_POLLED);
  EXPECT_TRUE(run(*compiled(*backend)));
}

TEST_F(Faults, NoAdapter) {
  faults().no_adapter = "there is none, says the library";
  expect_refused(make(), DiagCode::B001, {"adapter", "there is none, says the library"});
}

TEST_F(Faults, NoDevice) {
  faults().no_device = "it is taken, says the library";
  expect_refused(make(), DiagCode::B001, {"device", "it is taken, says the library"});
}

TEST_F(Faults, RequestsThatAreNeverAnswered) {
  faults().silent_adapter = true;
  expect_refused(make(VYRE_FAULTY_WEBGPU, std::chrono::milliseconds(50)), DiagCode::B001, {"within 50 ms"});
  faults() = {};
  faults().silent_device = true;
  expect_refused(make(VYRE_FAULTY_WEBGPU, std::chrono::milliseconds(50)), DiagCode::B001, {"within 50 ms"});
}

// A library whose structures are others is found out before a program runs.
TEST_F(Faults, ADeviceThatDoesNotCompute) {
  faults().idle = 0;
  expect_refused(make(), DiagCode::B001, {"test", "is 0x0, not 0x"});
}

TEST_F(Faults, ADeviceThatEndsLoops) {
  faults().short_loops = true;
  expect_refused(make(), DiagCode::B001, {"70,000 turns", "llvmpipe"});
}

TEST_F(Faults, LimitsOfAnUnknownLayoutAreNotBelieved) {
  faults().limits = true;
  const auto backend = open();
  EXPECT_EQ(backend->limits().max_invocations_per_group, 256u);
  EXPECT_EQ(backend->limits().max_workgroup_bytes, 16384u);
  EXPECT_TRUE(run(*compiled(*backend)));
}

TEST_F(Faults, AShaderThatIsRefused) {
  const auto backend = open();
  faults().refuses = "@compute";
  expect_refused(backend->compile(checked(kAdd)), DiagCode::L003, {"this is no WGSL"});
  faults() = {};
  EXPECT_TRUE(run(*compiled(*backend)));
}

TEST_F(Faults, ALostDeviceStaysLost) {
  const auto backend = open();
  const auto pipeline = compiled(*backend);
  ASSERT_TRUE(run(*pipeline));
  faults().lost = faults().calls["QueueSubmit"];
  expect_refused(run(*pipeline), DiagCode::B011, {kPlanted, "new process"});
  expect_lost(*backend, *pipeline, kPlanted);
}

TEST_F(Faults, AnotherDeviceCanBeOpenedAfterALoss) {
  {
    const auto backend = open();
    const auto pipeline = compiled(*backend);
    faults().lost = faults().calls["QueueSubmit"];
    ASSERT_FALSE(run(*pipeline));
  }
  faults() = {};
  const auto backend = open();
  EXPECT_TRUE(run(*compiled(*backend)));
}

TEST_F(Faults, ADeviceThatDoesNotAnswer) {
  // Hasty, but the device must have opened before.
  const auto backend = make(VYRE_FAULTY_WEBGPU, std::chrono::seconds(2));
  ASSERT_TRUE(backend) << diagnosis(backend.error());
  const auto pipeline = compiled(**backend);
  faults().silent = faults().calls["BufferMapAsync"];
  expect_refused(run(*pipeline), DiagCode::B011, {"within 2000 ms"});
  expect_lost(**backend, *pipeline, "within 2000 ms");
}

TEST_F(Faults, AMappingToNowhere) {
  const auto backend = open();
  const auto pipeline = compiled(*backend);
  faults().unmapped = faults().calls["BufferGetConstMappedRange"];
  expect_refused(run(*pipeline), DiagCode::B012, {"maps no memory"});
  faults() = {};
  EXPECT_TRUE(run(*pipeline));
}

/// The next three scopes are those of one group of calls.
class Errors : public Faults, public testing::WithParamInterface<int> {};

TEST_P(Errors, OfScopesAreReportedInTheLibrarysWords) {
  const auto backend = open();
  const auto pipeline = compiled(*backend);
  const auto plant = [&](WGPUErrorType type) {
    faults().error = {type, faults().calls["DevicePopErrorScope"] + GetParam()};
  };
  plant(WGPUErrorType_Validation);
  expect_refused(run(*pipeline), DiagCode::B012, {kPlanted});
  plant(WGPUErrorType_Internal);
  expect_refused(run(*pipeline), DiagCode::B012, {kPlanted});
  plant(WGPUErrorType_OutOfMemory);
  expect_refused(run(*pipeline), DiagCode::B003, {});
  plant(WGPUErrorType_Internal);
  expect_refused(backend->compile(checked("program p(read_write o: u32 @0) workgroup(1, 1, 1) { o[0] = " +
                                          std::to_string(GetParam()) + "; }")),
                 DiagCode::L003, {kPlanted});
  EXPECT_TRUE(run(*pipeline));
}
INSTANTIATE_TEST_SUITE_P(EachOfAGroup, Errors, testing::Values(0, 1, 2));

}  // namespace
}  // namespace vyre::test
