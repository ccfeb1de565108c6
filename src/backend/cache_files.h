// What backends keep on disk for the next process: verdicts of the probe, machine code of drivers and of this
// CPU.
//
// All of it stands in files of one kind, in one envelope: what the file is for, and a digest over that and
// the content. "What it is for" is a digest of everything that the content depends on (device, driver,
// version, program, what wrote it), which also names the file; so an entry that was damaged, cut, written by
// another version, or copied to the name of another is not used, and written again. A file is written under
// another name and then renamed: a reader sees all of it or none. A cache that cannot be read or written is
// no error.
//
// The digests are no signature: a process that may write into the folder may write anything. So a folder or a
// file that belongs to another user, root excepted, or that every user may write, is not read; and workers,
// which run what is not trusted, may not write where code is kept that vyre itself runs (kNativeCodePart).
#pragma once

#include <array>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/digest.h"

namespace vyre::backend {

/// The folder that a user gets without asking: $VYRE_CACHE_DIR/part, else $XDG_CACHE_HOME/vyre/part, else
/// ~/.cache/vyre/part; empty when there is no home.
std::filesystem::path cache_folder(std::string_view part);
/// The folder that a user asked for: "none" is none, an empty word the one that comes without asking.
std::filesystem::path cache_folder(const std::string& asked, std::string_view part);

/// The parts that are written by whatever runs a device, and that of code for this CPU.
inline constexpr std::array<std::string_view, 3> kDeviceParts = {"cuda", "vulkan", "floats"};
inline constexpr std::string_view kNativeCodePart = "native";

/// What an entry is for: the name of its kind and layout, then each part of what its content depends on.
Digest cache_key(std::initializer_list<std::string_view> parts);

struct CodeKey {
  std::string_view format;  // changes whenever the content has another layout
  Digest program;           // of its wire form
  std::string machine;      // device and driver
  std::string writer;       // whatever else decides what the driver is given
};

Digest digest_of(const CodeKey& key);

class CacheFiles {
 public:
  /// In this folder; an empty path keeps nothing. `suffix` ends the files' names, and must live as long.
  CacheFiles(std::filesystem::path folder, std::string_view suffix)
      : folder_(std::move(folder)), suffix_(suffix) {}

  /// The content kept for this, if it is there and whole. Thread: any.
  std::optional<Bytes> find(const Digest& key) const;
  /// Thread: any; the last writer wins.
  void keep(const Digest& key, std::span<const std::byte> content) const;

 private:
  std::filesystem::path file_of(const Digest& key) const;
  std::filesystem::path folder_;
  std::string_view suffix_;
};

/// The files that this process found damaged, in the order in which it met them: for those who ask.
std::vector<std::filesystem::path> damaged_cache_files();

}  // namespace vyre::backend
