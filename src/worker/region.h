// Shared memory: anonymous, of one process generation, and of a size that neither side can change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "worker/fd.h"

namespace vyre::worker {

/// What the worker may do with memory; its parent may do both.
enum class Access : uint8_t { Read, ReadWrite };
inline constexpr size_t kAccessCount = 2;

class Region {
 public:
  Region() = default;
  Region(Region&& other) noexcept;
  Region& operator=(Region&& other) noexcept;
  ~Region();

  /// New memory, sealed against shrinking and growing, so that touching it never ends the process that does,
  /// whatever the other side tries. All of it is there at once. What is only read is sealed against writing
  /// by any process that gets the descriptor. Errors: B003.
  static Result<Region> make(uint64_t bytes, Access access);
  /// Maps memory that make() made elsewhere. Errors: B012 when it is not of this size.
  static Result<Region> open(Fd fd, uint64_t bytes, Access access);

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
