#include "wire/seal.h"

#include "wire/tags.h"
#include "wire/wire.h"

namespace vyre::wire {

Digest body_digest(uint32_t version, std::span<const std::byte> body) {
  Hasher hasher;
  hasher.update(std::as_bytes(std::span(kMagic)));
  hasher.update(to_bytes({{version}}));
  hasher.update(body);
  return hasher.finish();
}

Bytes seal(std::span<const std::byte> body) {
  Bytes out(kBodyAt);
  std::memcpy(out.data(), kMagic.data(), kMagic.size());
  store_u32(out.data() + kVersionAt, kVersion);
  const Digest digest = body_digest(kVersion, body);
  std::memcpy(out.data() + kDigestAt, digest.bytes.data(), digest.bytes.size());
  out.insert(out.end(), body.begin(), body.end());
  return out;
}

bool is_wire(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

Digest digest(const ir::Program& program) {
  const Bytes bytes = encode(program);
  Digest out;
  std::memcpy(out.bytes.data(), bytes.data() + kDigestAt, out.bytes.size());
  return out;
}

}  // namespace vyre::wire
