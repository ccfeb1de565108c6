#include "backend/cache_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace vyre::backend {
namespace {

namespace fs = std::filesystem;

const char* environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

fs::path cache_folder(std::string_view part) {
  if (const char* folder = environment("VYRE_CACHE_DIR")) return fs::path(folder) / part;
  if (const char* cache = environment("XDG_CACHE_HOME")) return fs::path(cache) / "vyre" / part;
  if (const char* home = environment("HOME")) return fs::path(home) / ".cache" / "vyre" / part;
  return {};
}

void write_cached(const fs::path& file, std::span<const std::byte> content) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  static std::atomic<uint64_t> count = 0;
  const fs::path fresh = file.string() + fmt::format(".{}.{}", getpid(), count++);
  {
    std::ofstream out(fresh, std::ios::binary);
    out.write(reinterpret_cast<const char*>(content.data()), std::streamsize(content.size()));
    out.close();
    if (!out) {
      fs::remove(fresh, error);
      return;
    }
  }
  fs::rename(fresh, file, error);
  if (error) fs::remove(fresh, error);
}

}  // namespace vyre::backend
