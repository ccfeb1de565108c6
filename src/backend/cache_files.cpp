#include "backend/cache_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <system_error>

#include "base/read_file.h"

namespace vyre::backend {
namespace {

namespace fs = std::filesystem;

// The file: the envelope's name and version, a digest of what it is for, a digest of all that and of the
// content, the content.
constexpr std::string_view kMagic = "vyre cache file 1\n";
constexpr size_t kDigestBytes = sizeof(Digest::bytes);
constexpr size_t kHeaderBytes = kMagic.size() + 2 * kDigestBytes;
/// More than the machine code of any program that compiles.
constexpr uint64_t kMaxFileBytes = 1ull << 30;

std::span<const std::byte> bytes_of(const Digest& digest) { return std::as_bytes(std::span(digest.bytes)); }

std::array<std::byte, kHeaderBytes> header(const Digest& key, std::span<const std::byte> content) {
  Hasher hasher;
  hasher.update(kMagic).update(bytes_of(key)).update_u64(content.size()).update(content);
  const Digest all = hasher.finish();
  std::array<std::byte, kHeaderBytes> out;
  auto at = std::ranges::copy(std::as_bytes(std::span(kMagic)), out.begin()).out;
  at = std::ranges::copy(bytes_of(key), at).out;
  std::ranges::copy(bytes_of(all), at);
  return out;
}

struct Damaged {
  std::mutex mutex;
  std::vector<fs::path> files;
};
Damaged& damaged() {
  static Damaged all;
  return all;
}

const char* environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

/// Whether no other user can have written it.
bool is_ones_own(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && (status.st_uid == ::geteuid() || status.st_uid == 0) &&
         (status.st_mode & S_IWOTH) == 0;
}

/// Under another name, then renamed.
void write_whole(const fs::path& file, std::span<const std::byte> first, std::span<const std::byte> second) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  static std::atomic<uint64_t> count = 0;
  const fs::path fresh = file.string() + fmt::format(".{}.{}", getpid(), count++);
  {
    std::ofstream out(fresh, std::ios::binary);
    for (const auto part : {first, second})
      out.write(reinterpret_cast<const char*>(part.data()), std::streamsize(part.size()));
    out.close();
    if (!out) {
      fs::remove(fresh, error);
      return;
    }
  }
  fs::rename(fresh, file, error);
  if (error) fs::remove(fresh, error);
}

}  // namespace

fs::path cache_folder(std::string_view part) {
  if (const char* folder = environment("VYRE_CACHE_DIR")) return fs::path(folder) / part;
  if (const char* cache = environment("XDG_CACHE_HOME")) return fs::path(cache) / "vyre" / part;
  if (const char* home = environment("HOME")) return fs::path(home) / ".cache" / "vyre" / part;
  return {};
}

fs::path cache_folder(const std::string& asked, std::string_view part) {
  if (asked == "none") return {};
  return asked.empty() ? cache_folder(part) : fs::path(asked);
}

Digest cache_key(std::initializer_list<std::string_view> parts) {
  Hasher hasher;
  for (const std::string_view part : parts) hasher.update_u64(part.size()).update(part);
  return hasher.finish();
}

Digest digest_of(const CodeKey& key) {
  return cache_key({key.format, key.machine, key.writer, key.program.hex()});
}

fs::path CacheFiles::file_of(const Digest& key) const { return folder_ / (key.hex() + std::string(suffix_)); }

std::optional<Bytes> CacheFiles::find(const Digest& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path file = file_of(key);
  if (!is_ones_own(folder_) || !is_ones_own(file)) return std::nullopt;
  auto held = read_file_bytes(file, kMaxFileBytes);
  if (held && held->size() >= kHeaderBytes) {
    const auto content = std::span<const std::byte>(*held).subspan(kHeaderBytes);
    if (std::ranges::equal(std::span(*held).first(kHeaderBytes), header(key, content))) {
      held->erase(held->begin(), held->begin() + std::ptrdiff_t(kHeaderBytes));
      return std::move(*held);
    }
  }
  Damaged& all = damaged();
  const std::scoped_lock lock(all.mutex);
  all.files.push_back(file);
  return std::nullopt;
}

void CacheFiles::keep(const Digest& key, std::span<const std::byte> content) const {
  if (folder_.empty()) return;
  write_whole(file_of(key), header(key, content), content);
}

std::vector<fs::path> damaged_cache_files() {
  Damaged& all = damaged();
  const std::scoped_lock lock(all.mutex);
  return all.files;
}

}  // namespace vyre::backend
