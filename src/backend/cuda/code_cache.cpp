#include "backend/cuda/code_cache.h"

#include <fstream>
#include <iterator>

#include "backend/cache_folder.h"
#include "base/bytes.h"

namespace vyre::backend::cuda {
namespace {

namespace fs = std::filesystem;

/// Changes whenever the file has another layout.
constexpr std::string_view kFormat = "vyre-cuda-code/1";
constexpr size_t kDigestBytes = sizeof(Digest::bytes);
constexpr uint32_t kMaxEntries = 1u << 16;

void append(Bytes& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}
void append(Bytes& out, uint32_t value) {
  out.resize(out.size() + 4);
  store_u32(out.data() + out.size() - 4, value);
}

/// Takes from the front of bytes; empty when they do not suffice, and from then on.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}
  std::optional<std::span<const std::byte>> take(size_t count) {
    if (count > left_.size()) return std::nullopt;
    const auto out = left_.first(count);
    left_ = left_.subspan(count);
    return out;
  }
  std::optional<uint32_t> take_u32() {
    const auto bytes = take(4);
    return bytes ? std::optional(load_u32(bytes->data())) : std::nullopt;
  }
  std::span<const std::byte> rest() const { return left_; }

 private:
  std::span<const std::byte> left_;
};

// The file: the digest of what follows; the number of entries; of each the length of its name, threads,
// shared bytes, the name; then the code.
Bytes body_of(const Code& code) {
  Bytes body;
  append(body, uint32_t(code.entries.size()));
  for (const Entry& entry : code.entries) {
    append(body, uint32_t(entry.name.size()));
    append(body, entry.threads);
    append(body, entry.shared_bytes);
    append(body, std::as_bytes(std::span(entry.name)));
  }
  append(body, code.binary);
  return body;
}

std::optional<Code> code_of(std::span<const std::byte> body) {
  Reader reader(body);
  Code code;
  const auto count = reader.take_u32();
  if (!count || *count > kMaxEntries) return std::nullopt;
  for (uint32_t i = 0; i < *count; ++i) {
    const auto length = reader.take_u32(), threads = reader.take_u32(), shared = reader.take_u32();
    const auto name = shared ? reader.take(*length) : std::nullopt;
    if (!name) return std::nullopt;
    code.entries.push_back({{reinterpret_cast<const char*>(name->data()), name->size()}, *threads, *shared});
  }
  code.binary.assign(reader.rest().begin(), reader.rest().end());
  return code;
}

std::span<const std::byte> as_bytes(const Digest& digest) { return std::as_bytes(std::span(digest.bytes)); }

}  // namespace

fs::path CodeCache::default_folder() { return cache_folder("cuda"); }

fs::path CodeCache::file_of(const CodeKey& key) const {
  Hasher hasher;
  for (const std::string_view part : {kFormat, std::string_view(key.machine), std::string_view(key.writer)})
    hasher.update_u64(part.size()).update(part);
  hasher.update(as_bytes(key.program));
  return folder_ / (hasher.finish().hex() + ".cubin");
}

std::optional<Code> CodeCache::find(const CodeKey& key) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream in(file_of(key), std::ios::binary);
  if (!in) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Reader reader(std::as_bytes(std::span(text)));
  const auto digest = reader.take(kDigestBytes);
  if (!digest || !std::ranges::equal(*digest, as_bytes(sha256(reader.rest())))) return std::nullopt;
  return code_of(reader.rest());
}

void CodeCache::keep(const CodeKey& key, const Code& code) const {
  if (folder_.empty()) return;
  const Bytes body = body_of(code);
  const Digest digest = sha256(body);
  Bytes file;
  append(file, as_bytes(digest));
  append(file, body);
  write_cached(file_of(key), file);
}

}  // namespace vyre::backend::cuda
