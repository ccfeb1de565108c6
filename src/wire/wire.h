// The wire format: programs and modules as canonical bytes. docs/wire-format.md is its specification.
//
// There is exactly one encoding a program, and one a module: equal ones have equal bytes, and the digest in
// the header identifies the program everywhere (caches, certificates, replay). Decoding is bounded on hostile
// bytes: memory is linear in the input's size, there is no recursion, and every count is checked against the
// bytes that remain.
#pragma once

#include <cstddef>
#include <span>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/result.h"
#include "ir/module.h"

namespace vyre::wire {

/// Whether the bytes begin with the magic.
bool is_wire(std::span<const std::byte> bytes);

/// Cost: linear. Any Program has an encoding, checked or not.
Bytes encode(const ir::Program& program);

/// Errors: W codes, with the byte offset in the message; W002 for a module. What decodes re-encodes to the
/// same bytes.
Result<ir::Program> decode(std::span<const std::byte> bytes);

/// Of a module of one program and nothing else (its constants are literals already): that program's bytes,
/// which are version 1. Of others: version 2. Cost: linear. Any Module has an encoding, checked or not, as
/// long as its commands have the expressions of their kinds.
Bytes encode(const ir::Module& module);

/// Either version. Errors: as decode(). Cost: linear; no more memory than docs/wire-format.md says.
Result<ir::Module> decode_module(std::span<const std::byte> bytes);

/// The identity of a program: the digest in the header of its encoding.
Digest digest(const ir::Program& program);
Digest digest(const ir::Module& module);

}  // namespace vyre::wire
