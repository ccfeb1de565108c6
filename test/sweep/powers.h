// Inputs that are hard on powers of f32.
#pragma once

#include <array>
#include <cstdint>

namespace vyre::sweep {

/// A base and an exponent, made of two random numbers: bases next to 1 with exponents that bring the result
/// anywhere in the format's range, or to its ends; powers that are exact or halfway between two numbers (few
/// digits, whole and halved exponents); negative bases with whole exponents; anything.
std::array<uint32_t, 2> directed_power(uint64_t r, uint64_t s);

}  // namespace vyre::sweep
