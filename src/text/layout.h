// The canonical layout of a text: where blanks, line ends and comments go.
//
// Layout works on tokens alone and changes none of them, so it cannot change the program, and laying out
// twice is laying out once. format() gives it a file, print() the tokens of a program.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace vyre::text {

/// Columns that a line may fill; a line that cannot be broken may be longer.
inline constexpr size_t kLineWidth = 110;

/// The tokens and comments of a text in canonical layout.
/// Errors  as the lexer; a text that is no program is laid out somehow.
/// Cost    linear.
Result<std::string> lay_out(std::string_view text);

}  // namespace vyre::text
