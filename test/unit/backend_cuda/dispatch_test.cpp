// Programs on the fake driver, whose kernels the reference runs on the memory that the launch names: what is
// tested is everything around a kernel.
#include "../device_dispatch.h"
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(
    CpuReference,
    "the same computation in C++, on the host's own copy; the launch that backend.h and ptx.h describe");

namespace vyre::test {
namespace {

class Dispatch : public CudaTest {};

TEST_F(Dispatch, PassesBuffersAndCountsInTheirOrder) {
  const auto program = checked(kAdd);
  const auto backend = open();
  const auto pipeline = backend->compile(program);
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  fake().kernel = kernel_of(program);
  std::vector<uint32_t> a = iota(100, 1), out = iota(128, 1000);
  const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
  ASSERT_TRUE((*pipeline)->dispatch(host, {2, 1, 1}));
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(out[i], 1000 + i + (i < 100 ? i + 1 : 0)) << i;
  EXPECT_EQ(a, iota(100, 1));
  ASSERT_EQ(fake().launches.size(), 1u);
  const FakeLaunch& launch = fake().launches[0];
  EXPECT_THAT(launch.grid, testing::ElementsAre(2, 1, 1));
  EXPECT_THAT(launch.block, testing::ElementsAre(64, 1, 1));
  ASSERT_EQ(launch.parameters.size(), 4u);
  EXPECT_EQ(launch.parameters[1], 100u);
  EXPECT_EQ(launch.parameters[3], 128u);
  EXPECT_EQ(fake().calls["cuMemcpyHtoDAsync_v2"], 1);  // small buffers travel together
  EXPECT_EQ(fake().calls["cuMemcpyDtoHAsync_v2"], 1);
}

TEST_F(Dispatch, BringsBackWhatIsReadWriteAndNothingElse) {
  // The host's own copy; only read_write buffers come back, whatever a kernel does to the others.
  const auto program = checked(
      "program p(read_write x: u32 @0, read a: u32 @1, read_write y: u32 @2, uniform u: u32 @3) "
      "workgroup(1, 1, 1) { x[0] = a[0]; y[0] = u[0]; }");
  const auto backend = open();
  const auto pipeline = backend->compile(program);
  ASSERT_TRUE(pipeline);
  fake().kernel = [](const FakeLaunch& launch) {
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t value = 100 + i;
      for (uint64_t k = 0; k < launch.parameters[2 * i + 1]; ++k)
        std::memcpy(fake().at(launch.parameters[2 * i]) + 4 * k, &value, 4);
    }
    return 0;
  };
  std::vector<uint32_t> x = {1, 1, 1}, a = {2}, y = {3, 3}, u = {4};
  const std::vector<std::span<std::byte>> host = {bytes_of(x), bytes_of(a), bytes_of(y), bytes_of(u)};
  ASSERT_TRUE((*pipeline)->dispatch(host, {1, 1, 1}));
  EXPECT_THAT(x, testing::Each(100u));
  EXPECT_THAT(a, testing::ElementsAre(2u));
  EXPECT_THAT(y, testing::Each(102u));
  EXPECT_THAT(u, testing::ElementsAre(4u));
}

TEST_F(Dispatch, MovesLargeBuffersInPieces) {
  // Larger than what is pinned; parts fall across its ends.
  fake().kernel = [](const FakeLaunch& launch) {
    for (const size_t i : {1u, 2u}) {
      std::byte* const at = fake().at(launch.parameters[2 * i]);
      for (uint64_t k = 0; k < launch.parameters[2 * i + 1] * 4; ++k) at[k] = ~at[k];
    }
    std::memcpy(fake().at(launch.parameters[2]), fake().at(launch.parameters[0]), 4);
    return 0;
  };
  expect_large_buffers(*open(), {20'000'000, 12, 33'333'332}, 128);
}

// The buffer before it fills its memory to the end.
TEST_F(Dispatch, GivesEmptyBuffersMemory) {
  VYRE_ORACLE(SpecificationTable, "kernel.h: every binding has at least one element, though its count be 0");
  const auto program = checked(kAdd);
  const auto backend = open();
  const auto pipeline = backend->compile(program);
  ASSERT_TRUE(pipeline);
  fake().kernel = [](const FakeLaunch& launch) {
    for (const size_t parameter : {0u, 2u}) {
      const uint64_t address = launch.parameters[parameter];
      auto allocation = fake().allocations.upper_bound(address);
      EXPECT_NE(allocation, fake().allocations.begin());
      --allocation;
      EXPECT_LE(address + 4, allocation->first + allocation->second);
    }
    return 0;
  };
  const auto memory = backend->allocate(1 << 20);
  ASSERT_TRUE(memory);
  const backend::DeviceRange ranges[] = {{memory->get(), 0, 256}, {memory->get(), 1 << 20, 0}};
  ASSERT_TRUE((*pipeline)->dispatch_resident(ranges, {1, 1, 1}));
  for (const size_t count : {0u, 64u}) {
    std::vector<uint32_t> a(count);
    const std::vector<std::span<std::byte>> host = {bytes_of(a), {}};
    ASSERT_TRUE((*pipeline)->dispatch(host, {1, 1, 1}));
    EXPECT_EQ(fake().launches.back().parameters[1], count);
    EXPECT_EQ(fake().launches.back().parameters[3], 0u);
  }
  EXPECT_EQ(fake().launches.size(), 3u);
}

TEST_F(Dispatch, RefusesWhatDoesNotFit) {
  VYRE_ORACLE(SpecificationTable, "diag.def: layout::bind's codes, which come before anything is done");
  expect_host_is_checked(*open());
  EXPECT_EQ(fake().launches.size(), 0u);
}

TEST_F(Dispatch, RunsOverBuffersOfTheDevice) {
  const auto program = checked(kAdd);
  const auto backend = open();
  const auto pipeline = backend->compile(program);
  ASSERT_TRUE(pipeline);
  fake().kernel = kernel_of(program);
  const auto a = backend->allocate(4000), out = backend->allocate(4000);
  ASSERT_TRUE(a && out);
  std::vector<uint32_t> words = iota(1000, 5);
  ASSERT_TRUE((*a)->write(0, bytes_of(words)));
  ASSERT_TRUE((*out)->fill(0, 4000, std::byte{1}));
  const backend::DeviceRange ranges[] = {{a->get(), 256, 400}, {out->get(), 512, 400}};
  ASSERT_TRUE((*pipeline)->dispatch_resident(ranges, {2, 1, 1}));
  std::vector<uint32_t> result(1000);
  ASSERT_TRUE((*out)->read(0, bytes_of(result)));
  for (uint32_t i = 0; i < 1000; ++i) {
    const bool bound = i >= 128 && i < 228;
    EXPECT_EQ(result[i], 0x01010101u + (bound ? 5 + 64 + i - 128 : 0)) << i;
  }
  expect_refused((*out)->read(3999, bytes_of(words)), DiagCode::B012, {"4000"});
}

TEST_F(Dispatch, RunsOverRangesAndRefusesThoseOfOthers) {
  const auto program = checked(kAdd);
  fake().kernel = kernel_of(program);
  expect_ranges(*open(), *open());
  EXPECT_EQ(fake().launches.size(), 2u);
}

TEST_F(Dispatch, ThreadsTakeTurns) {
  const auto program = checked(kAdd);
  fake().kernel = kernel_of(program);
  expect_threads_at_once(*open());
}

TEST_F(Dispatch, ShowsItsCode) {
  VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the driver of fake/ does what its script says");
  const auto backend = open();
  const auto pipeline = backend->compile(checked(kAdd));
  ASSERT_TRUE(pipeline);
  const auto code = (*pipeline)->code();
  ASSERT_TRUE(code);
  EXPECT_EQ(code->form, "ptx");
  EXPECT_THAT(fake().assembled, testing::ElementsAre(code->text));
  EXPECT_THAT(code->text, testing::HasSubstr(".target sm_90"));
}

}  // namespace
}  // namespace vyre::test
