#include "backend/code_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "backend/cache_folder.h"

namespace vyre::backend {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> as_bytes(const Digest& digest) { return std::as_bytes(std::span(digest.bytes)); }

}  // namespace

fs::path CodeFiles::file_of(const CodeKey& key) const {
  Hasher hasher;
  for (const std::string_view part : {format_, std::string_view(key.machine), std::string_view(key.writer)})
    hasher.update_u64(part.size()).update(part);
  hasher.update(as_bytes(key.program));
  return folder_ / (hasher.finish().hex() + std::string(suffix_));
}

std::optional<Bytes> CodeFiles::find(const CodeKey& key) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream in(file_of(key), std::ios::binary);
  if (!in) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::span<const std::byte> file = std::as_bytes(std::span(text));
  constexpr size_t kDigestBytes = sizeof(Digest::bytes);
  if (file.size() < kDigestBytes) return std::nullopt;
  const auto body = file.subspan(kDigestBytes);
  if (!std::ranges::equal(file.first(kDigestBytes), as_bytes(sha256(body)))) return std::nullopt;
  return Bytes(body.begin(), body.end());
}

void CodeFiles::keep(const CodeKey& key, std::span<const std::byte> code) const {
  if (folder_.empty()) return;
  const Digest digest = sha256(code);
  Bytes file;
  file.reserve(sizeof(digest.bytes) + code.size());
  file.insert(file.end(), as_bytes(digest).begin(), as_bytes(digest).end());
  file.insert(file.end(), code.begin(), code.end());
  write_cached(file_of(key), file);
}

}  // namespace vyre::backend
