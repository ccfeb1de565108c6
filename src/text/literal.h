// Numbers: from text to type and magnitude, and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "spec/types.h"

namespace vyre::text {

/// A number as it stands in a text, before its range is known to fit.
struct Number {
  spec::DataType type = spec::DataType::U32;  // from its suffix; without one u32, or f32 for floats
  bool suffixed = false;
  bool is_float = false;
  bool overflow = false;   // more than 64 bits
  uint64_t magnitude = 0;  // of an integer
  std::string malformed;   // why it is none; empty when it is well-formed
};

/// Domain: a Number token of the lexer.
Number read_number(std::string_view text);

/// Whether a '-' directly before the number is a part of the literal: i32 and floats.
bool takes_sign(const Number& number);

}  // namespace vyre::text
