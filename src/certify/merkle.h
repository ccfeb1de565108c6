// Merkle trees, as RFC 6962 (Certificate Transparency, 2.1) hashes them, over SHA-256.
//
// The root stands for a list of leaves, and for each of them alone: a holder of a leaf and the hashes beside
// its way to the root can show that it belongs to it. Leaves and inner nodes are hashed under different
// prefixes, so that none can be taken for the other.
#pragma once

#include <span>
#include <string_view>

#include "base/digest.h"

namespace vyre::certify {

Digest merkle_leaf(std::string_view text);
/// The root of leaves that merkle_leaf() made, in order; of none it is the digest of nothing.
Digest merkle_root(std::span<const Digest> leaves);

}  // namespace vyre::certify
