// Mutation of programs: what a fuzzer changes when it knows what it has in its hands.
//
// A change of a byte in a wire file mostly makes a file that is refused in its first lines. So files are
// decoded, the program is changed as a tree (literals, operators, types, names; statements moved, copied,
// dropped, wrapped; expressions put in another's place) and encoded again, digest and all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/random.h"
#include "ir/ir.h"

namespace vyre::fuzz {

/// The program after one to four changes. Programs so deep that a recursive copy is no good idea stay as they
/// are.
ir::Program mutate(const ir::Program& program, RandomStream& random);

/// One program with statements of another one among its own.
ir::Program cross(const ir::Program& into, const ir::Program& from, RandomStream& random);

/// Changes the bytes of a file's body by any means, and gives the file its digest.
using ByteMutation = size_t (*)(uint8_t* data, size_t size, size_t max_size);

/// A custom mutator for inputs that are wire files: changes the program or the bytes. Works in place like
/// libFuzzer's own and gives the new size, at most `max_size`.
size_t mutate_file(uint8_t* data, size_t size, size_t max_size, uint32_t seed, ByteMutation bytes);
/// The crossing of two wire files, written to `out`; 0 when one of them is none.
size_t cross_files(std::span<const uint8_t> a, std::span<const uint8_t> b, std::span<uint8_t> out,
                   uint32_t seed);

}  // namespace vyre::fuzz
