#include "verify/guarded_run.h"

#include <algorithm>

#include "backend/transfer.h"
#include "verify/guard_words.h"

namespace vyre::verify {

Result<GuardedRun> run_guarded(backend::Backend& backend, std::unique_ptr<backend::DeviceBuffer>& memory,
                               std::span<const Bytes> buffers, const OverRanges& run) {
  std::vector<size_t> begins;
  size_t end = 0;
  for (const Bytes& buffer : buffers) {
    begins.push_back(size_t(backend::range_aligned(end + kGuardBytes)));
    end = begins.back() + buffer.size();
  }
  Bytes image(end + kGuardBytes);
  // Before the first buffer, and behind each.
  const auto each_guard = [&](const auto& at) {
    at(image.data() + begins.front() - kGuardBytes, size_t{0});
    for (size_t b = 0; b < buffers.size(); ++b)
      at(image.data() + begins[b] + buffers[b].size(), (b + 1) * kGuardWords);
  };
  each_guard([](std::byte* at, size_t first) { put_guard(at, first); });
  std::vector<backend::DeviceRange> ranges;
  if (memory == nullptr || memory->bytes() < image.size()) {
    VYRE_TRY(made, backend.allocate(image.size() * 2));
    memory = std::move(made);
  }
  for (size_t b = 0; b < buffers.size(); ++b) {
    std::ranges::copy(buffers[b], image.begin() + std::ptrdiff_t(begins[b]));
    ranges.push_back({memory.get(), begins[b], buffers[b].size()});
  }
  VYRE_CHECK(memory->write(0, image));
  const std::vector<std::span<const std::byte>> contents(buffers.begin(), buffers.end());
  VYRE_CHECK(run(ranges, contents));
  VYRE_CHECK(memory->read(0, image));
  GuardedRun out{{}, (buffers.size() + 1) * kGuardWords, 0};
  each_guard([&](const std::byte* at, size_t first) { out.broken += broken_guard(at, first); });
  for (size_t b = 0; b < buffers.size(); ++b) {
    const auto from = image.begin() + std::ptrdiff_t(begins[b]);
    out.buffers.emplace_back(from, from + std::ptrdiff_t(buffers[b].size()));
  }
  return out;
}

}  // namespace vyre::verify
