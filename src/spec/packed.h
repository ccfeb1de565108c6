// Elements of tensors in memory, one behind the other, by their numbers: also those that share a byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "spec/types.h"

namespace vyre::spec {

/// The bits of an element, in words, least significant first.
inline std::array<uint32_t, 4> packed_element(std::span<const std::byte> bytes, DataType type, size_t i) {
  std::array<uint32_t, 4> out{};
  if (packed_bits(type) == 4) {
    out[0] = uint32_t(bytes[i / 2] >> (i % 2 * 4)) & 0xf;
  } else {
    std::memcpy(out.data(), bytes.data() + i * info(type).bytes, info(type).bytes);
  }
  return out;
}
inline void set_packed_element(std::span<std::byte> bytes, DataType type, size_t i,
                               const std::array<uint32_t, 4>& value) {
  if (packed_bits(type) == 4) {
    std::byte& both = bytes[i / 2];
    both = i % 2 == 0 ? (both & std::byte{0xf0}) | std::byte(value[0] & 0xf)
                      : (both & std::byte{0x0f}) | std::byte(value[0] << 4 & 0xf0);
  } else {
    std::memcpy(bytes.data() + i * info(type).bytes, value.data(), info(type).bytes);
  }
}

}  // namespace vyre::spec
