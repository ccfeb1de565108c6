#include "certify/merkle.h"

#include <bit>

namespace vyre::certify {
namespace {

constexpr std::string_view kLeaf("\0", 1), kNode("\1", 1);

std::span<const std::byte> bytes_of(const Digest& digest) { return std::as_bytes(std::span(digest.bytes)); }

}  // namespace

Digest merkle_leaf(std::string_view text) { return Hasher().update(kLeaf).update(text).finish(); }

Digest merkle_root(std::span<const Digest> leaves) {
  if (leaves.empty()) return sha256(std::string_view());
  if (leaves.size() == 1) return leaves[0];
  const size_t left = std::bit_floor(leaves.size() - 1);  // the largest power of two below their number
  const Digest l = merkle_root(leaves.first(left)), r = merkle_root(leaves.subspan(left));
  return Hasher().update(kNode).update(bytes_of(l)).update(bytes_of(r)).finish();
}

}  // namespace vyre::certify
