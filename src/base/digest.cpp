#include "base/digest.h"

// The state of a digest is kept in place: OpenSSL's newer interface takes a block of memory and a table of
// algorithms for each, which costs more than digesting the few bytes of a key.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <fmt/format.h>
#include <openssl/sha.h>

#include <new>

namespace vyre {
namespace {

SHA256_CTX* state_of(std::array<std::byte, 128>& storage) {
  static_assert(sizeof(SHA256_CTX) <= 128 && alignof(SHA256_CTX) <= 16);
  return std::launder(reinterpret_cast<SHA256_CTX*>(storage.data()));
}

}  // namespace

std::string Digest::hex() const {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const uint8_t byte : bytes) fmt::format_to(std::back_inserter(out), "{:02x}", byte);
  return out;
}

Hasher::Hasher() { SHA256_Init(new (state_.data()) SHA256_CTX); }

Hasher& Hasher::update(std::span<const std::byte> data) {
  SHA256_Update(state_of(state_), data.data(), data.size());
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
  SHA256_Final(digest.bytes.data(), state_of(state_));
  return digest;
}

Digest sha256(std::span<const std::byte> data) { return Hasher().update(data).finish(); }
Digest sha256(std::string_view text) { return Hasher().update(text).finish(); }

}  // namespace vyre
