// Compiled code on disk: what a driver made of a program, kept for the next process.
//
// A file a program, named after a digest of everything that the code depends on: the program, the device, the
// driver, and what wrote the driver's input. A file is written under another name and then renamed, so a
// reader sees all of it or none; it begins with the digest of the rest, so one that is damaged or foreign is
// not used and written again. A cache that cannot be written is no error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/digest.h"

namespace vyre::backend {

struct CodeKey {
  Digest program;       // of its wire form
  std::string machine;  // device and driver
  std::string writer;   // whatever else decides what the driver is given
};

class CodeFiles {
 public:
  /// In this folder; an empty path keeps nothing. `format` changes whenever the files have another layout;
  /// `suffix` ends their names. Both must live as long.
  CodeFiles(std::filesystem::path folder, std::string_view format, std::string_view suffix)
      : folder_(std::move(folder)), format_(format), suffix_(suffix) {}

  /// Thread: any.
  std::optional<Bytes> find(const CodeKey& key) const;
  void keep(const CodeKey& key, std::span<const std::byte> code) const;

 private:
  std::filesystem::path file_of(const CodeKey& key) const;
  std::filesystem::path folder_;
  std::string_view format_, suffix_;
};

}  // namespace vyre::backend
