#include "wire/seal.h"

#include "wire/wire.h"

namespace vyre::wire {

Digest body_digest(uint32_t version, std::span<const std::byte> body) {
  Hasher hasher;
  hasher.update(std::as_bytes(std::span(kMagic)));
  hasher.update(to_bytes({{version}}));
  hasher.update(body);
  return hasher.finish();
}

Bytes seal(std::span<const std::byte> body, uint32_t version) {
  Bytes out(kBodyAt);
  std::memcpy(out.data(), kMagic.data(), kMagic.size());
  store_u32(out.data() + kVersionAt, version);
  const Digest digest = body_digest(version, body);
  std::memcpy(out.data() + kDigestAt, digest.bytes.data(), digest.bytes.size());
  out.insert(out.end(), body.begin(), body.end());
  return out;
}

bool is_wire(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

namespace {

Digest stated_digest(std::span<const std::byte> file) {
  Digest out;
  std::memcpy(out.bytes.data(), file.data() + kDigestAt, out.bytes.size());
  return out;
}

}  // namespace

Digest digest(const ir::Program& program) { return stated_digest(encode(program)); }
Digest digest(const ir::Module& module) { return stated_digest(encode(module)); }

}  // namespace vyre::wire
