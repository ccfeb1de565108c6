// Sealing: putting the header before a body.
#pragma once

#include <span>

#include "base/bytes.h"
#include "base/digest.h"
#include "wire/tags.h"

namespace vyre::wire {

/// The digest that a header holds: of the magic, the version and the body.
Digest body_digest(uint32_t version, std::span<const std::byte> body);

/// A whole file around a body, whatever the body is: for encode, and for tests that damage bodies.
Bytes seal(std::span<const std::byte> body, uint32_t version = kVersion);

}  // namespace vyre::wire
