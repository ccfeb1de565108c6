// What runs out, and what breaks. Oracle of all: the failure that was planted in the loader, and the meaning
// of B003, B011, B012 and L003 in diag.def.
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable,
            "backend.h and diag.def; the layer of faults/ does what its script says; what llvmpipe lets a "
            "program have");

namespace vyre::test {
namespace {

class Faults : public VulkanTest {
 protected:
  static Result<void> run(backend::Pipeline& pipeline, size_t words = 64) {
    std::vector<uint32_t> a(words), out(words);
    const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
    return pipeline.dispatch(host, {1, 1, 1});
  }
};

TEST_F(Faults, MemoryThatRunsOutNamesTheNumbers) {
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline);
  faults().failures["AllocateMemory"] = {VK_ERROR_OUT_OF_DEVICE_MEMORY};
  expect_refused(backend->allocate(100'000'000), DiagCode::B003, {"100000000 bytes", "the device has"});
  expect_refused(backend->allocate(UINT64_MAX), DiagCode::B003,
                 {"18446744073709551615 bytes", "maxMemoryAllocationSize"});
  EXPECT_TRUE(run(**pipeline));
}

// Memory that is kept for reuse must not be what another size lacks.
TEST_F(Faults, KeptMemoryIsGivenUpForAnotherSize) {
  const auto backend = open();
  ASSERT_TRUE(backend->allocate(5 << 20));
  const int freed = faults().calls["FreeMemory"];
  faults().failures["AllocateMemory"] = {VK_ERROR_OUT_OF_DEVICE_MEMORY};
  EXPECT_TRUE(backend->allocate(7 << 20));
  EXPECT_EQ(faults().calls["FreeMemory"], freed + 1);
  ASSERT_TRUE(backend->allocate(5000));
  const int before = faults().calls["AllocateMemory"];
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(backend->allocate(5000 + i));
  EXPECT_EQ(faults().calls["AllocateMemory"], before);  // one size class, one after another
}

TEST_F(Faults, BuffersBeyondTheRangeOfABinding) {
  faults().change_limits = [](auto& l) { l.maxStorageBufferRange = 4096; };
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline);
  EXPECT_TRUE(run(**pipeline, 1024));
  expect_refused(run(**pipeline, 1025), DiagCode::B003, {"4100 bytes", "4096", "maxStorageBufferRange"});
  // Memory may be larger than what one binding sees of it.
  const auto buffer = backend->allocate(8192);
  ASSERT_TRUE(buffer);
  const backend::DeviceRange fits[] = {{buffer->get(), 4096, 4096}, {buffer->get(), 0, 4096}};
  EXPECT_TRUE((*pipeline)->dispatch_resident(fits, {1, 1, 1}));
  const backend::DeviceRange wide[] = {{buffer->get(), 0, 4352}, {buffer->get(), 4352, 256}};
  expect_refused((*pipeline)->dispatch_resident(wide, {1, 1, 1}), DiagCode::B003, {"4352 bytes", "4096"});
}

TEST_F(Faults, MoreBuffersThanTheDeviceBinds) {
  const auto with = [](int buffers) {
    std::string text = "program p(";
    for (int i = 0; i < buffers; ++i)
      text += (i == 0 ? "" : ", ") + ("read_write b" + std::to_string(i)) + ": u32 @" + std::to_string(i);
    return checked(text + ") workgroup(1, 1, 1) { b0[0] = len(b" + std::to_string(buffers - 1) + "); }");
  };
  faults().change_limits = [](auto& l) { l.maxPerStageDescriptorStorageBuffers = 4; };
  EXPECT_TRUE(open()->compile(with(4)));
  expect_refused(open()->compile(with(5)), DiagCode::B003,
                 {"5 bound buffers", "at most 4", "maxPerStageDescriptorStorageBuffers"});
  faults().change_limits = [](auto& l) { l.maxPushConstantsSize = 20; };  // a word for each, and two
  EXPECT_TRUE(open()->compile(with(3)));
  expect_refused(open()->compile(with(4)), DiagCode::B003,
                 {"4 bound buffers", "at most 3", "maxPushConstantsSize"});
}

