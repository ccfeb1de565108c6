// Text from elsewhere that goes to terminals: a program's source, a driver's name for its device, an
// argument.
//
// A terminal obeys control characters, and characters that turn the direction of writing around show a line
// otherwise than it is read. Neither is ever shown: U+FFFD stands in their place, and in that of bytes that
// are no UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vyre {

/// The bytes of the printable code point at the start of the text; 0 if there is none. Domain: not empty.
size_t printable_length(std::string_view text);

/// The text with U+FFFD for each byte that belongs to no printable code point; `lines` keeps line feeds.
std::string printable(std::string_view text, bool lines = false);

}  // namespace vyre
