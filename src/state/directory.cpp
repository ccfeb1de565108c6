#include "state/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <set>

namespace vyre::state {
namespace {

constexpr const char* kCampaignPart = "campaign.part";  // of a process that ended while it wrote the campaign

std::string way_out(int error) {
  if (error == ENOSPC || error == EDQUOT)
    return "Free space on that disk and run the same command again: it goes on from there.";
  if (error == EFBIG)
    return "Raise the limit on the size of files (`ulimit -f`) and run the same command again: it goes on "
           "from there.";
  if (error == EROFS || error == EACCES || error == EPERM)
    return "Give a directory that this process may write with --state.";
  if (error == ENOTDIR || error == EEXIST) return "Give a directory with --state, not a file.";
  return "Run the same command again when that is mended, or give another directory with --state.";
}

Diag foreign(const std::string& path, std::string_view why) {
  return make_diag(DiagCode::C019, Span::none(), fmt::format("'{}' {}", path, why),
                   "Give a new or an empty directory with --state, or that of an earlier run.");
}

/// What the holder of the lock wrote there: "process 12 on node3".
std::string holder(int fd) {
  std::array<char, 300> text{};
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  const std::string_view line(text.data(), size_t(std::max<ssize_t>(size, 0)));
  return line.ends_with('\n') ? std::string(line.substr(0, line.size() - 1)) : "another process";
}

int write_holder(int fd) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const std::string line = fmt::format("process {} on {}\n", getpid(), host.data());
  if (ftruncate(fd, 0) != 0) return errno;
  return write_at(fd, std::as_bytes(std::span(line)), 0);
}

struct Close {
  void operator()(DIR* dir) const { closedir(dir); }
};

}  // namespace

Diag cannot(std::string_view what, const std::string& path, int error) {
  return make_diag(DiagCode::C018, Span::none(),
                   fmt::format("cannot {} '{}': {}", what, path, std::strerror(error)), way_out(error));
}

int write_at(int fd, std::span<const std::byte> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd, bytes.data(), bytes.size(), off_t(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return EIO;
    bytes = bytes.subspan(size_t(written));
    offset += uint64_t(written);
  }
  return 0;
}

Result<Directory> Directory::make(const std::string& path) {
  // One level at a time: a new name is on the disk when the directory that it stands in is.
  std::vector<std::filesystem::path> missing;
  std::error_code error;
  for (auto at = std::filesystem::absolute(path, error).lexically_normal();
       !error && !std::filesystem::exists(at, error) && !error; at = at.parent_path())
    missing.push_back(at);
  for (; !error && !missing.empty(); missing.pop_back()) {
    const std::filesystem::path& made = missing.back();
    std::filesystem::create_directory(made, error);
    if (error) break;
    const Fd above(::open(made.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!above || fsync(above.get()) != 0) error.assign(errno, std::system_category());
  }
  if (error) return std::unexpected(cannot("make the state directory", path, error.value()));
  return open(path);
}

Result<Directory> Directory::open(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return std::unexpected(cannot("open the state directory", path, errno));
  Directory directory(path, std::move(fd));
  VYRE_CHECK(directory.expect_ours());
  return directory;
}

Result<void> Directory::expect_ours() const {
  const std::unique_ptr<DIR, Close> dir(opendir(path_.c_str()));
  if (!dir) return std::unexpected(cannot("read the state directory", path_, errno));
  const std::set<std::string_view> ours = {".", "..", kLock, kCampaign, kCampaignPart, kJournal};
  std::set<std::string> others;  // so that the same one is named wherever it runs
  errno = 0;
  while (const dirent* entry = readdir(dir.get())) {
    if (!ours.contains(entry->d_name)) others.insert(entry->d_name);
  }
  if (errno != 0) return std::unexpected(cannot("read the state directory", path_, errno));
  if (others.empty()) return {};
  return std::unexpected(foreign(path_, fmt::format("holds '{}', which no campaign wrote", *others.begin())));
}

Result<Fd> Directory::lock(Share share) const {
  const bool writing = share == Share::Writing;
  VYRE_TRY(fd, open_file(kLock, writing ? O_RDWR | O_CREAT : O_RDONLY));
  if (!fd) return std::move(fd);
  if (flock(fd.get(), (writing ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return std::unexpected(cannot("lock", path_of(kLock), errno));
    return std::unexpected(make_diag(DiagCode::C021, Span::none(),
                                     fmt::format("'{}' is in use by {}", path_, holder(fd.get())),
                                     "Wait until that has ended, or give another directory with --state."));
  }
  if (writing) {
    if (const int error = write_holder(fd.get()); error != 0)
      return std::unexpected(cannot("write", path_of(kLock), error));
  }
  return std::move(fd);
}

Result<Fd> Directory::open_file(const char* file, int flags) const {
  // Not through a link, and without waiting for the other end of a pipe.
  Fd fd(openat(fd_.get(), file, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  if (!fd && errno == ENOENT) return Fd();
  if (!fd && errno != ELOOP && errno != EISDIR) {
    return std::unexpected(cannot("open", path_of(file), errno));
  }
  struct stat status{};
  if (!fd || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::unexpected(foreign(path_of(file), "is not a regular file, so no campaign wrote it"));
  return fd;
}

Result<Bytes> Directory::read_file(const char* file) const {
  VYRE_TRY(fd, open_file(file, O_RDONLY));
  Bytes bytes;
  if (!fd) return bytes;
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return std::unexpected(cannot("read", path_of(file), errno));
  bytes.resize(size_t(status.st_size));
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t size = pread(fd.get(), bytes.data() + at, bytes.size() - at, off_t(at));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::unexpected(cannot("read", path_of(file), errno));
    if (size == 0) bytes.resize(at);
    at += size_t(size);
  }
  return bytes;
}

Result<void> Directory::replace_campaign(std::string_view text) const {
  const auto failed = [&](int error) { return std::unexpected(cannot("write", path_of(kCampaign), error)); };
  const Fd fd(openat(fd_.get(), kCampaignPart, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!fd) return failed(errno);
  if (const int error = write_at(fd.get(), std::as_bytes(std::span(text)), 0); error != 0)
    return failed(error);
  if (fsync(fd.get()) != 0 || renameat(fd_.get(), kCampaignPart, fd_.get(), kCampaign) != 0)
    return failed(errno);
  return sync();
}

Result<void> Directory::sync() const {
  if (fsync(fd_.get()) != 0) return std::unexpected(cannot("keep", path_, errno));
  return {};
}

}  // namespace vyre::state
