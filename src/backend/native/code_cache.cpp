#include "backend/native/code_cache.h"

#include <algorithm>
#include <utility>

#include "backend/cache_content.h"

namespace vyre::backend {
namespace {

constexpr uint32_t kMostParts = 1u << 16;  // imports, and buffers

// The content: the entry's offset, bytes of workgroup memory, steps, width; the number of alignments and each
// of them; the number of imports, and of each its offset and function; the image.
Bytes content_of(const KeptCode& code) {
  Bytes out;
  const lower::CpuImage::Entry& entry = *code.image.entries.front();
  append(out, entry.offset);
  append(out, entry.workgroup_bytes);
  append(out, code.kernel.steps);
  append(out, code.kernel.width);
  append(out, uint32_t(code.kernel.alignments.size()));
  for (const uint32_t alignment : code.kernel.alignments) append(out, alignment);
  append(out, uint32_t(code.image.imports.size()));
  for (const lower::CpuImage::Import& import : code.image.imports) {
    append(out, import.offset);
    append(out, import.function);
  }
  append(out, std::span<const std::byte>(code.image.bytes));
  return out;
}

std::optional<KeptCode> code_of(std::span<const std::byte> content) {
  ContentReader reader(content);
  KeptCode code;
  const auto offset = reader.take<uint64_t>(), workgroup_bytes = reader.take<uint64_t>(),
             steps = reader.take<uint64_t>();
  const auto width = reader.take<uint32_t>(), alignments = reader.take<uint32_t>();
  if (!alignments || *alignments > kMostParts || *width == 0) return std::nullopt;
  code.kernel.steps = *steps;
  code.kernel.width = *width;
  for (uint32_t i = 0; i < *alignments; ++i) {
    const auto alignment = reader.take<uint32_t>();
    if (!alignment || *alignment == 0) return std::nullopt;
    code.kernel.alignments.push_back(*alignment);
  }
  const auto imports = reader.take<uint32_t>();
  if (!imports || *imports > kMostParts) return std::nullopt;
  for (uint32_t i = 0; i < *imports; ++i) {
    const auto at = reader.take<uint64_t>();
    const auto function = reader.take<uint32_t>();
    if (!function) return std::nullopt;
    code.image.imports.push_back({*at, *function});
  }
  code.image.bytes.assign(reader.rest().begin(), reader.rest().end());
  const size_t size = code.image.bytes.size();
  const bool fits = *offset < size && std::ranges::all_of(
                                          code.image.imports,
                                          [&](const auto& import) {
                                            return import.function < lower::kCpuFunctions.size() &&
                                                   size >= sizeof(uint64_t) &&
                                                   import.offset <= size - sizeof(uint64_t);
                                          });
  if (!fits) return std::nullopt;
  code.image.entries.push_back(lower::CpuImage::Entry{*offset, *workgroup_bytes});
  return code;
}

}  // namespace

NativeCodeCache::NativeCodeCache(std::filesystem::path folder) : files_(std::move(folder), ".code") {}

std::optional<KeptCode> NativeCodeCache::find(const CodeKey& key) const {
  const auto content = files_.find(digest_of(key));
  return content ? code_of(*content) : std::nullopt;
}

void NativeCodeCache::keep(const CodeKey& key, const KeptCode& code) const {
  files_.keep(digest_of(key), content_of(code));
}

}  // namespace vyre::backend
