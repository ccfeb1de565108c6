// Numbers: from text to type and magnitude, and back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "spec/types.h"

namespace vyre::text {

__extension__ using Magnitude = unsigned __int128;

/// A number as it stands in a text, before its range is known to fit.
struct Number {
  spec::DataType type = spec::DataType::U32;  // from its suffix; without one u32, or f32 for floats
  bool suffixed = false;
  bool is_float = false;
  bool hexadecimal = false;
  bool overflow = false;     // an integer of more than 128 bits
  Magnitude magnitude = 0;   // of an integer
  std::string_view digits;   // without prefix and suffix: a part of the text that was read
  std::string_view unknown;  // what stands where a suffix may, and is none
  std::string malformed;     // why it is none; empty when it is well-formed
};

/// Domain: a Number token of the lexer.
Number read_number(std::string_view text);

/// The bits of a literal, least significant word first; none where it does not fit its type. `negative`: a
/// minus is part of it. Domain: a well-formed number; negative only if takes_sign().
std::optional<std::array<uint32_t, 4>> literal_bits(const Number& number, bool negative);

/// What a literal of this type may be, for the help of a message that one does not fit. Domain: integers and
/// floats.
std::string_view literal_range(spec::DataType type);

/// Whether a '-' directly before the number is a part of the literal: i32 and floats.
bool takes_sign(const Number& number);

}  // namespace vyre::text
