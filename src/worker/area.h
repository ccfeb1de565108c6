// The buffers of one dispatch in shared memory, with poison around and between them.
//
//   inputs    poison | buffer 0 | poison | buffer 2 | ... | poison     the worker can only read these pages
//   results   poison | buffer 1 | poison | ... | poison
//
// Where buffers begin and what the poison is change with every dispatch, so that nothing of an earlier one
// can pass for new. collect() looks at the poison, has results copied out, and then covers them with poison
// as well: whatever is found changed afterwards was written too late. Inputs need no such care, since a
// worker that writes there does not live to answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/region.h"
#include "worker/worker.h"

namespace vyre::worker {

/// A buffer that the caller has for a dispatch.
struct BufferShape {
  uint64_t bytes = 0;
  Access access = Access::Read;
};
/// What fills the buffers of a dispatch: called with the memory of each, in order. Errors: its own.
using FillMemory = std::function<Result<void>(std::span<const std::span<std::byte>>)>;

/// One region and the buffers that lie in it.
class Lane {
 public:
  Lane() = default;
  explicit Lane(Region region) : region_(std::move(region)) {}
  uint64_t capacity() const { return region_.bytes(); }

  /// Lays out those of the buffers that have this access, with poison around them; what is in them is for the
  /// caller to write. Domain: room_for() of them is within the capacity.
  void place(std::span<const BufferShape> buffers, Access access, uint64_t seed, uint64_t number);
  /// How many bytes that needs, however they come to lie.
  static uint64_t room_for(std::span<const BufferShape> buffers, Access access);
  /// Forgets what was placed.
  void clear();

  struct Slot {
    size_t buffer;
    uint64_t begin, end;
  };
  std::span<const Slot> slots() const { return slots_; }
  std::span<std::byte> memory(const Slot& slot) const {
    return region_.memory().subspan(size_t(slot.begin), size_t(slot.end - slot.begin));
  }
  /// A place that is no longer poison around and between the slots, in words; none when all is.
  std::optional<std::string> broken_guard() const;
  void cover(const Slot& slot);
  std::optional<std::string> broken_cover() const;
  /// Which byte of which buffer lies there, in words.
  std::string describe(uint64_t at) const;

 private:
  std::string describe_guard(size_t guard, uint64_t at) const;

  Region region_;
  std::vector<Slot> slots_;
  uint64_t used_ = 0;
  uint64_t seed_ = 0;
};

/// The results of one dispatch, and until the next one is placed its inputs, which lie in a lane that all
/// areas share: no process can write there too late.
class Area {
 public:
  Lane& results() { return results_; }

  /// Domain: there is room in both lanes, and the area rests. `number` is the dispatch's, in the process:
  /// what is drawn comes of it and `seed`.
  void place(std::span<const BufferShape> buffers, Lane& inputs, uint64_t seed, uint64_t number);
  /// Where a buffer of place() lies in its lane.
  uint64_t offset(size_t buffer) const { return offsets_[buffer]; }
  /// The memory of all of them, until collect().
  std::span<const std::span<std::byte>> memory() const { return memory_; }

  /// After the answer: checks, has the results copied out, and lets the area rest. Errors: B012,
  /// Breach::Outside, and then nothing was copied.
  Result<void> collect(const UseMemory& copy_out);
  /// Gives up what was placed, after an error.
  void abandon() { results_.clear(); }
  /// While it rests: whether it is as collect() left it. Errors: B012, Breach::Late. `next`: the number of
  /// the dispatch that would come next.
  Result<void> check_rest(uint64_t next) const;

 private:
  Lane results_;
  std::vector<uint64_t> offsets_;
  std::vector<std::span<std::byte>> memory_;
  uint64_t number_ = 0;
};

}  // namespace vyre::worker
