// A run over tensors or buffers that lie in one piece of a backend's memory, with guard words before, between
// and behind them, so that an access outside of one is found.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "base/bytes.h"
#include "base/result.h"

namespace vyre::verify {

struct GuardedRun {
  std::vector<Bytes> buffers;  // after the run
  uint64_t guard_words = 0, broken = 0;
};

/// What runs over the buffers, once they are in memory.
using OverRanges = std::function<Result<void>(std::span<const backend::DeviceRange> ranges,
                                              std::span<const std::span<const std::byte>> contents)>;

/// `memory`: kept from run to run, and replaced where it is too small. Domain: one buffer at least.
/// Errors  those of the backend's memory and of `run`.
Result<GuardedRun> run_guarded(backend::Backend& backend, std::unique_ptr<backend::DeviceBuffer>& memory,
                               std::span<const Bytes> buffers, const OverRanges& run);

}  // namespace vyre::verify
