// Shared memory: anonymous, of one process generation, and of a size that neither side can change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "worker/fd.h"

namespace vyre::worker {

class Region {
 public:
  Region() = default;
  Region(Region&& other) noexcept;
  Region& operator=(Region&& other) noexcept;
  ~Region();

  /// New memory, sealed against shrinking and growing, so that touching it never ends the process that does,
  /// whatever the other side tries. All of it is there at once. Errors: B003.
  static Result<Region> make(uint64_t bytes);
  /// Maps memory that make() made elsewhere. Errors: B012 when it is not of this size.
  static Result<Region> open(Fd fd, uint64_t bytes);

  std::span<std::byte> memory() const { return {memory_, size_t(bytes_)}; }
  uint64_t bytes() const { return bytes_; }
  int fd() const { return fd_.get(); }
  /// Forgets the descriptor, which is of no more use once both sides have mapped the memory.
  void drop_fd() { fd_.reset(); }

 private:
  Fd fd_;
  std::byte* memory_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace vyre::worker
