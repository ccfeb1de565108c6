// Floats and decimals: the one conversion from digits to bits, exactly rounded, and the shortest way back.
//
// Every format rounds once, from the exact value that is written, to nearest with ties to even. A detour
// through a wider float would round twice: 1.00048828125000001 is just above the midpoint of two f16, and a
// double or f32 of it may be the midpoint itself. Source: text-format, "Literals".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "spec/types.h"

namespace vyre::text {

/// The bits of the float nearest to a decimal: digits with an optional point and exponent, underscores
/// anywhere, no sign. None where that overflows; what is too small gives a subnormal or zero. Domain: F16,
/// BF16 or F32; `digits` begins and ends with a digit. Cost: linear in the text.
std::optional<uint32_t> float_from_decimal(std::string_view digits, spec::DataType type);

/// The same of a hexadecimal float without its prefix: "1.8p3".
std::optional<uint32_t> float_from_hexadecimal(std::string_view digits, spec::DataType type);

/// The bits of the float nearest to an integer; infinity where that overflows.
uint32_t float_from_integer(uint64_t value, spec::DataType type);

/// The shortest decimal that reads back as these bits, with a sign: "1", "-0", "1.5", "1e+30".
/// Domain: F16, BF16 or F32; finite.
std::string shortest_decimal(spec::DataType type, uint32_t bits);

}  // namespace vyre::text
