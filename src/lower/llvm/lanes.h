// What a loop over lanes can know of the conditions in it before it runs.
//
// Lanes side by side on x differ by one in invocation_id.x and local_id.x, so an index made of those by
// adding, subtracting and multiplying with what all lanes share grows by a constant from lane to lane, its
// stride. A guard on such an index is decided at the two ends of the loop. And where all that a loop does
// stands under one comparison of local_id.x, the lanes for which it holds are a range, and the loop may be
// over that range. Source: docs/adr/0068-chunks-of-lanes.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lower/llvm/regions.h"
#include "lower/walk.h"

namespace vyre::lower {

/// The guard of an access: an index, which grows by `stride` from lane to lane, is below a bound that all
/// share. Where legalization has found that no guard is needed there is no condition and no bound; the index
/// still must not wrap.
struct LinearGuard {
  Value condition, index, bound;
  uint32_t stride;
  Value around = kNoValue;  // of a wrapped index: the Select in it; `stride` is that of what it mostly gives
};
/// An index that wraps around an edge, such as row + select(x == 0, width, x) - 1: a Select between what
/// grows from lane to lane and what all lanes share. What is loaded from there is one of two loads then, of
/// neighbours and of one place, both of which can be done for all lanes.
struct Wrap {
  Value select, along, at_edge;  // the Select, and what it gives mostly and at the edge
};
/// A comparison of local_id.x with what all lanes share, around all that a region does.
struct LaneGuard {
  enum class Relation : uint8_t { Below, From, Only } relation;
  Value condition, bound;
};

/// Lanes as a plan runs them: of a workgroup, of a chunk of it, or of a row of many.
class LanesOf {
 public:
  /// `plan` is of `whole`, or is it. With `parts`, the lanes are kLeastPart of a row, from a multiple of that
  /// on, and every mask_of_lane() has ones there.
  LanesOf(const Kernel& kernel, const RegionPlan& whole, const RegionPlan& plan, bool many_workgroups,
          bool parts = false)
      : k_(kernel), whole_(whole), plan_(plan), many_workgroups_(many_workgroups), parts_(parts) {}

  /// Whether a value is the same in all lanes, and at hand before them.
  bool is_shared(Value v) const;
  /// Of local_id.x & mask, where all lanes share the mask: that.
  std::optional<Value> mask_of_lane(Value v) const;
  /// How much a value grows from lane to lane, modulo 2^32; none where that is not known, or not for so few
  /// operators that it is worth computing twice.
  std::optional<uint32_t> stride_of(Value v) const;
  /// Whether most of what a loop over lanes does is to write where its lanes say, each somewhere else, and in
  /// all of them: as vectors that is no faster than one by one, often slower.
  bool scatters(std::span<const Value> lanes) const;
  /// The Select of an index that wraps, where all but it is linear.
  std::optional<Wrap> wrap_of(Value index) const;
  std::vector<LinearGuard> linear_guards(std::span<const Value> lanes) const;
  /// All guards of the plan's steps, of which those that are not linear have stride 0.
  std::vector<LinearGuard> all_guards() const;
  /// A step of a reduction by halves has one, and so has what lane 0 does alone.
  std::optional<LaneGuard> lone_guard(const Region& region) const;

 private:
  std::optional<uint32_t> stride_of(Value v, uint32_t& budget, const Wrap* wrap = nullptr) const;
  Value find_select(Value v, uint32_t& budget) const;
  void collect(std::span<const Value> block, bool linear, std::vector<LinearGuard>& out) const;

  const Kernel& k_;
  const RegionPlan& whole_;
  const RegionPlan& plan_;
  bool many_workgroups_;
  bool parts_;
};

}  // namespace vyre::lower
