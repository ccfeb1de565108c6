// The host's opinion on floats: what this processor and its compiler make of C++ arithmetic.
//
// F32 is the host's float. F16 is computed in float and rounded once more, which is harmless: 24 bits are
// at least 2 * 11 + 2 (Figueroa, "When is double rounding innocuous?", 1995), and the compiler's _Float16
// does the last rounding. Nothing here for BF16: no conversion that all hosts have. NaNs come back as the one
// NaN.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace vyre::num::test {

inline float as_float(uint32_t a) { return std::bit_cast<float>(a); }
inline uint32_t of_float(float x) { return std::isnan(x) ? 0x7fc00000u : std::bit_cast<uint32_t>(x); }
__extension__ using Half = _Float16;
inline float half_as_float(uint32_t a) { return float(std::bit_cast<Half>(uint16_t(a))); }
inline uint32_t half_of_float(float x) {
  return std::isnan(x) ? 0x7e00u : std::bit_cast<uint16_t>(static_cast<Half>(x));
}

}  // namespace vyre::num::test
