#include "backend/cuda/code_cache.h"

#include "backend/cache_content.h"

namespace vyre::backend::cuda {
namespace {

constexpr uint32_t kMaxEntries = 1u << 16;

// The file: the number of entries; of each the length of its name, its block, shared bytes, the name; then
// the code.
Bytes body_of(const Code& code) {
  Bytes body;
  append(body, uint32_t(code.entries.size()));
  for (const Entry& entry : code.entries) {
    append(body, uint32_t(entry.name.size()));
    for (const uint32_t threads : entry.block) append(body, threads);
    append(body, entry.shared_bytes);
    append(body, std::as_bytes(std::span(entry.name)));
  }
  append(body, code.binary);
  return body;
}

std::optional<Code> code_of(std::span<const std::byte> body) {
  ContentReader reader(body);
  Code code;
  const auto count = reader.take<uint32_t>();
  if (!count || *count > kMaxEntries) return std::nullopt;
  for (uint32_t i = 0; i < *count; ++i) {
    const auto length = reader.take<uint32_t>(), x = reader.take<uint32_t>(), y = reader.take<uint32_t>(),
               z = reader.take<uint32_t>(), shared = reader.take<uint32_t>();
    const auto name = shared ? reader.take(*length) : std::nullopt;
    if (!name) return std::nullopt;
    code.entries.push_back(
        {{reinterpret_cast<const char*>(name->data()), name->size()}, {*x, *y, *z}, *shared});
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
