// Programs on a device: buffers there and back, in one submission or many. Every test runs on the device as
// it is, whose memory lavapipe shares with the host, and as one with memory of its own.
#include <thread>

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
  const auto backend = open();
  constexpr size_t kBytes = 10'000'019;
  const auto buffer = backend->allocate(kBytes);
  ASSERT_TRUE(buffer) << diagnosis(buffer.error());
  Bytes expected(kBytes), got(kBytes);
  for (size_t k = 0; k < kBytes; ++k) expected[k] = std::byte(uint8_t(k * 2654435761u >> 11));
  ASSERT_TRUE((*buffer)->write(0, expected));
  struct Part {
    size_t offset, count;
  };
  for (const Part part : {Part{0, 1}, Part{1, 2}, Part{5, 11}, Part{4097, 3}, Part{8, 16},
                          Part{kBytes - 7, 7}, Part{kBytes, 0}, Part{100'001, 9'000'001}}) {
    const std::byte value{uint8_t(0x40 + part.count % 7)};
    ASSERT_TRUE((*buffer)->fill(part.offset, part.count, value));
    std::fill_n(expected.begin() + ptrdiff_t(part.offset), part.count, value);
  }
  for (const Part part : {Part{3, 5}, Part{77'777, 13}}) {
    const Bytes fresh(part.count, std::byte{0x99});
    ASSERT_TRUE((*buffer)->write(part.offset, fresh));
    std::ranges::copy(fresh, expected.begin() + ptrdiff_t(part.offset));
  }
  ASSERT_TRUE((*buffer)->read(0, got));
  EXPECT_TRUE(got == expected);
  Bytes part(12'345);
  ASSERT_TRUE((*buffer)->read(77'770, part));
  EXPECT_TRUE(std::ranges::equal(part, std::span(expected).subspan(77'770, part.size())));
  expect_refused((*buffer)->read(kBytes, part), DiagCode::B012, {});
  expect_refused((*buffer)->fill(kBytes, 1, std::byte{}), DiagCode::B012, {});
  EXPECT_EQ((*buffer)->host().empty(), GetParam());
}

TEST_P(Dispatch, OverRangesOfBuffers) {
  // A sum in C++; ranges of one buffer, and empty ones at its end.
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  const auto buffer = backend->allocate(1024);
  ASSERT_TRUE(buffer);
  std::vector<uint32_t> words = iota(256, 0);
  ASSERT_TRUE((*buffer)->write(0, bytes_of(words)));
  const backend::DeviceRange ranges[] = {{buffer->get(), 512, 400}, {buffer->get(), 256, 256}};
  ASSERT_TRUE((*pipeline)->dispatch_resident(ranges, {1, 1, 1}));
  ASSERT_TRUE((*buffer)->read(0, bytes_of(words)));
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(words[i], i >= 64 && i < 128 ? i + (i - 64 + 128) : i) << i;
  const backend::DeviceRange empty[] = {{buffer->get(), 1024, 0}, {buffer->get(), 0, 256}};
  ASSERT_TRUE((*pipeline)->dispatch_resident(empty, {1, 1, 1}));
  const backend::DeviceRange askew[] = {{buffer->get(), 4, 4}, {buffer->get(), 256, 256}};
  expect_refused((*pipeline)->dispatch_resident(askew, {1, 1, 1}), DiagCode::B012, {});
  const auto other = open();
  const auto foreign = other->allocate(256);
  ASSERT_TRUE(foreign);
  const backend::DeviceRange mixed[] = {{foreign->get(), 0, 256}, {buffer->get(), 256, 256}};
  expect_refused((*pipeline)->dispatch_resident(mixed, {1, 1, 1}), DiagCode::B012, {"another backend"});
}

// More steps than a slot has descriptor sets.
TEST_P(Dispatch, ManyStepsWithOneWait) {
  // x -> 3x + i in C++, n times; each step sees what those before it wrote.
  const auto backend = open();
  const auto program = checked(R"(
program p(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  out[i] = a[63 - i] * 3 + i;
})");
  const auto pipeline = backend->compile(program);
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  const auto x = backend->allocate(256), y = backend->allocate(256);
  ASSERT_TRUE(x && y);
  std::vector<uint32_t> words = iota(64, 7), expected = words;
  ASSERT_TRUE((*x)->write(0, bytes_of(words)));
  const backend::DeviceRange there[] = {{x->get(), 0, 256}, {y->get(), 0, 256}};
  const backend::DeviceRange back[] = {{y->get(), 0, 256}, {x->get(), 0, 256}};
  std::vector<backend::Step> steps;
  for (uint32_t n = 0; n < 600; ++n) {
    steps.push_back({pipeline->get(), n % 2 == 0 ? std::span(there) : std::span(back), {1, 1, 1}});
    std::vector<uint32_t> next(64);
    for (uint32_t i = 0; i < 64; ++i) next[i] = expected[63 - i] * 3 + i;
    expected = next;
  }
  faults().calls.clear();
  const auto ran = backend->run(steps);
  ASSERT_TRUE(ran) << diagnosis(ran.error());
  EXPECT_EQ(faults().calls["QueueSubmit"], 3);
  ASSERT_TRUE((*x)->read(0, bytes_of(words)));
  EXPECT_EQ(words, expected);
  EXPECT_TRUE(backend->run({}));
  const auto foreign = open();
  expect_refused(foreign->run(steps), DiagCode::B012, {"another backend"});
}

TEST_P(Dispatch, ByThreadsAtOnce) {
  const auto backend = open();
  const auto program = checked(kAdd);
  std::vector<std::thread> threads;
  std::vector<std::string> failures(4);
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto pipeline = backend->compile(program);
      if (!pipeline) {
        failures[t] = diagnosis(pipeline.error());
        return;
      }
      std::vector<uint32_t> a = iota(64 * (t + 1), t), out(a.size());
      const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
      for (uint32_t round = 1; round <= 20 && failures[t].empty(); ++round) {
        const auto ran = (*pipeline)->dispatch(host, {t + 1, 1, 1});
        if (!ran) failures[t] = diagnosis(ran.error());
        for (uint32_t i = 0; i < out.size(); ++i) {
          if (out[i] != round * (t + i)) failures[t] = "a wrong sum";
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(failures, testing::Each(""));
}

// Subgroups as the device has them; and 16-bit floats, whose buffers may end amid a word.
TEST_P(Dispatch, AgreesWithTheReference) {
  VYRE_ORACLE(ReferenceInterpreter, "the reference");
  const auto backend = open();
  const uint32_t lanes = backend->limits().subgroup_size;
  for (const std::string_view text :
       {"program p(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) { let i = invocation_id.x; "
        "out[i] = subgroup.scan_add(a[i]) + subgroup.reduce_max(a[i]) * 1000; }",
        "program p(read a: f16 @0, read_write out: f16 @1) workgroup(64, 1, 1) { let i = invocation_id.x; "
        "out[i] = a[i + 1]; }",
        "program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[64]) workgroup(8, 4, 2) { "
        "t[(local_id.y * 8 + local_id.x) + local_id.z * 32] = a[invocation_id.x]; barrier; "
        "out[local_id.x + workgroup_id.x * 8] = t[63 - local_id.x]; }"}) {
    const auto program = checked(text);
    const auto pipeline = backend->compile(program);
    ASSERT_TRUE(pipeline) << diagnosis(pipeline.error()) << text;
    std::vector<uint32_t> a = iota(63, 3), out(64), expected(64);
    const size_t bytes = text.contains("f16") ? 126 : 252;
    const std::vector<std::span<std::byte>> host = {bytes_of(a).first(bytes), bytes_of(out).first(bytes)};
    const std::vector<std::span<std::byte>> same = {bytes_of(a).first(bytes),
                                                    bytes_of(expected).first(bytes)};
    const auto ran = (*pipeline)->dispatch(host, {2, 1, 1});
    ASSERT_TRUE(ran) << diagnosis(ran.error());
    ASSERT_TRUE(ref::run(program, same, {2, 1, 1}, {.subgroup_size = lanes}));
    EXPECT_EQ(out, expected) << text;
  }
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
