// Code of the kernels that were compiled last, so that a kernel that is wanted again is not compiled again.
//
// Who judges code compiles one kernel many times in a row: for workgroups of several sizes, which are one
// kernel here (lower/ungrouped.h), for the laws of an operation and for its cases, while a failing case is
// made smaller. LLVM takes milliseconds for each, and would write the same code. Code on disk
// (code_cache.h) is for other processes; this is within one, and begins empty.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "backend/native/code.h"
#include "base/digest.h"
#include "lower/codegen/cpu.h"

namespace vyre::backend {

/// Thread  any.
class CodeMemo {
 public:
  struct Code {
    std::shared_ptr<const NativeCode> memory;
    lower::CpuImage::Entry entry;
  };

  /// By lower::code_digest() of what was compiled.
  std::optional<Code> find(const Digest& kernel) {
    const std::scoped_lock lock(mutex_);
    const auto known = places_.find(kernel.bytes);
    if (known == places_.end()) return std::nullopt;
    codes_.splice(codes_.begin(), codes_, known->second);
    return codes_.front().second;
  }
  void keep(const Digest& kernel, Code code) {
    const std::scoped_lock lock(mutex_);
    if (places_.contains(kernel.bytes)) return;  // by another thread meanwhile
    bytes_ += code.memory->bytes();
    codes_.emplace_front(kernel, std::move(code));
    places_[kernel.bytes] = codes_.begin();
    while (codes_.size() > kMost || (bytes_ > kMostBytes && codes_.size() > 1)) {
      bytes_ -= codes_.back().second.memory->bytes();
      places_.erase(codes_.back().first.bytes);
      codes_.pop_back();
    }
  }

 private:
  /// An engine has dozens of programs, which come again for each value of its constants, recorded, and run
  /// one by one; generated engines share pieces. Code of fewer than all of these would be of no use, as they
  /// come in turns.
  static constexpr size_t kMost = 1'024;
  static constexpr size_t kMostBytes = size_t{64} << 20;
  using Codes = std::list<std::pair<Digest, Code>>;
  std::mutex mutex_;
  Codes codes_;                                                // the one that was wanted last first
  size_t bytes_ = 0;                                           // of them all
  std::map<std::array<uint8_t, 32>, Codes::iterator> places_;  // by the digest's bytes
};

}  // namespace vyre::backend
