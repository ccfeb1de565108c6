#include "backend/native/code.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <array>
#include <cstring>

namespace vyre::backend {
namespace {

/// The addresses of lower::kCpuFunctions, in their order.
const std::array<uint64_t, lower::kCpuFunctions.size()>& function_addresses() {
  static const std::array<uint64_t, lower::kCpuFunctions.size()> all = {
      reinterpret_cast<uint64_t>(static_cast<void* (*)(void*, int, size_t)>(&std::memset)),
      reinterpret_cast<uint64_t>(static_cast<void* (*)(void*, const void*, size_t)>(&std::memcpy)),
      reinterpret_cast<uint64_t>(static_cast<void* (*)(void*, const void*, size_t)>(&std::memmove))};
  return all;
}

Diag no_memory(size_t bytes) {
  return make_diag(DiagCode::B003, Span::none(),
                   fmt::format("native: the host gives no executable memory for {} bytes of code", bytes),
                   "compile less at once, or use --backend reference");
}

}  // namespace

Result<std::shared_ptr<const NativeCode>> NativeCode::load(const lower::CpuImage& image) {
  const size_t bytes = image.bytes.size();
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return std::unexpected(no_memory(bytes));
  const std::span memory(static_cast<std::byte*>(at), bytes);
  const std::shared_ptr<const NativeCode> code(new NativeCode(memory));
  std::memcpy(memory.data(), image.bytes.data(), bytes);
  for (const lower::CpuImage::Import& import : image.imports)
    std::memcpy(memory.data() + import.offset, &function_addresses()[import.function], sizeof(uint64_t));
  __builtin___clear_cache(static_cast<char*>(at), static_cast<char*>(at) + bytes);
  if (::mprotect(at, bytes, PROT_READ | PROT_EXEC) != 0) return std::unexpected(no_memory(bytes));
  return code;
}

NativeCode::~NativeCode() { ::munmap(memory_.data(), memory_.size()); }

lower::CpuEntry NativeCode::entry(uint64_t offset) const {
  return reinterpret_cast<lower::CpuEntry>(memory_.data() + offset);
}

}  // namespace vyre::backend
