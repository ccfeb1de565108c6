// Code of the kernels that were compiled last, so that a kernel that is wanted again is not compiled again.
//
// Who judges code compiles one kernel many times in a row: for workgroups of several sizes, which are one
// kernel here (lower/ungrouped.h), for the laws of an operation and for its cases, while a failing case is
// made smaller. LLVM takes milliseconds for each, and would write the same code. Code on disk
// (code_cache.h) is for other processes; this is within one, and begins empty.
#pragma once

#include <list>
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
    for (auto at = codes_.begin(); at != codes_.end(); ++at) {
      if (at->first != kernel) continue;
      codes_.splice(codes_.begin(), codes_, at);
      return codes_.front().second;
    }
    return std::nullopt;
  }
  void keep(const Digest& kernel, Code code) {
    const std::scoped_lock lock(mutex_);
    codes_.emplace_front(kernel, std::move(code));
    if (codes_.size() > kMost) codes_.pop_back();
  }

 private:
  static constexpr size_t kMost = 32;
  std::mutex mutex_;
  std::list<std::pair<Digest, Code>> codes_;  // the one that was wanted last first
};

}  // namespace vyre::backend
