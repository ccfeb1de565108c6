// Programs on a device: buffers there and back, in one submission or many. Every test runs on the device as
// it is, whose memory lavapipe shares with the host, and as one with memory of its own.
#include "../device_dispatch.h"
#include "oracle.h"
#include "support.h"

namespace vyre::test {
namespace {

class Dispatch : public VulkanTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (GetParam()) make_discrete();
  }
};
INSTANTIATE_TEST_SUITE_P(Memory, Dispatch, testing::Bool(),
                         [](const auto& info) { return info.param ? "Staged" : "Shared"; });

TEST_P(Dispatch, BuffersAndCountsInTheirOrder) {
  VYRE_ORACLE(CpuReference, "a sum in C++");
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  std::vector<uint32_t> a = iota(100, 1), out = iota(128, 1000);
  const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
  for (uint32_t round = 1; round <= 3; ++round) {
    faults().calls.clear();
    const auto ran = (*pipeline)->dispatch(host, {2, 1, 1});
    ASSERT_TRUE(ran) << diagnosis(ran.error());
    for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(out[i], 1000 + i + (i < 100 ? round * (i + 1) : 0)) << i;
    EXPECT_EQ(a, iota(100, 1));
    EXPECT_EQ(faults().calls["QueueSubmit"], 1);  // a small dispatch is one submission, and one wait
    EXPECT_EQ(faults().calls["WaitForFences"], 1);
  }
  EXPECT_EQ(faults().calls["AllocateMemory"], 0);
}

// More than what is staged at once.
TEST_P(Dispatch, LargeBuffersInPieces) {
  VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the layer of faults/ does what its script says");
  expect_large_buffers(*open(), {20'000'000, 12, 33'333'332}, 128);
}
TEST_P(Dispatch, EmptyBuffers) {
  VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the layer of faults/ does what its script says");
  expect_empty_buffers(*open());
}
TEST_P(Dispatch, WhatTheHostGivesIsChecked) {
  VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the layer of faults/ does what its script says");
  expect_host_is_checked(*open());
}

TEST_P(Dispatch, BuffersThatStay) {
  VYRE_ORACLE(CpuReference, "std::copy and std::fill on a copy of the memory");
  const auto backend = open();
  expect_buffers_that_stay(*backend);
  EXPECT_EQ((*backend->allocate(64))->host().empty(), GetParam());
}

TEST_P(Dispatch, OverRangesOfBuffers) {
  VYRE_ORACLE(CpuReference, "a sum in C++; ranges of one buffer, and empty ones at its end");
  expect_ranges_of_buffers(*open(), *open());
}

// More steps than a slot has descriptor sets.
TEST_P(Dispatch, ManyStepsWithOneWait) {
  VYRE_ORACLE(CpuReference, "x -> 3x + i in C++, n times; each step sees what those before it wrote");
  const auto backend = open(), foreign = open();
  expect_many_steps(*backend, *foreign, [&](std::span<const backend::Step> steps) {
    faults().calls.clear();
    const auto ran = backend->run(steps);
    EXPECT_EQ(faults().calls["QueueSubmit"], 3);
    return ran;
  });
}

TEST_P(Dispatch, ByThreadsAtOnce) {
  VYRE_ORACLE(CpuReference, "a sum in C++, of every thread");
  expect_threads_at_once(*open());
}

// Subgroups as the device has them; and 16-bit floats, whose buffers may end amid a word.
TEST_P(Dispatch, AgreesWithTheReference) {
  VYRE_ORACLE(ReferenceInterpreter, "the reference");
  const auto backend = open();
  expect_reference_bytes(
      *backend,
      {"program p(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) { let i = invocation_id.x; "
       "out[i] = subgroup.scan_add(a[i]) + subgroup.reduce_max(a[i]) * 1000; }",
       kHalvesMove, kTurnedOnThreeAxes},
      3, backend->limits().subgroup_size);
}

TEST_P(Dispatch, TellsWhoAnswersAndShowsItsCode) {
  VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the layer of faults/ does what its script says");
  const auto backend = open();
  const backend::Identity who = backend->identity();
  EXPECT_EQ(who.name, "vulkan");
  EXPECT_THAT(who.device, testing::HasSubstr("Vulkan 1."));
  EXPECT_THAT(who.driver, testing::HasSubstr("conformance 1."));
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline);
  const auto code = (*pipeline)->code();
  ASSERT_TRUE(code) << diagnosis(code.error());
  EXPECT_EQ(code->form, "spirv-asm");
  EXPECT_THAT(code->text, testing::HasSubstr("OpEntryPoint GLCompute"));
}

}  // namespace
}  // namespace vyre::test
