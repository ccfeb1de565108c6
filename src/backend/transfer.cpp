#include "backend/transfer.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/backend.h"

namespace vyre::backend {

uint64_t size_class(uint64_t bytes) {
  constexpr uint64_t kMebibyte = 1ull << 20;
  if (bytes > kMebibyte)
    return bytes > UINT64_MAX - kMebibyte ? bytes : (bytes + kMebibyte - 1) & ~(kMebibyte - 1);
  return std::bit_ceil(std::max(bytes, kRangeAlignment));
}

uint64_t range_aligned(uint64_t bytes) {
  return (bytes + kRangeAlignment - 1) / kRangeAlignment * kRangeAlignment;
}

void Copier::copy(std::span<std::byte> to, std::span<const std::byte> from) {
  constexpr size_t kShare = 512 << 10;
  const size_t count = from.size();
  if (count <= 2 * kShare) {
    if (count != 0) std::memcpy(to.data(), from.data(), count);
    return;
  }
  arena_.execute([&] {
    tbb::parallel_for(size_t{0}, (count + kShare - 1) / kShare, [&](size_t i) {
      std::memcpy(to.data() + i * kShare, from.data() + i * kShare, std::min(kShare, count - i * kShare));
    });
  });
}

}  // namespace vyre::backend
