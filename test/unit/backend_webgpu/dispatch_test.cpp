// Programs on a device: buffers there and back, in one submission or many.
#include "../device_dispatch.h"
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(CpuReference, "the same sums, copies and steps in C++, on a copy of the memory");

namespace vyre::test {
namespace {

using Dispatch = WebgpuTest;

TEST_F(Dispatch, BuffersAndCountsInTheirOrder) {
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  std::vector<uint32_t> out = iota(128, 1000);
  for (uint32_t round = 1; round <= 3; ++round) expect_sum(**pipeline, out, round);
}

// More than what is mapped at once, or written without waiting.
TEST_F(Dispatch, LargeBuffersInPieces) {
  VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the faulty library does what its script says");
  expect_large_buffers(*open(), {70'000'000, 12, 17'333'332}, 67);
}
TEST_F(Dispatch, EmptyBuffers) {
  VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the faulty library does what its script says");
  expect_empty_buffers(*open());
}
TEST_F(Dispatch, WhatTheHostGivesIsChecked) {
  VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the faulty library does what its script says");
  expect_host_is_checked(*open());
}

// WebGPU writes whole words alone.
TEST_F(Dispatch, BuffersThatStay) { expect_buffer_stays(*open(), false); }

// WebGPU forbids to bind a buffer for reading and for writing at once, so this is the backend's own doing.
TEST_F(Dispatch, OverRangesOfBuffers) {
  // A sum in C++; ranges of one buffer, and empty ones at its end.
  expect_ranges(*open(), *open());
}

// Several ranges of one buffer are written, and one of them is empty.
TEST_F(Dispatch, WritesSeveralRangesOfOneBuffer) {
  const auto backend = open();
  const auto pipeline = backend->compile(checked(R"(
program p(read_write x: u32 @0, read_write y: u32 @1, read_write z: u32 @2, read_write w: u32 @3)
    workgroup(64, 1, 1) {
  let i = invocation_id.x;
  x[i] = x[i] + 1;
  y[i] = y[i] + x[0] * 0 + 2;
  z[i] = 7;
  w[i] = 9;
})"));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  const auto buffer = backend->allocate(512);
  ASSERT_TRUE(buffer);
  std::vector<uint32_t> words = iota(128, 100);
  ASSERT_TRUE((*buffer)->write(0, bytes_of(words)));
  const backend::DeviceRange ranges[] = {
      {buffer->get(), 256, 252}, {buffer->get(), 0, 256}, {buffer->get(), 512, 0}, {buffer->get(), 256, 0}};
  const auto ran = (*pipeline)->dispatch_resident(ranges, {1, 1, 1});
  ASSERT_TRUE(ran) << diagnosis(ran.error());
  ASSERT_TRUE((*buffer)->read(0, bytes_of(words)));
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(words[i], 100 + i + (i < 64 ? 2 : i < 127 ? 1 : 0)) << i;
}

// More steps than counts have room in one submission.
TEST_F(Dispatch, ManyStepsWithOneWait) {
  // x -> 3x + i in C++, n times; each step sees what those before it wrote.
  const auto backend = open();
  expect_many_steps(*backend, *open(),
                    [&](std::span<const backend::Step> steps) { return backend->run(steps); });
}

// The library may be called by one at a time.
TEST_F(Dispatch, ByThreadsAtOnce) { expect_threads_at_once(*open()); }

// Among them 16-bit floats, whose buffers may end amid a word.
TEST_F(Dispatch, AgreesWithTheReference) {
  VYRE_ORACLE(ReferenceInterpreter, "the reference");
  expect_as_reference(
      *open(), 0x3f80'0003,
      {"program p(read a: f16 @0, read_write out: f16 @1) workgroup(64, 1, 1) { let i = invocation_id.x; "
       "out[i] = a[i + 1]; }",
       "program p(read a: f32 @0, read_write out: f32 @1) workgroup(64, 1, 1) { let i = invocation_id.x; "
       "out[i] = a[i] / 3.0 + a[i] * a[i]; }",
       "program p(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) { let i = invocation_id.x; "
       "out[atomic_add(out[62], 1) & 31] = a[0]; }",
       "program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[64]) workgroup(8, 4, 2) { "
       "t[(local_id.y * 8 + local_id.x) + local_id.z * 32] = a[invocation_id.x]; barrier; "
       "out[local_id.x + workgroup_id.x * 8] = t[63 - local_id.x]; }"});
}

/// Ends the process: 0 when a kernel that takes too long is refused with B011, and everything after it too.
[[noreturn]] void run_what_takes_too_long() {
  const auto backend = backend::make_webgpu({.threads = 1, .timeout = std::chrono::seconds(3)});
  if (!backend) _exit(2);
  // 2^16 workgroups of 2^15 dependent steps are minutes for SwiftShader.
  const auto pipeline = (*backend)->compile(checked(R"(
program p(read a: u32 @0, read_write out: u32 @1) workgroup(256, 1, 1) {
  let x = a[0] + invocation_id.x;
  for i in 0..32768 { x = (x ^ i) * 2654435761; }
  if (x == 77) { out[0] = x; }
})"));
  if (!pipeline) _exit(3);
  std::vector<uint32_t> a(64), out(64);
  const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
  const auto is_refusal = [](const auto& result) {
    return !result && result.error().code == DiagCode::B011 &&
           result.error().message.contains("did not answer within 3000 ms");
  };
  if (!is_refusal((*pipeline)->dispatch(host, {65535, 1, 1}))) _exit(4);
  if (!is_refusal((*pipeline)->dispatch(host, {1, 1, 1}))) _exit(5);
  if (!is_refusal((*backend)->allocate(4))) _exit(6);
  std::exit(0);  // as a tool ends, though the device still computes
}

// A real one, in a process of its own: SwiftShader goes on with it as long as the process lives. (One that
// never answers is planted in faults_test.cpp.)
TEST_F(Dispatch, OfWhatTakesTooLong) {
  VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the faulty library does what its script says");
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_what_takes_too_long(), testing::ExitedWithCode(0), "");
}

TEST_F(Dispatch, TellsWhoAnswersAndShowsItsCode) {
  VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the faulty library does what its script says");
  const auto backend = open();
  const backend::Identity who = backend->identity();
  EXPECT_EQ(who.name, "webgpu");
  EXPECT_FALSE(who.device.empty());
  EXPECT_THAT(who.driver, testing::HasSubstr(".so"));
  EXPECT_THAT(who.driver, testing::Not(testing::HasSubstr("/lib")));  // a name, not where it lies
  const auto floats = backend->floats();
  ASSERT_TRUE(floats);
  EXPECT_EQ(floats->form, "auto");
  EXPECT_TRUE(floats->native.empty());
  EXPECT_THAT(floats->composed, testing::Contains("fadd"));
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline);
  const auto code = (*pipeline)->code();
  ASSERT_TRUE(code) << diagnosis(code.error());
  EXPECT_EQ(code->form, "wgsl");
  EXPECT_THAT(code->text, testing::HasSubstr("@compute"));
}

}  // namespace
}  // namespace vyre::test
