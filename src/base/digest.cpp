#include "base/digest.h"

#include <sodium.h>

#include <cstring>

namespace vyre {
namespace {

crypto_hash_sha256_state* state_of(std::array<std::byte, 128>& storage) {
  static_assert(sizeof(crypto_hash_sha256_state) <= 128);
  return reinterpret_cast<crypto_hash_sha256_state*>(storage.data());
}

}  // namespace

std::string Digest::hex() const {
  std::string out(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(out.data(), out.size(), bytes.data(), bytes.size());
  out.pop_back();
  return out;
}

Hasher::Hasher() { crypto_hash_sha256_init(state_of(state_)); }

Hasher& Hasher::update(std::span<const std::byte> data) {
  crypto_hash_sha256_update(state_of(state_), reinterpret_cast<const unsigned char*>(data.data()),
                            data.size());
  return *this;
}
Hasher& Hasher::update(std::string_view text) {
  return update(std::as_bytes(std::span(text.data(), text.size())));
}
Hasher& Hasher::update_u32(uint32_t value) {
  const std::array<uint8_t, 4> le = {uint8_t(value), uint8_t(value >> 8), uint8_t(value >> 16),
                                     uint8_t(value >> 24)};
  return update(std::as_bytes(std::span(le)));
}
Hasher& Hasher::update_u64(uint64_t value) {
  return update_u32(uint32_t(value)).update_u32(uint32_t(value >> 32));
}

Digest Hasher::finish() {
  Digest digest;
  crypto_hash_sha256_final(state_of(state_), digest.bytes.data());
  return digest;
}

Digest sha256(std::span<const std::byte> data) { return Hasher().update(data).finish(); }
Digest sha256(std::string_view text) { return Hasher().update(text).finish(); }

}  // namespace vyre
