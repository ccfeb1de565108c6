// What backends with memory of their own share: sizes of allocations, and copies by several threads.
#pragma once

#include <tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace vyre::backend {

/// Memory that was given back is kept for the next request of its size class: powers of two up to a mebibyte,
/// whole mebibytes above. At least kRangeAlignment; a request that is beyond all memory stays as it is.
uint64_t size_class(uint64_t bytes);

/// Rounded up to kRangeAlignment.
uint64_t range_aligned(uint64_t bytes);

/// Copies of large memory by several threads: one core cannot fill a bus. An arena of its own keeps the
/// calling thread from taking up work of others meanwhile, which might wait for what the caller holds.
class Copier {
 public:
  /// Thread: one call at a time.
  void copy(std::span<std::byte> to, std::span<const std::byte> from);

 private:
  tbb::task_arena arena_{4, 1};
};

}  // namespace vyre::backend
