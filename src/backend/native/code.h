// Machine code in executable memory of this process.
//
// The memory is written first and made executable then, and it is never both (W^X). Code that was made just
// now and code from disk come the same way.
#pragma once

#include <memory>
#include <span>

#include "base/result.h"
#include "lower/codegen/cpu.h"

namespace vyre::backend {

/// The code of an image. Entries stay valid as long as it lives.
class NativeCode {
 public:
  /// Domain  offsets within the image.  Errors  B003 when the host has no memory for it.
  static Result<std::shared_ptr<const NativeCode>> load(const lower::CpuImage& image);
  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;
  ~NativeCode();

  lower::CpuEntry entry(uint64_t offset) const;
  size_t bytes() const { return memory_.size(); }

 private:
  explicit NativeCode(std::span<std::byte> memory) : memory_(memory) {}
  const std::span<std::byte> memory_;
};

}  // namespace vyre::backend
