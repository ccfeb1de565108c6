// SPIR-V as terms: what a module's entry point stores, and what it must not do.
//
// The reader takes the binary apart by Khronos' numbers and shares no code with what writes it (lower/spirv).
// It knows modules of the interface that every shader of words has: storage buffers of an array of words, a
// push constant with their lengths, variables of the function. Division by zero and accesses outside are
// obligations; a shift by 32 or more gives any value at all. Functions without loops can be read. Source:
// SPIR-V specification 1.6 revision 2, "Instructions"; GLSL.std.450.
#pragma once

#include <expected>
#include <span>
#include <string>

#include "symbolic/reading.h"

namespace vyre::symbolic {

/// Domain  descriptor set 0, binding n is buffer n of the memory; word n of the push constants is its length.
/// Errors  what it is that this reader does not know, or that the words are no module.
std::expected<Reading, std::string> read(smt::Pool& pool, Memory& memory, std::span<const uint32_t> words);

}  // namespace vyre::symbolic
