#include "base/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vyre {
namespace {

constexpr uint64_t kChunk = 1 << 16;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Whether this is a pipe without a name, as a shell makes them: its other end is open.
bool is_pipe_of_a_shell(int fd) {
  struct statfs system{};
  return ::fstatfs(fd, &system) == 0 && system.f_type == PIPEFS_MAGIC;
}

/// Why a file of this kind is not read; empty when it is.
std::string_view refusal(int fd, mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISCHR(mode)) return "it is a device, which need not end; copy what is wanted of it into a file";
  if (S_ISBLK(mode)) return "it is a disk; copy what is wanted of it into a file";
  if (S_ISFIFO(mode))
    return is_pipe_of_a_shell(fd) ? "" : "it is a named pipe, which may have no writer; name a file";
  return "it is no file";
}

uint64_t memory_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? uint64_t(pages) * uint64_t(page) : UINT64_MAX;
}

template <typename Container>
std::expected<Container, std::string> read_whole(const std::filesystem::path& path, uint64_t most) {
  const auto failed = [&](std::string_view why) {
    return std::unexpected(fmt::format("cannot read '{}': {}", path.string(), why));
  };
  // Without waiting for the other end of a named pipe.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) return failed(std::strerror(errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return failed(std::strerror(errno));
  if (const std::string_view why = refusal(file.get(), status.st_mode); !why.empty()) return failed(why);
  const auto too_large = [&](std::string_view size, uint64_t limit, std::string_view whose) {
    return failed(fmt::format("it has {} bytes, and {} {}", size, whose, limit));
  };
  const uint64_t known = S_ISREG(status.st_mode) ? uint64_t(std::max<off_t>(status.st_size, 0)) : 0;
  if (known > most) return too_large(std::to_string(known), most, "at most this many are read here:");
  if (const uint64_t memory = memory_of_machine(); known > memory)
    return too_large(std::to_string(known), memory, "this machine's memory:");
  if (S_ISFIFO(status.st_mode)) ::fcntl(file.get(), F_SETFL, 0);  // now wait for what comes
  Container out;
  size_t held = 0;
  // Files of /proc have content and no size, and others may grow meanwhile.
  for (uint64_t ask = std::max(known, kChunk);;) {
    if (held == out.size()) out.resize(size_t(std::min(held + ask, most + 1)));
    const ssize_t n = ::read(file.get(), out.data() + held, out.size() - held);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(std::strerror(errno));
    if (n == 0) break;
    held += size_t(n);
    if (held > most) return too_large("more", most, "at most this many are read here:");
    ask = std::max(kChunk, uint64_t(held));
  }
  out.resize(held);
  return out;
}

}  // namespace

std::expected<Bytes, std::string> read_file_bytes(const std::filesystem::path& path, uint64_t most) {
  return read_whole<Bytes>(path, most);
}

std::expected<std::string, std::string> read_file_text(const std::filesystem::path& path, uint64_t most) {
  return read_whole<std::string>(path, most);
}

}  // namespace vyre