TEST_F(Faults, WorkgroupsBeyondTheDevice) {
  const auto backend = open();
  const auto memory = [](int words) {
    return checked("program p(read_write out: u32 @0, workgroup t: u32[" + std::to_string(words) +
                   "]) workgroup(32, 1, 1) { t[local_id.x] = 1; barrier; out[0] = t[out[0]]; }");
  };
  EXPECT_TRUE(backend->compile(memory(8192)));
  expect_refused(backend->compile(memory(8193)), DiagCode::B003, {"32772 bytes", "at most 32768"});
  faults().change_limits = [](auto& l) { l.maxComputeWorkGroupSize[0] = 128; };
  const auto narrow = open();
  expect_refused(
      narrow->compile(checked("program p(read_write o: u32 @0) workgroup(2, 64, 2) { o[0] = 1; }")),
      DiagCode::B003, {"256 invocations", "at most 128"});
}

TEST_F(Faults, SubgroupsThatAreNotWhole) {
  const auto backend = open();
  expect_refused(backend->compile(checked("program p(read_write out: u32 @0) workgroup(12, 1, 1) { "
                                          "out[invocation_id.x] = subgroup.reduce_add(1); }")),
                 DiagCode::B008, {"12 invocations", "multiple of 8"});
}

TEST_F(Faults, ALostDeviceStaysLost) {
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline);
  faults().failures["WaitForFences"] = {VK_ERROR_DEVICE_LOST};
  expect_refused(run(**pipeline), DiagCode::B011, {"VK_ERROR_DEVICE_LOST", "new process"});
  const int submitted = faults().calls["QueueSubmit"];
  expect_refused(run(**pipeline), DiagCode::B011, {"VK_ERROR_DEVICE_LOST"});
  expect_refused(backend->allocate(4), DiagCode::B011, {"VK_ERROR_DEVICE_LOST"});
  expect_refused(backend->compile(checked(kAdd)), DiagCode::B011, {"VK_ERROR_DEVICE_LOST"});
  EXPECT_EQ(faults().calls["QueueSubmit"], submitted);
}

// Every call that may be the first to hear of it.
TEST_F(Faults, AnyCallMayTellThatTheDeviceIsLost) {
  make_discrete();
  for (const char* name : {"QueueSubmit", "WaitForFences", "ResetFences", "BeginCommandBuffer",
                           "EndCommandBuffer", "AllocateDescriptorSets"}) {
    const auto backend = open();
    const auto pipeline = backend->compile(checked(kAdd));
    ASSERT_TRUE(pipeline);
    faults().failures[name] = {VK_ERROR_DEVICE_LOST};
    expect_refused(run(**pipeline), DiagCode::B011, {"lost"});
    expect_refused(run(**pipeline), DiagCode::B011, {"lost"});
  }
  const auto backend = open();
  faults().failures["CreateComputePipelines"] = {VK_ERROR_DEVICE_LOST};
  expect_refused(backend->compile(checked(kAdd)), DiagCode::B011, {"lost"});
}

TEST_F(Faults, ADeviceThatDoesNotAnswer) {
  backend::VulkanOptions hasty = options();
  hasty.timeout = std::chrono::milliseconds(1);
  // A real one: 2^16 workgroups of 2^15 dependent steps are seconds for lavapipe, which goes on with them
  // when the test is over. (A longer loop it would cut short.)
  const auto program = checked(R"(
program p(read a: u32 @0, read_write out: u32 @1) workgroup(256, 1, 1) {
  let x = a[0] + invocation_id.x;
  for i in 0..32768 { x = (x ^ i) * 2654435761; }
  if (x == 77) { out[0] = x; }
})");
  const auto backend = open(hasty);
  const auto pipeline = backend->compile(program);
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  std::vector<uint32_t> a(64), out(64);
  const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
  expect_refused((*pipeline)->dispatch(host, {65535, 1, 1}), DiagCode::B011, {"within 1 ms"});
  expect_refused(run(**pipeline), DiagCode::B011, {"within 1 ms"});
}

