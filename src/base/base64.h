// Bytes as base64 (RFC 4648, section 4: the alphabet with + and /, padded, without line breaks), by OpenSSL.
//
// Each sequence of bytes has one text: from_base64() takes what base64() writes and nothing else, so that a
// document that holds bytes this way has no second text either.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vyre {

std::string base64(std::string_view bytes);

/// Nothing for a text that base64() does not write.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace vyre
