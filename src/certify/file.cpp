// Writing whole files.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "certify/certificate.h"

namespace vyre::certify {
namespace {

std::string failed(std::string_view verb, const std::filesystem::path& path, int reason) {
  return fmt::format("cannot {} {}: {}", verb, path.string(), std::strerror(reason));
}

}  // namespace

std::expected<void, std::string> check_writable(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::unexpected(failed("write", path, EISDIR));
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return std::unexpected(failed("write", path, errno));
  return {};
}

int write_all(int file, std::string_view text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n >= 0) {
      done += size_t(n);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::expected<void, std::string> write_atomically(const std::filesystem::path& path, std::string_view text) {
  if (const auto writable = check_writable(path); !writable) return writable;
  std::string temporary = path.string() + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0) return std::unexpected(failed("write", path, errno));
  int reason = write_all(file, text);
  // mkstemp makes private files; a certificate is for everyone, as far as the umask lets it.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (reason == 0 && (::fchmod(file, 0666 & ~mask) != 0 || ::fsync(file) != 0)) reason = errno;
  if (::close(file) != 0 && reason == 0) reason = errno;
  if (reason == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) reason = errno;
  if (reason != 0) {
    ::unlink(temporary.c_str());
    return std::unexpected(failed("write", path, reason));
  }
  return {};
}

}  // namespace vyre::certify
