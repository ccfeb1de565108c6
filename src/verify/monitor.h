// Monitor: how whoever started a verification watches and stops it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace vyre::verify {

struct Monitor {
  /// Becomes true when the work is to end early; what was found by then is no verdict.
  const std::atomic<bool>* stop = nullptr;
  /// Called with the number of evaluations just done; from any thread.
  std::function<void(uint64_t)> progress;

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  void done(uint64_t evaluations) const {
    if (progress) progress(evaluations);
  }
};

}  // namespace vyre::verify
