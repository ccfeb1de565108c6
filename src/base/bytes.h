// Bytes: little-endian words in byte buffers, whatever the host is.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace vyre {

using Bytes = std::vector<std::byte>;

static_assert(std::endian::native == std::endian::little,
              "buffers are shared with kernels in place; a big-endian host needs swaps in layout/");

inline uint32_t load_u32(const std::byte* at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
inline void store_u32(std::byte* at, uint32_t value) { std::memcpy(at, &value, sizeof value); }

inline Bytes to_bytes(std::span<const uint32_t> words) {
  Bytes out(words.size_bytes());
  if (!words.empty()) std::memcpy(out.data(), words.data(), words.size_bytes());
  return out;
}
inline std::vector<uint32_t> to_words(std::span<const std::byte> bytes) {
  std::vector<uint32_t> out(bytes.size() / 4);
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * 4);
  return out;
}

}  // namespace vyre
