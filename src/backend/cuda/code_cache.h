// Machine code on disk: what a driver made of a program, kept for the next process.
//
// A file a program, named after a digest of everything that the code depends on: the program, the device, the
// driver, and what wrote the PTX. A file is written under another name and then renamed, so a reader sees all
// of it or none; one that is damaged or foreign is not used and written again. A cache that cannot be written
// is no error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "backend/cuda/device.h"
#include "base/digest.h"

namespace vyre::backend::cuda {

struct CodeKey {
  Digest program;       // of its wire form
  std::string machine;  // Device::code_identity()
  std::string writer;   // whatever else decides what the PTX is
};

class CodeCache {
 public:
  /// In this folder; an empty path keeps nothing.
  explicit CodeCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// The folder that a user gets without asking: $VYRE_CACHE_DIR/cuda, else $XDG_CACHE_HOME/vyre/cuda, else
  /// ~/.cache/vyre/cuda; empty when there is no home.
  static std::filesystem::path default_folder();

  /// Thread: any.
  std::optional<Code> find(const CodeKey& key) const;
  void keep(const CodeKey& key, const Code& code) const;

 private:
  std::filesystem::path file_of(const CodeKey& key) const;
  std::filesystem::path folder_;
};

}  // namespace vyre::backend::cuda
