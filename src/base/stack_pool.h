// Memory for short lists on a path that is taken often: from the stack, and from the heap only what is more.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>

namespace vyre {

/// Thread  one. What it gave is gone with it. Cost: none for the first `bytes`; nothing is given back before.
template <size_t bytes>
class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  std::pmr::memory_resource* memory() { return &memory_; }

 private:
  alignas(std::max_align_t) std::array<std::byte, bytes> first_;
  std::pmr::monotonic_buffer_resource memory_{first_.data(), bytes};
};

}  // namespace vyre
