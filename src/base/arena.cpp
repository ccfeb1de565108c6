#include "base/arena.h"

#include <sys/mman.h>

#include <cstdint>

namespace vyre {

void* allocate_arena(size_t bytes) {
  constexpr size_t kLarge = size_t(2) << 20;  // of x86-64 and of arm64 with small pages of 4 KiB
  void* const block = ::operator new(bytes);
  if (bytes < 2 * kLarge) return block;
  // Only pages that lie inside, so that the block never holds more memory than was asked for.
  const auto at = reinterpret_cast<uintptr_t>(block);
  const uintptr_t first = (at + kLarge - 1) & ~(kLarge - 1), last = (at + bytes) & ~(kLarge - 1);
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  return block;
}

}  // namespace vyre
