// Machine code of this CPU on disk: what LLVM made of a program, kept for the next process (cache_files.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "backend/cache_files.h"
#include "lower/codegen/cpu.h"

namespace vyre::backend {

/// Changes whenever the content has another layout.
inline constexpr std::string_view kNativeCodeFormat = "vyre-native-code/2";

/// What running a kernel needs to know of it.
struct NativeKernel {
  uint64_t steps = 0;                // of an invocation: lower/size.h
  uint32_t width = 1;                // groups of its code that are a workgroup of it: lower/ungrouped.h
  std::vector<uint32_t> alignments;  // of the data of its bound buffers
  bool operator==(const NativeKernel&) const = default;
};

/// The code of one program.
struct KeptCode {
  lower::CpuImage image;  // with one entry
  NativeKernel kernel;
};

class NativeCodeCache {
 public:
  /// In this folder; an empty path keeps nothing.
  explicit NativeCodeCache(std::filesystem::path folder);

  /// Code whose offsets lie in its image. Thread: any.
  std::optional<KeptCode> find(const CodeKey& key) const;
  void keep(const CodeKey& key, const KeptCode& code) const;

 private:
  CacheFiles files_;
};

}  // namespace vyre::backend
