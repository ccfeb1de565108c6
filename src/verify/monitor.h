// Monitor: how the caller of a verification watches and stops it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace vyre::verify {

struct Monitor {
  /// Becomes true when the work is to end early; what was found by then is no verdict.
  const std::atomic<bool>* stop = nullptr;
  const std::atomic<bool>* failed = nullptr;  // the same: another unit failed, and that ends the run
  /// Called with the number of evaluations just done; from any thread.
  std::function<void(uint64_t)> progress;

  bool stopped() const {
    const auto set = [](const std::atomic<bool>* flag) {
      return flag != nullptr && flag->load(std::memory_order_relaxed);
    };
    return set(stop) || set(failed);
  }
  void done(uint64_t evaluations) const {
    if (progress) progress(evaluations);
  }
};

}  // namespace vyre::verify
