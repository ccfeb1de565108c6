// Programs on a device: buffers there and back, in one submission or many. Every test runs on the device as
// it is, whose memory lavapipe shares with the host, and as one with memory of its own.
#include "../device_dispatch.h"
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(CpuReference, "the same sums, copies and steps in C++, on a copy of the memory");

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
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  std::vector<uint32_t> out = iota(128, 1000);
  for (uint32_t round = 1; round <= 3; ++round) {
    faults().calls.clear();
    expect_sum(**pipeline, out, round);
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

TEST_P(Dispatch, BuffersThatStay) { expect_buffer_stays(*open(), !GetParam()); }

TEST_P(Dispatch, OverRangesOfBuffers) {
  // A sum in C++; ranges of one buffer, and empty ones at its end.
  expect_ranges(*open(), *open());
}

// More steps than a slot has descriptor sets.
TEST_P(Dispatch, ManyStepsWithOneWait) {
  // x -> 3x + i in C++, n times; each step sees what those before it wrote.
  const auto backend = open();
  expect_many_steps(*backend, *open(), [&](std::span<const backend::Step> steps) {
    faults().calls.clear();
    auto ran = backend->run(steps);
    EXPECT_EQ(faults().calls["QueueSubmit"], 3);
    return ran;
  });
}

// Vulkan forbids a fill of no bytes, which the validation layers report.
TEST_P(Dispatch, ZeroesOfARecordingMayBeEmpty) {
  VYRE_ORACLE(SpecificationTable, "backend.h: Zero fills its range, which may have no bytes, with zeros");
  const auto backend = open();
  const auto buffer = backend->allocate(512);
  ASSERT_TRUE(buffer);
  std::vector<uint32_t> words = iota(128, 1), expected = words;
  ASSERT_TRUE((*buffer)->write(0, bytes_of(words)));
  const auto zero = [&](uint64_t offset, uint64_t bytes) {
    return backend::Command{.kind = backend::Command::Kind::Zero, .range = {buffer->get(), offset, bytes}};
  };
  const backend::Command commands[] = {zero(0, 0), zero(256, 8), zero(512, 0)};
  const auto recording = backend->record(commands);
  ASSERT_TRUE(recording) << diagnosis(recording.error());
  const auto ran = (*recording)->run({}, UINT64_MAX);
  ASSERT_TRUE(ran) << diagnosis(ran.error());
  ASSERT_TRUE((*buffer)->read(0, bytes_of(words)));
  expected[64] = expected[65] = 0;
  EXPECT_EQ(words, expected);
}

TEST_P(Dispatch, ByThreadsAtOnce) { expect_threads_at_once(*open()); }

// Subgroups as the device has them; and 16-bit floats, whose buffers may end amid a word.
TEST_P(Dispatch, AgreesWithTheReference) {
  VYRE_ORACLE(ReferenceInterpreter, "the reference");
  expect_as_reference(
      *open(), 3,
      {"program p(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) { let i = invocation_id.x; "
       "out[i] = subgroup.scan_add(a[i]) + subgroup.reduce_max(a[i]) * 1000; }",
       "program p(read a: f16 @0, read_write out: f16 @1) workgroup(64, 1, 1) { let i = invocation_id.x; "
       "out[i] = a[i + 1]; }",
       "program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[64]) workgroup(8, 4, 2) { "
       "t[(local_id.y * 8 + local_id.x) + local_id.z * 32] = a[invocation_id.x]; barrier; "
       "out[local_id.x + workgroup_id.x * 8] = t[63 - local_id.x]; }"});
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
