#include "backend/cuda/code_cache.h"

#include "base/bytes.h"

namespace vyre::backend::cuda {
namespace {

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

// The file: the number of entries; of each the length of its name, threads, shared bytes, the name; then the
// code.
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

}  // namespace

CodeCache::CodeCache(std::filesystem::path folder) : files_(std::move(folder), ".cubin") {}

std::optional<Code> CodeCache::find(const CodeKey& key) const {
  const auto body = files_.find(digest_of(key));
  return body ? code_of(*body) : std::nullopt;
}

void CodeCache::keep(const CodeKey& key, const Code& code) const {
  files_.keep(digest_of(key), body_of(code));
}

}  // namespace vyre::backend::cuda
