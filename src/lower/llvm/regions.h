// The CPU entry point's plan: how a workgroup is run by one thread (work-item loops over barrier-free
// regions).
//
// A kernel that neither waits at a barrier nor has workgroup memory needs no plan: its invocations are one
// flat loop. Every other kernel is split at its barriers into a tree of steps. Control that contains a
// barrier is uniform (check/ proved it), so it runs once for the workgroup; between such steps stand regions,
// maximal barrier-free runs, each of which is a loop over the lanes of the workgroup. Running every lane to
// the end of a region before any lane starts the next is one of the orders that the execution model allows,
// and it is what a barrier asks for.
//
// What a lane computes in one region and needs in another is kept in scratch memory, an array over lanes;
// what is the same for all lanes and depends on no mutable memory is computed once; what is cheap to compute
// again is computed again. This file knows nothing of LLVM. Source: semantics, "Uniformity"; execution-model,
// "Barriers".
#pragma once

#include <cstdint>
#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

inline constexpr uint64_t kNoOffset = UINT64_MAX;

/// Where a value can be had.
enum class Residence : uint8_t {
  Lane,         // in its own region; elsewhere only from scratch memory
  Scalar,       // computed once for the workgroup, visible to all lanes
  LaneId,       // the lane's ids: known in every lane of every region
  Recomputable  // a few raw operators over the two above: in another region it is computed again
};

/// One loop over lanes.
struct Region {
  std::vector<Value> scalars;   // run once, before the loop
  std::vector<Value> lanes;     // run by each lane
  std::vector<Value> inputs;    // of other regions: loaded from scratch memory or computed again
  std::vector<Slot> slots_in;   // shared with other regions and touched here
  std::vector<Slot> slots_out;  // of these, the ones set here
  bool returns = false;         // some lane may return here
  bool checks_live = false;     // some lane may have returned before
};

/// A step of the workgroup: a region, or uniform control that contains a barrier.
struct Step {
  enum class Kind : uint8_t { Region, If, Loop, Return } kind{};
  uint32_t region = 0;       // Region
  Value control{};           // If, Loop
  std::vector<Step> body;    // If: then; Loop: body
  std::vector<Step> orelse;  // If
};

struct RegionPlan {
  bool flat = false;  // no barrier, no workgroup memory: the rest is empty
  std::vector<Step> steps;
  std::vector<Region> regions;
  std::vector<Residence> residence;     // by Value
  std::vector<bool> scalar_slot;        // by Slot
  std::vector<uint64_t> value_offset;   // by Value: of its array in scratch memory, or kNoOffset
  std::vector<uint64_t> slot_offset;    // by Slot: likewise
  std::vector<uint64_t> buffer_offset;  // by buffer: workgroup memory, or kNoOffset
  uint64_t workgroup_memory_bytes = 0;  // the first part of the scratch memory, zeroed for each workgroup
  uint64_t live_offset = kNoOffset;     // one word a lane: whether it has not returned
  uint64_t bytes = 0;                   // of scratch memory in all
  std::vector<bool> has_barrier;        // by Value: a barrier, or control that contains one

  /// Whether an If or Loop is a step of its own.
  bool is_step(Value control) const { return has_barrier[index(control)]; }
};

/// Domain  a legal kernel. Cost: linear in the kernel.
RegionPlan plan_regions(const Kernel& kernel);

}  // namespace vyre::lower
