// Digests: SHA-256, the identity of programs, registries and certificates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vyre {

struct Digest {
  std::array<uint8_t, 32> bytes{};
  bool operator==(const Digest&) const = default;
  std::string hex() const;
  /// The first 16 hexadecimal digits: enough for people to compare by eye.
  std::string short_hex() const { return hex().substr(0, 16); }
};

/// Streaming SHA-256, by the processor's own instructions where it has them (OpenSSL).
class Hasher {
 public:
  Hasher();
  Hasher& update(std::span<const std::byte> bytes);
  Hasher& update(std::string_view text);
  Hasher& update_u32(uint32_t value);
  Hasher& update_u64(uint64_t value);
  Digest finish();

 private:
  alignas(16) std::array<std::byte, 128> state_;
};

Digest sha256(std::span<const std::byte> bytes);
Digest sha256(std::string_view text);

}  // namespace vyre
