#include "worker/region.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace vyre::worker {
namespace {

Diag no_memory(uint64_t bytes, int error) {
  return make_diag(
      DiagCode::B003, Span::none(),
      fmt::format("{} bytes of memory shared with the backend's process: {}", bytes, std::strerror(error)),
      "use smaller buffers, or --in-process");
}

std::byte* map(int fd, uint64_t bytes, Access access) {
  const int protection = access == Access::Read ? PROT_READ : PROT_READ | PROT_WRITE;
  void* const at = ::mmap(nullptr, size_t(bytes), protection, MAP_SHARED | MAP_POPULATE, fd, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

}  // namespace

Region::Region(Region&& other) noexcept
    : fd_(std::move(other.fd_)),
      memory_(std::exchange(other.memory_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Region& Region::operator=(Region&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Region::~Region() {
  if (memory_ != nullptr) ::munmap(memory_, size_t(bytes_));
}

Result<Region> Region::make(uint64_t bytes, Access access) {
  Region out;
  if (bytes > PTRDIFF_MAX) return std::unexpected(no_memory(bytes, ENOMEM));
  out.fd_ = Fd(::memfd_create("vyre-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!out.fd_) return std::unexpected(no_memory(bytes, errno));
  // Reserved here, where lack of memory is an error and not a signal on touching it.
  if (::ftruncate(out.fd_.get(), off_t(bytes)) != 0 || ::fallocate(out.fd_.get(), 0, 0, off_t(bytes)) != 0)
    return std::unexpected(no_memory(bytes, errno));
  out.memory_ = map(out.fd_.get(), bytes, Access::ReadWrite);
  if (out.memory_ == nullptr) return std::unexpected(no_memory(bytes, errno));
  out.bytes_ = bytes;
  const int writing = access == Access::Read ? F_SEAL_FUTURE_WRITE : 0;
  if (::fcntl(out.fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | writing) != 0)
    return std::unexpected(no_memory(bytes, errno));
  return out;
}

Result<Region> Region::open(Fd fd, uint64_t bytes, Access access) {
  struct stat status = {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || uint64_t(status.st_size) != bytes) {
    return std::unexpected(make_diag(DiagCode::B012, Span::none(),
                                     fmt::format("no shared memory of {} bytes came with its call", bytes)));
  }
  Region out;
  out.memory_ = map(fd.get(), bytes, access);
  if (out.memory_ == nullptr) return std::unexpected(no_memory(bytes, errno));
  out.bytes_ = bytes;
  return out;
}

}  // namespace vyre::worker
