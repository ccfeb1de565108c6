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
#include <optional>
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

/// A step of the workgroup: a region, or uniform control that contains a barrier. In a chunk also a look at
/// the condition of an If, which its lanes need not share but nearly always do: the steps behind it take it
/// to hold, or not to; where some lane differs, all of the chunk is run lane by lane instead, from its
/// beginning.
struct Step {
  enum class Kind : uint8_t { Region, If, Loop, Return, Assume } kind{};
  uint32_t region = 0;       // Region
  Value control{};           // If, Loop, Assume
  bool holds = true;         // Assume
  std::vector<Step> body;    // If: then; Loop: body
  std::vector<Step> orelse;  // If
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

  std::vector<bool> resolved;  // by Value: an If of uniform control whose condition is known or assumed
  // Of a chunk:
  uint32_t lanes = kWholeRow;  // how many it has
  uint32_t kept_words = 0;     // what is kept for each of them from step to step
  bool keeps_long = false;     // whether some of that is of 64 bits
  std::vector<Value> scalars;  // of values from outside it, those that are one in it: computed first
  bool rows_agree = false;     // every row of a workgroup takes the same steps

  /// Whether steps say how an If or Loop is run.
  bool is_step(Value control) const { return has_barrier[index(control)] || resolved[index(control)]; }
  /// Whether some lane may return in these steps.
  bool any_returns(const std::vector<Step>& of) const;
  /// Whether each lane has the private array for itself; of others there is one, zeroed when a lane starts.
  bool is_kept_per_lane(size_t array) const { return buffer_offset[array] < workgroup_memory_bytes; }
};

/// A chunk: lanes side by side on x, which run all that stands between two barriers before the next chunk
/// does. In it every loop that all lanes run equally often becomes a step, as if a barrier ended its body, so
/// that the innermost loops are those over lanes, which is what a vectoriser wants; and what a lane keeps
/// from one step to the next is a part of a vector.
struct ChunkOptions {
  /// At most so many, a power of two; or kWholeRow, for a row of invocations of any length and of many
  /// workgroups: no loop is run in step, but what is the same in all of the row is still computed once.
  uint32_t lanes = 0;
  /// By Value: what is known of a condition for all lanes of the chunk.
  enum class Known : uint8_t { Nothing, False, True };
  std::vector<Known> known;
};

/// Words kept for all lanes of a chunk that registers hold: three quarters of 32 registers of 16.
inline constexpr uint32_t kKeptWords = 24 * 16;
/// A chunk of fewer lanes is not worth its code.
inline constexpr uint32_t kLeastChunk = 8;

/// Nor one of fewer lanes without a loop.
inline constexpr uint32_t kLeastPart = 16;

/// What a few raw operators over literals give, as legalization leaves them in amounts to shift by.
std::optional<uint32_t> literal_of(const Kernel& kernel, Value v);
/// Whether lane l of a chunk has number `lanes` * n + l in its row, for some n: then local_id.x >> 4 is one
/// value for sixteen of them, and local_id.x & 15 grows by one from each to the next.
bool is_aligned(const Kernel& kernel, uint32_t lanes);
/// Of local_id.x >> 4 or local_id.x & 15, and of quotients and remainders: 16, where rows are whole such
/// parts.
std::optional<uint32_t> part_of_row(const Kernel& kernel, const Inst& inst);
/// A value of local_id.x or invocation_id.x that is one for such a chunk: shifted right, divided, or masked.
bool is_one_for_chunk(const Kernel& kernel, const Inst& inst, uint32_t lanes);

/// The plan of a workgroup, with chunks where that helps. Domain: a legal kernel. Cost: linear in the kernel.
RegionPlan plan_regions(const Kernel& kernel, uint32_t chunk_lanes = 0);
/// The plan of a chunk of a kernel of which plan_regions() says that it is flat; `flat` where there is
/// nothing to gain. Of a whole row it is one region.
RegionPlan plan_chunk(const Kernel& kernel, const ChunkOptions& chunk);

}  // namespace vyre::lower
