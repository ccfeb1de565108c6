#include "lower/llvm/regions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lower/llvm/llvm.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "DESIGN, 3.2: the region tree, by hand");

namespace vyre::lower {
namespace {

Kernel legal_kernel(std::string_view text) {
  static const spec::OpTable no_operations;
  auto program = text::parse(text);
  if (!program) throw std::runtime_error(program.error().message);
  auto checked = check::check(std::move(*program), no_operations);
  if (!checked) throw std::runtime_error(checked.error().front().message);
  return legalize(build(*checked), kLlvmTarget);
}

size_t arrays(const RegionPlan& plan) {
  const auto kept = [](uint64_t offset) { return offset != kNoOffset; };
  return size_t(std::ranges::count_if(plan.value_offset, kept) +
                std::ranges::count_if(plan.slot_offset, kept));
}

// Oracle for all tests here: the plan that a reader makes by hand, from the head of regions.h.

TEST(Regions, NoBarrierIsFlat) {
  const Kernel k =
      legal_kernel("program p(read_write o: u32 @0) workgroup(8, 1, 1) { o[invocation_id.x] = 1; }");
  EXPECT_TRUE(plan_regions(k).flat);
  EXPECT_EQ(workgroup_bytes(k), 0u);
}

TEST(Regions, ABarrierSplitsInTwo) {
  const Kernel k = legal_kernel(
      "program p(read_write o: u32 @0, workgroup t: u32[5]) workgroup(8, 1, 1) {"
      " t[local_id.x] = 1; barrier; o[invocation_id.x] = t[0]; }");
  const RegionPlan plan = plan_regions(k);
  EXPECT_EQ(plan.regions.size(), 2u);
  EXPECT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.workgroup_memory_bytes, 64u);  // 20 bytes, rounded up to a line
  EXPECT_EQ(arrays(plan), 0u);
  EXPECT_EQ(workgroup_bytes(k), 64u);
}

TEST(Regions, BlockSumKeepsNothing) {
  const Kernel k = legal_kernel(R"(
program p(read input: u32 @0, read_write sums: u32 @1, workgroup scratch: u32[256]) workgroup(256, 1, 1) {
  let local = local_id.x;
  scratch[local] = input[invocation_id.x];
  barrier;
  for step in 0..8 {
    let stride = 128 >> step;
    if (local < stride) { scratch[local] = scratch[local] + scratch[local + stride]; }
    barrier;
  }
  if (local == 0) { sums[workgroup_id.x] = scratch[0]; }
})");
  EXPECT_EQ(workgroup_bytes(k), 1024u);
  EXPECT_EQ(plan_regions(k).regions.size(), 3u);
}

TEST(Regions, AValueAcrossABarrierIsAnArrayOverLanes) {
  const Kernel k = legal_kernel(
      "program p(read_write o: u32 @0) workgroup(100, 1, 1) {"
      " let v = o[invocation_id.x] / 3; barrier; o[invocation_id.x] = v; }");
  const RegionPlan plan = plan_regions(k);
  EXPECT_EQ(arrays(plan), 1u);
  EXPECT_EQ(plan.bytes, 448u);  // 100 words, rounded up
}

TEST(Regions, UniformValuesStayScalar) {
  const Kernel k = legal_kernel(R"(
program p(read a: u32 @0, uniform u: u32 @1, read_write o: u32 @2) workgroup(16, 1, 1) {
  let n = a[workgroup_id.x] / (u[3] + 1);
  let sum = 0;
  for i in 0..n { sum = sum + a[i]; }
  barrier;
  for i in 0..n { sum = sum * 2; barrier; }
  o[invocation_id.x] = n + sum;
})");
  const RegionPlan plan = plan_regions(k);
  EXPECT_EQ(arrays(plan), 0u);
  EXPECT_TRUE(std::ranges::all_of(plan.scalar_slot, [](bool scalar) { return scalar; }));
}

TEST(Regions, LanesThatMayHaveReturnedAreAsked) {
  const Kernel k = legal_kernel(R"(
program p(read a: u32 @0, read_write o: u32 @1) workgroup(4, 1, 1) {
  o[invocation_id.x] = 1;
  barrier;
  if (workgroup_id.x == 0) { barrier; } else { if (a[local_id.x] == 1) { return; } }
  o[invocation_id.x] = 2;
})");
  const RegionPlan plan = plan_regions(k);
  // The first store; the uniform condition, which has no lanes; the arm that returns; the last store.
  ASSERT_EQ(plan.regions.size(), 4u);
  EXPECT_FALSE(plan.regions[0].checks_live);
  EXPECT_TRUE(plan.regions[1].lanes.empty());
  EXPECT_TRUE(plan.regions[2].returns);
  EXPECT_FALSE(plan.regions[2].checks_live);
  EXPECT_TRUE(plan.regions[3].checks_live);
  EXPECT_NE(plan.live_offset, kNoOffset);
}

TEST(Regions, ASlotThatIsSetUnderALaneThatReadsItSplitsTheRegion) {
  const Kernel k = legal_kernel(R"(
program p(read_write o: u32 @0) workgroup(4, 1, 1) {
  let s = 1;
  if (local_id.x == 2) { o[invocation_id.x] = s; }
  s = s + 1;
  barrier;
  if (local_id.x == 3) { o[invocation_id.x] = s; }
})");
  const RegionPlan plan = plan_regions(k);
  EXPECT_EQ(plan.regions.size(), 3u);
  EXPECT_EQ(arrays(plan), 0u);
}

}  // namespace
}  // namespace vyre::lower