// 70,000 turns llvmpipe does not let a program have; 60,000 it does.
constexpr std::string_view kTurns = R"(
program p(read turns: u32 @0, read_write out: u32 @1) workgroup(8, 1, 1) {
  let x = 0;
  for i in 0..turns[0] { x = x + ((x ^ i) & 1) + 1; if (x > i + 1) { x = i + 1; } }
  out[invocation_id.x] = x;
})";

TEST_F(Faults, ALoopThatTheDriverEnds) {
  const auto backend = open();
  const auto program = checked(kTurns);
  const auto pipeline = backend->compile(program);
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  for (const uint32_t turns : {60'000u, 70'000u, 60'000u}) {
    std::vector<uint32_t> a = {turns}, out(8);
    const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
    const auto ran = (*pipeline)->dispatch(host, {1, 1, 1});
    if (turns == 70'000u) {
      expect_refused(ran, DiagCode::B003, {"ended a loop", "65535"});
    } else {
      ASSERT_TRUE(ran) << diagnosis(ran.error());
      EXPECT_THAT(out, testing::Each(turns));
    }
  }
}

// Of several programs whose loops are ended in one run, each may run again.
TEST_F(Faults, LoopsOfSeveralProgramsThatTheDriverEnds) {
  const auto backend = open();
  const auto program = checked(kTurns);
  const auto first = backend->compile(program), second = backend->compile(program);
  ASSERT_TRUE(first && second);
  const auto buffer = backend->allocate(512);
  ASSERT_TRUE(buffer);
  const backend::DeviceRange ranges[] = {{buffer->get(), 0, 4}, {buffer->get(), 256, 32}};
  const backend::Step steps[] = {{first->get(), ranges, {1, 1, 1}}, {second->get(), ranges, {1, 1, 1}}};
  std::vector<uint32_t> turns = {70'000};
  ASSERT_TRUE((*buffer)->write(0, bytes_of(turns)));
  expect_refused(backend->run(steps), DiagCode::B003, {"ended a loop", "65535"});
  turns = {60'000};
  ASSERT_TRUE((*buffer)->write(0, bytes_of(turns)));
  for (const backend::Step& step : steps) {
    const auto ran = backend->run({&step, 1});
    EXPECT_TRUE(ran) << diagnosis(ran.error());
  }
}

TEST_F(Faults, ARefusedCallIsNotALostDevice) {
  for (const char* name : {"QueueSubmit", "EndCommandBuffer", "BeginCommandBuffer"}) {
    const auto backend = open();
    const auto pipeline = backend->compile(checked(kAdd));
    ASSERT_TRUE(pipeline);
    ASSERT_TRUE(run(**pipeline));
    faults().failures[name] = {VK_ERROR_UNKNOWN};
    expect_refused(run(**pipeline), DiagCode::B012, {"VK_ERROR_UNKNOWN"});
  }
}

TEST_F(Faults, CodeThatIsRefused) {
  const auto backend = open();
  const auto program = checked(kAdd);
  for (const VkResult result :
       {VK_ERROR_INVALID_SHADER_NV, VK_ERROR_UNKNOWN, VK_ERROR_INITIALIZATION_FAILED}) {
    faults().failures["CreateComputePipelines"] = {result};
    expect_refused(backend->compile(program), DiagCode::L003, {backend::vulkan::describe(result)});
  }
  faults().failures["CreateComputePipelines"] = {VK_ERROR_OUT_OF_HOST_MEMORY};
  expect_refused(backend->compile(program), DiagCode::B003, {"compiling a kernel"});
  EXPECT_TRUE(backend->compile(program));
}

// The layers are heard: a call that they must complain about, here more push constants than there are.
TEST_F(Faults, WhatValidationSaysIsAnError) {
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline);
  ASSERT_TRUE(run(**pipeline));
  faults().mistake = true;
  expect_refused(run(**pipeline), DiagCode::B012, {"validation layers", "vkCmdPushConstants"});
  EXPECT_TRUE(run(**pipeline));
}

}  // namespace
}  // namespace vyre::test
