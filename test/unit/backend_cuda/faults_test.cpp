// What runs out, and what breaks. Oracle of all: the failure that was planted in the fake driver, and the
// meaning of B003, B008, B011 and B012 in diag.def.
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the driver of fake/ does what its script says");

namespace vyre::test {
namespace {

class Faults : public CudaTest {
 protected:
  static Result<void> run(backend::Pipeline& pipeline, size_t words = 64) {
    std::vector<uint32_t> a(words), out(words);
    const std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(a)),
                                                    std::as_writable_bytes(std::span(out))};
    return pipeline.dispatch(host, {1, 1, 1});
  }
};

TEST_F(Faults, MemoryThatRunsOutNamesTheNumbers) {
  fake().memory = 64 << 20;
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline);
  const auto kept = backend->allocate(16 << 20);
  ASSERT_TRUE(kept);
  expect_refused(backend->allocate(100'000'000), DiagCode::B003,
                 {"100000000 bytes", std::to_string(48 << 20) + " of the device's 67108864 bytes are free"});
  expect_refused(backend->allocate(UINT64_MAX), DiagCode::B003, {"18446744073709551615 bytes"});
  expect_refused(run(**pipeline, 8 << 20), DiagCode::B003, {"67108864 bytes"});
  EXPECT_TRUE(run(**pipeline));
}

// Memory that is kept for reuse must not be what another size lacks.
TEST_F(Faults, KeptMemoryIsGivenUpForAnotherSize) {
  fake().memory = 64 << 20;
  const auto backend = open();
  for (uint64_t size = 1; size <= 8; ++size) ASSERT_TRUE(backend->allocate(size << 20));
  EXPECT_GT(fake().used, 0u);
  EXPECT_TRUE(backend->allocate(64 << 20));
  const int before = fake().calls["cuMemAlloc_v2"];
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(backend->allocate(5000 + i));
  EXPECT_EQ(fake().calls["cuMemAlloc_v2"], before + 1);  // one size class, one after another
}

TEST_F(Faults, ALostDeviceStaysLost) {
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline);
  fake().kernel = [](const FakeLaunch&) { return 700; };
  expect_refused(run(**pipeline), DiagCode::B011, {"CUDA_ERROR_ILLEGAL_ADDRESS", "new process"});
  fake().kernel = {};
  fake().lost = 0;  // even if the driver should say otherwise
  const int calls = fake().calls["cuLaunchKernel"];
  expect_refused(run(**pipeline), DiagCode::B011, {"CUDA_ERROR_ILLEGAL_ADDRESS"});
  expect_refused(backend->allocate(4), DiagCode::B011, {"CUDA_ERROR_ILLEGAL_ADDRESS"});
  expect_refused(backend->compile(checked(kAdd)), DiagCode::B011, {"CUDA_ERROR_ILLEGAL_ADDRESS"});
  EXPECT_EQ(fake().calls["cuLaunchKernel"], calls);
}

// Every call that may be the first to hear of it.
TEST_F(Faults, AnyCallMayTellThatTheDeviceIsLost) {
  for (const char* symbol : {"cuMemAlloc_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2",
                             "cuLaunchKernel", "cuEventRecord", "cuEventSynchronize", "cuCtxSetCurrent"}) {
    fake() = {};
    const auto backend = open();
    const auto pipeline = backend->compile(checked(kAdd));
    ASSERT_TRUE(pipeline);
    fake().failures[symbol] = {719};
    expect_refused(run(**pipeline), DiagCode::B011, {"lost"});
    fake().lost = 0;
  }
  for (const char* symbol :
       {"cuLinkCreate_v2", "cuLinkComplete", "cuModuleLoadData", "cuModuleGetFunction"}) {
    fake() = {};
    const auto backend = open();
    fake().failures[symbol] = {719};
    expect_refused(backend->compile(checked(kAdd)), DiagCode::B011, {"lost"});
    fake().lost = 0;
  }
}

TEST_F(Faults, ARefusedCallIsNotALostDevice) {
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline);
  fake().failures["cuLaunchKernel"] = {1};
  expect_refused(run(**pipeline), DiagCode::B012, {"starting a kernel"});
  EXPECT_TRUE(run(**pipeline));
}

TEST_F(Faults, WorkgroupMemoryBeyondTheDevice) {
  const auto backend = open();
  const auto program = [](int words) {
    return checked("program p(read_write out: u32 @0, workgroup t: u32[" + std::to_string(words) +
                   "]) workgroup(32, 1, 1) { t[local_id.x] = 1; barrier; out[0] = t[out[0]]; }");
  };
  expect_refused(backend->compile(program(65536)), DiagCode::B003, {"262144 bytes", "at most 232448"});
  EXPECT_TRUE(backend->compile(program(25600)));
  EXPECT_THAT(fake().function_shared_bytes, testing::ElementsAre(102400));
}

TEST_F(Faults, AWorkgroupThatTheRegistersLeaveNoRoomFor) {
  const auto backend = open();
  const auto program =
      checked("program p(read a: u32 @0, read_write out: u32 @1) workgroup(512, 1, 1) { out[0] = a[0]; }");
  fake().threads_of_kernel = 256;
  expect_refused(backend->compile(program), DiagCode::B003, {"512 invocations", "255 registers", "256"});
  fake().threads_of_kernel = 1024;
  const auto pipeline = backend->compile(program);
  ASSERT_TRUE(pipeline);
  fake().threads_of_kernel = 384;
  fake().failures["cuLaunchKernel"] = {701};
  expect_refused(run(**pipeline), DiagCode::B003, {"512 invocations", "384"});
  fake().failures["cuLaunchKernel"] = {2};
  expect_refused(run(**pipeline), DiagCode::B003, {"4096 bytes"});
  EXPECT_TRUE(run(**pipeline));
}

TEST_F(Faults, SubgroupsThatAreNotWhole) {
  const auto program = [](std::string_view size) {
    return checked("program p(read_write out: u32 @0) workgroup(" + std::string(size) +
                   ") { out[invocation_id.x] = subgroup.reduce_add(1); }");
  };
  const auto backend = open();
  expect_refused(backend->compile(program("48, 1, 1")), DiagCode::B008, {"48 invocations", "multiple of 32"});
  EXPECT_TRUE(backend->compile(program("16, 6, 1")));
}

TEST_F(Faults, PtxThatIsRefused) {
  const auto backend = open();
  const auto program = checked(kAdd);
  fake().failures["cuLinkAddData_v2"] = {218};
  expect_refused(backend->compile(program), DiagCode::L003, {"ptxas: line 7 says no"});
  fake().version = 11000;
  const auto old = open();
  fake().failures["cuLinkAddData_v2"] = {222};
  expect_refused(old->compile(program), DiagCode::B001, {"CUDA 11.0", "PTX 7.8"});
  fake().failures["cuLinkAddData_v2"] = {221};
  expect_refused(backend->compile(program), DiagCode::B001, {"libnvidia-ptxjitcompiler.so.1"});
  fake().failures["cuModuleLoadData"] = {209};
  expect_refused(backend->compile(program), DiagCode::L003, {});
  fake().failures["cuLinkComplete"] = {2};
  expect_refused(backend->compile(program), DiagCode::B003, {"assembling"});
  EXPECT_TRUE(backend->compile(program));
}

}  // namespace
}  // namespace vyre::test
