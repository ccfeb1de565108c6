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
inline constexpr uint32_t kNoChunk = UINT32_MAX;
inline constexpr uint32_t kWholeRow = 0;

/// Where a value can be had.
enum class Residence : uint8_t {
  Lane,         // in its own region; elsewhere only from scratch memory
  Scalar,       // computed once for the workgroup, visible to all lanes
  LaneId,       // the lane's ids: known in every lane of every region
  Recomputable  // a few raw operators over the two above: in another region it is computed again
};

/// One loop over lanes.
struct Region {
  std::vector<Value> scalars;    // run once, before the loop
  std::vector<Value> lanes;      // run by each lane
  std::vector<Value> inputs;     // of other regions: loaded from scratch memory or computed again
  std::vector<Slot> slots_in;    // shared with other regions and touched here
  std::vector<Slot> slots_out;   // of these, the ones set here
  std::vector<Value> outer;      // of a chunk's region: inputs that come from outside the chunk
  uint32_t chunk = kNoChunk;     // RegionPlan::chunks: how a chunk of lanes is run; else lane by lane
  std::vector<uint32_t> arrays;  // private ones that no other region touches, nor another run of this one
  bool returns = false;          // some lane may return here
  bool checks_live = false;      // some lane may have returned before
};

/// A step of the workgroup: a region, or uniform control that contains a barrier.
struct Step {
  enum class Kind : uint8_t { Region, If, Loop, Return } kind{};
  uint32_t region = 0;       // Region
  Value control{};           // If, Loop
  std::vector<Step> body;    // If: then; Loop: body
  std::vector<Step> orelse;  // If
};

/// A condition that the lanes of a chunk need not share, but nearly always do: whether the chunk is run by
/// its plan or lane by lane is decided once it is computed for all lanes.
struct Assumption {
  Value condition{};  // some raw operators over ids, lengths and literals
  bool holds = true;  // what the plan takes it to be
};

struct RegionPlan {
  bool flat = false;  // no barrier, no workgroup memory: the rest is empty, but for private arrays
  std::vector<Step> steps;
  std::vector<Region> regions;
  std::vector<RegionPlan> chunks;
  std::vector<Residence> residence;     // by Value
  std::vector<bool> scalar_slot;        // by Slot
  std::vector<uint64_t> value_offset;   // by Value: of its array in scratch memory, or kNoOffset
  std::vector<uint64_t> slot_offset;    // by Slot: likewise
  std::vector<uint64_t> buffer_offset;  // by buffer: workgroup memory; private arrays that are not on the
                                        // stack; else kNoOffset
  uint64_t workgroup_memory_bytes = 0;  // the first part of the scratch memory, zeroed for each workgroup
  uint64_t live_offset = kNoOffset;     // one word a lane: whether it has not returned
  uint64_t bytes = 0;                   // of scratch memory in all
  std::vector<bool> has_barrier;        // by Value: a barrier, or control that contains one

  std::vector<bool> resolved;       // by Value: an If of uniform control whose condition is known or assumed
  std::vector<Assumption> assumed;  // of a chunk of a flat kernel

  /// Whether steps say how an If or Loop is run.
  bool is_step(Value control) const { return has_barrier[index(control)] || resolved[index(control)]; }
  /// Whether each lane has the private array for itself; of others there is one, zeroed when a lane starts.
  bool is_kept_per_lane(size_t array) const { return buffer_offset[array] < workgroup_memory_bytes; }
};

/// A chunk: lanes side by side on x, which run all that stands between two barriers before the next chunk
/// does. In it every loop that all lanes run equally often becomes a step, as if a barrier ended its body, so
/// that the innermost loops are those over lanes, which is what a vectoriser wants; and what a lane keeps
/// from one step to the next is a part of a vector.
struct ChunkOptions {
  /// A power of two; or kWholeRow, for a row of invocations of any length and of many workgroups: no loop is
  /// run in step, but what is the same in all of the row is still computed once.
  uint32_t lanes = 0;
  /// By Value: what is known of a condition for all lanes of the chunk.
  enum class Known : uint8_t { Nothing, False, True };
  std::vector<Known> known;
};

/// The plan of a workgroup, with chunks where that helps. Domain: a legal kernel. Cost: linear in the kernel.
RegionPlan plan_regions(const Kernel& kernel, uint32_t chunk_lanes = 0);
/// The plan of a chunk of a kernel of which plan_regions() says that it is flat; `flat` where there is
/// nothing to gain. Of a whole row it is one region.
RegionPlan plan_chunk(const Kernel& kernel, const ChunkOptions& chunk);

}  // namespace vyre::lower
