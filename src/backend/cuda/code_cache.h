// Machine code on disk: what a driver made of a program's PTX, kept for the next process (cache_files.h).
#pragma once

#include <filesystem>
#include <optional>

#include "backend/cache_files.h"
#include "backend/cuda/device.h"

namespace vyre::backend::cuda {

/// Changes whenever the content has another layout.
inline constexpr std::string_view kCodeFormat = "vyre-cuda-code/3";

class CodeCache {
 public:
  /// In this folder; an empty path keeps nothing.
  explicit CodeCache(std::filesystem::path folder);

  /// Thread: any.
  std::optional<Code> find(const CodeKey& key) const;
  void keep(const CodeKey& key, const Code& code) const;

 private:
  CacheFiles files_;
};

}  // namespace vyre::backend::cuda
