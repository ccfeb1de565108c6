#include "base/printable.h"

#include <cstdint>

namespace vyre {

size_t printable_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  uint32_t value = first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3fu);
  const uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0xa0;  // below a0: control characters
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  // Unicode's Bidi_Control, and the separators of lines and paragraphs.
  const bool turns = value == 0x61c || value == 0x200e || value == 0x200f ||
                     (value >= 0x2028 && value <= 0x202e) || (value >= 0x2066 && value <= 0x2069);
  return value < least || value > 0x10ffff || surrogate || turns ? 0 : length;
}

std::string printable(std::string_view text, bool lines) {
  std::string out;
  while (!text.empty()) {
    const size_t length = lines && text[0] == '\n' ? 1 : printable_length(text);
    out += length == 0 ? "\xef\xbf\xbd" : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace vyre
