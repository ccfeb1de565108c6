// The files of a state directory: which there are, which process holds the lock, and reading and writing them
// whole.
#pragma once

#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "worker/fd.h"

namespace vyre::state {

using worker::Fd;

inline constexpr const char* kLock = "lock";
inline constexpr const char* kCampaign = "campaign";
inline constexpr const char* kJournal = "journal";

/// C018: what could not be done with which file, why, and what to do about it. `error`: of errno.
Diag cannot(std::string_view what, const std::string& path, int error);

/// A directory that is known to hold files of a state and no others.
class Directory {
 public:
  /// Makes it and those above it where there is none. Errors: C018, C019.
  static Result<Directory> make(const std::string& path);
  /// Errors: C018, C019.
  static Result<Directory> open(const std::string& path);

  const std::string& path() const { return path_; }
  std::string path_of(const char* file) const { return path_ + "/" + file; }

  enum class Share : uint8_t { Writing, Reading };
  /// Holds the lock until the descriptor is closed, in whatever way the process ends. One who reads makes no
  /// file: the descriptor is none where there is no lock to hold. Errors: C021 with the holder; C018.
  Result<Fd> lock(Share share) const;

  /// A regular file, open; none where there is no such file. Errors: C018, C019.
  Result<Fd> open_file(const char* file, int flags) const;
  /// A whole file; empty where there is none. Errors: C018, C019.
  Result<Bytes> read_file(const char* file) const;
  /// Replaces the file of the key: whenever power is lost, it is the old or the new one, whole. Errors: C018.
  Result<void> replace_campaign(std::string_view text) const;
  /// Puts on the disk which files there are. Errors: C018.
  Result<void> sync() const;

 private:
  Directory(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  Result<void> expect_ours() const;

  std::string path_;
  Fd fd_;
};

/// Writes all bytes at a place of a file. 0, or errno.
int write_at(int fd, std::span<const std::byte> bytes, uint64_t offset);

}  // namespace vyre::state
