// The buffers of one dispatch in shared memory, with poison around and between them.
//
//   poison | buffer 0 | poison | buffer 1 | ... | poison
//
// Where buffers begin and what the poison is change with every dispatch, so that nothing of an earlier one
// can pass for new. collect() looks at the poison and at the buffers that are only read, copies results out,
// and then covers them with poison as well: whatever is found changed afterwards was written too late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "worker/region.h"

namespace vyre::worker {

/// A buffer of the caller.
struct CallerBuffer {
  std::span<std::byte> memory;  // read only when it is not writable
  bool writable = false;
};

class Area {
 public:
  Area() = default;
  explicit Area(Region region) : region_(std::move(region)) {}

  /// Of what size a region must be for these buffers, however they come to lie.
  static uint64_t room_for(std::span<const CallerBuffer> buffers);

  Region& region() { return region_; }
  uint64_t capacity() const { return region_.bytes(); }

  /// Lays the buffers out and copies them in. Domain: room_for(buffers) <= capacity(), and the area rests.
  /// `number` is the dispatch's, in the process: what is drawn comes of it and `seed`.
  void place(std::span<const CallerBuffer> buffers, uint64_t seed, uint64_t number);
  /// Where a buffer lies.
  uint64_t offset(size_t buffer) const { return slots_[buffer].begin; }

  /// After the answer: checks, copies the writable buffers out to where place() took them from, and lets the
  /// area rest. Errors: B012, and then nothing was copied.
  Result<void> collect(std::span<const CallerBuffer> buffers);
  /// Gives up what was placed, after an error.
  void abandon() {
    slots_.clear();
    used_ = 0;
  }
  /// While it rests: whether it is as collect() left it. Errors: B012, Breach::Late. `now`: the number of the
  /// dispatch that would come next.
  Result<void> check_rest(uint64_t now) const;

 private:
  struct Slot {
    uint64_t begin = 0;
    uint64_t end = 0;
    bool writable = false;
  };
  /// The poison before slot k; k == slots_.size(): behind the last one.
  std::pair<uint64_t, uint64_t> guard(size_t k) const;
  /// Offset of the first byte of guard k that is not poison.
  std::optional<uint64_t> broken_guard(size_t k) const;
  std::string place_of(size_t guard, uint64_t at) const;

  Region region_;
  std::vector<Slot> slots_;
  uint64_t used_ = 0;
  uint64_t seed_ = 0;
  uint64_t number_ = 0;
};

}  // namespace vyre::worker
