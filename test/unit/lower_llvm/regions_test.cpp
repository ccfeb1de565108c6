#include "lower/llvm/regions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lower/llvm/lanes.h"
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

TEST(Regions, PrivateArraysOfFlatKernels) {
  // One lane runs at a time: small ones are on the stack, larger ones in scratch memory.
  const auto plan = [](std::string_view count) {
    return plan_regions(legal_kernel("program p(read_write o: u32 @0, private a: u32[" + std::string(count) +
                                     "]) workgroup(8, 1, 1) { a[o[0]] = 1; o[invocation_id.x] = a[o[1]]; }"));
  };
  const RegionPlan small = plan("1024"), large = plan("1025");
  EXPECT_TRUE(small.flat && large.flat);
  EXPECT_EQ(small.bytes, 0u);
  EXPECT_EQ(large.bytes, 4160u);  // 4100 bytes, rounded up to a line
  EXPECT_FALSE(large.is_kept_per_lane(1));
}

TEST(Regions, PrivateArraysThatOutliveARegion) {
  const Kernel k = legal_kernel(R"(
program p(read_write o: u32 @0, private here: u32[4], private across: u32[4], private rounds: u64[4], private unused: f32[4])
    workgroup(8, 1, 1) {
  across[o[0]] = 1;
  here[o[0]] = 1;
  o[1] = here[o[1]] + len(unused);
  barrier;
  for i in 0..len(o) {
    rounds[o[0]] = 1u64;
    barrier;
  }
  o[2] = across[o[2]];
})");
  const RegionPlan plan = plan_regions(k);
  ASSERT_EQ(plan.regions.size(), 3u);
  EXPECT_EQ(plan.regions[0].arrays, std::vector<uint32_t>{1});
  EXPECT_TRUE(plan.regions[1].arrays.empty() && plan.regions[2].arrays.empty());
  EXPECT_FALSE(plan.is_kept_per_lane(1));
  EXPECT_TRUE(plan.is_kept_per_lane(2) && plan.is_kept_per_lane(3));
  EXPECT_FALSE(plan.is_kept_per_lane(4));
  EXPECT_EQ(plan.workgroup_memory_bytes, 8 * 16u + 8 * 32u);  // for each of eight lanes
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

// Each sum is twice the one before: looked through as a tree there would be 2^64 of them.
TEST(Regions, LiteralsAreFoldedInBoundedTime) {
  std::string body = "let c = 3; ";
  for (int k = 0; k < 64; ++k) body += "c = c + c; ";
  const Kernel k = legal_kernel("program p(read_write o: u32 @0) workgroup(64, 1, 1) { " + body +
                                "for i in 0..8 { o[invocation_id.x + (i << c)] = local_id.x & c; } }");
  for (const Inst& inst : k.insts) {
    if (inst.kind == InstKind::Raw && inst.raw == RawOp::Shl)
      EXPECT_EQ(literal_of(k, k.arg(inst, 1)), std::nullopt);
  }
  EXPECT_FALSE(
      plan_chunk(k, {.lanes = 64, .known = std::vector(k.insts.size(), ChunkOptions::Known::Nothing)}).flat);
}

// ---- Chunks
// ------------------------------------------------------------------------------------------------

RegionPlan chunk_of(const Kernel& k, uint32_t lanes = 16) {
  return plan_chunk(k, {.lanes = lanes, .known = std::vector(k.insts.size(), ChunkOptions::Known::Nothing)});
}
Kernel with_body(std::string_view body) {
  return legal_kernel(
      "program p(read a: u32 @0, read_write o: u32 @1) workgroup(64, 1, 1) { let x = invocation_id.x; " +
      std::string(body) + " }");
}

/// What a chunk's steps take to hold, in their order.
std::vector<bool> assumptions(const RegionPlan& plan) {
  std::vector<bool> holds;
  for (const Step& step : plan.steps) {
    if (step.kind == Step::Kind::Assume) holds.push_back(step.holds);
  }
  return holds;
}

TEST(Chunks, ALoopThatAllLanesRunEquallyOftenIsAStep) {
  const Kernel k = with_body("let s = 0; for i in 0..len(a) { s = s + a[i] * x; } o[x] = s;");
  EXPECT_TRUE(plan_regions(k).flat);
  const RegionPlan plan = chunk_of(k);
  ASSERT_FALSE(plan.flat);
  // Before, the loop, behind; s is kept over the lanes, and what is loaded is one value for all of them.
  ASSERT_EQ(plan.steps.size(), 3u);
  EXPECT_EQ(plan.steps[1].kind, Step::Kind::Loop);
  EXPECT_EQ(arrays(plan), 1u);
  ASSERT_EQ(plan.steps[1].body.size(), 1u);
  EXPECT_FALSE(plan.regions[plan.steps[1].body[0].region].scalars.empty());
}

TEST(Chunks, OtherLoopsStayInTheirLanes) {
  for (const std::string_view body : {
           "let s = 0; for i in 0..x { s = s + i; } o[x] = s;",  // a lane's own bound
           "for i in 0..4 { let old = atomic_add(o[i], x); }",   // atomics
           "for i in 0..4 { for j in 0..x { o[x] = i + j; } }",  // such a loop inside
           "if (a[x] == 1) { for i in 0..4 { o[x] = i; } }",     // not all lanes, and not cheap
       }) {
    EXPECT_TRUE(chunk_of(with_body(body)).flat) << body;
  }
}

TEST(Chunks, ACheapConditionAroundALoopIsAssumed) {
  const Kernel k =
      with_body("if (x * 4 < len(o)) { let s = 0; for i in 0..4 { s = s + a[i] * x; } o[x * 4] = s; }");
  EXPECT_EQ(assumptions(chunk_of(k)), std::vector{true});
  const std::string_view leaves = "if (x * 4 >= len(o)) { return; } for i in 0..4 { o[x * 4 + i] = x; }";
  EXPECT_EQ(assumptions(chunk_of(with_body(leaves))), std::vector{false});
  // A bound that is loaded, for all lanes alike.
  const std::string_view loaded =
      "if (x < a[0]) { let s = 0; for i in 0..4 { s = s + a[i] * x; } o[x] = s; }";
  EXPECT_EQ(assumptions(chunk_of(with_body(loaded))), std::vector{true});
}

TEST(Chunks, NothingIsWrittenBeforeALookAtACondition) {
  EXPECT_TRUE(chunk_of(with_body("o[x] = 1; if (x < 9) { for i in 0..4 { o[x + i] = x; } }")).flat);
  EXPECT_TRUE(chunk_of(with_body("for j in 0..3 { if (x < 9) { for i in 0..4 { o[x + i] = x; } } }")).flat);
}

TEST(Chunks, WhatALaneComputesAfterItsReturnIsDropped) {
  const RegionPlan plan = chunk_of(with_body("for i in 0..4 { if (a[i] == x) { return; } } o[x] = 1;"));
  ASSERT_FALSE(plan.flat);
  EXPECT_NE(plan.live_offset, kNoOffset);
  EXPECT_TRUE(plan.regions.back().checks_live);
}

TEST(Chunks, PartsOfAnIdAreOneForAChunkOrGrow) {
  const Kernel k = with_body(
      "let l = local_id.x; let s = 0; for i in 0..9 { s = s + a[(l >> 4) * 9 + i] * a[i * 16 + (l & 15)]; } "
      "o[x] = s;");
  const RegionPlan chunk = chunk_of(k);
  const LanesOf lanes(k, plan_regions(k), chunk, false);
  std::vector<std::optional<uint32_t>> strides;
  for (const Inst& inst : k.insts) {
    if (inst.kind == InstKind::RawLoad) strides.push_back(lanes.stride_of(k.arg(inst, 0)));
  }
  EXPECT_EQ(strides, (std::vector<std::optional<uint32_t>>{0, 1}));
}

TEST(Chunks, RowsAreRunTogetherUnlessTheirStepsDiffer) {
  const auto rows_agree = [](std::string_view bound) {
    const Kernel k = legal_kernel(
        "program p(read a: u32 @0, read_write o: u32 @1) workgroup(16, 4, 1) { let s = 0; let y = "
        "local_id.y; for i in 0.." +
        std::string(bound) + " { s = s + a[i * y]; } o[invocation_id.x] = s; }");
    return chunk_of(k).rows_agree;
  };
  EXPECT_TRUE(rows_agree("9"));
  EXPECT_TRUE(rows_agree("len(a)"));
  EXPECT_FALSE(rows_agree("y"));
}

TEST(Chunks, WhatIsOneValueForARowIsComputedBeforeIt) {
  const Kernel k = with_body("o[x] = a[3] + x;");
  const RegionPlan row = chunk_of(k, kWholeRow);
  ASSERT_FALSE(row.flat);
  ASSERT_EQ(row.regions.size(), 1u);
  EXPECT_FALSE(row.regions[0].scalars.empty());
}

TEST(Chunks, IndicesGrowFromLaneToLane) {
  // By how much, of the index of each load in its order; none: not known.
  const Kernel k = with_body("o[0] = a[x] + a[x * 4 + 1] + a[7] + a[x * 8 - x] + a[x * x] + a[a[x]];");
  const RegionPlan row = chunk_of(k, kWholeRow);
  const LanesOf lanes(k, plan_regions(k), row, true);
  std::vector<std::optional<uint32_t>> strides;
  for (const Inst& inst : k.insts) {
    if (inst.kind == InstKind::RawLoad) strides.push_back(lanes.stride_of(k.arg(inst, 0)));
  }
  EXPECT_EQ(strides, (std::vector<std::optional<uint32_t>>{1, 4, 0, 7, std::nullopt, 1, std::nullopt}));
}

}  // namespace
}  // namespace vyre::lower
