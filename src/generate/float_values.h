// Floats worth trying: a small format's values, 256 structured ones, the adversary's short list, and tuples
// made for what goes wrong in arithmetic.
//
// Uniform bits are bad at floats: two random exponents are so far apart that a sum is one of its operands,
// and a product overflows or vanishes. So random tuples are directed: exponents that meet, results at a tie,
// at the border of the subnormals or of overflow, operands that cancel. All of it is fixed for ever, since
// replay tokens and certificates name it. Source: semantics, "Laws and evidence".
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "spec/types.h"

namespace vyre::generate {

/// The 256 values of the 8-bit format of 5 exponent and 2 fraction bits ("e5m2"), each exactly in the type,
/// in the order of their bytes; NaNs keep sign and payload. Domain of all of these: a float type.
std::span<const uint32_t, 256> small_floats(spec::DataType type);

/// Zeros, ends of the subnormals and of the numbers, powers of two and their neighbours, short and long
/// significands, integers and halves, borders of other formats and of integers, infinities, NaNs: unique,
/// ascending as patterns.
std::span<const uint32_t, 256> edge_floats(spec::DataType type);

/// The patterns of which every tuple should be tried.
std::span<const uint32_t> adversarial_floats(spec::DataType type);

/// One tuple of 1 to 3 operands of a float type, directed in one of ten ways, which take turns; `bits` is all
/// the randomness there is.
void directed_floats(spec::DataType type, uint64_t turn, const std::array<uint32_t, 4>& bits,
                     std::span<uint32_t> out);

}  // namespace vyre::generate
