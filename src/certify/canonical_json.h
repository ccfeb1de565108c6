// Canonical JSON (RFC 8785, "JCS"): one text a value, so that equal values have equal digests and signatures.
//
// There is no white space; the keys of an object ascend by UTF-16 code units (which is not the order of their
// UTF-8 bytes, once characters beyond U+FFFF are there); a string is escaped no more than JSON demands.
// Numbers of RFC 8785 are doubles, so fractions are refused here, and so is an integer that a double may not
// hold: a writer makes a string of it, by decimal().
#pragma once

#include <cstdint>
#include <expected>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace vyre::certify {

/// The integers up to here are numbers; a larger one may be misread by readers that hold numbers as doubles.
inline constexpr uint64_t kLargestNumber = (uint64_t{1} << 53) - 1;

/// A count of 64 bits, as it stands in canonical JSON: its decimal digits in a string, whatever its size.
nlohmann::json decimal(uint64_t value);

/// The one text of a value, without a newline. Errors: what is in it that has no canonical text: a fraction,
/// an integer beyond kLargestNumber, a string that is not UTF-8, bytes.
std::expected<std::string, std::string> print_canonical(const nlohmann::json& value);

/// The value of a canonical text. Errors: text that is no JSON, nests deeper than `max_depth`, or is not what
/// print_canonical() makes of its value; then `is_json` says whether it is JSON at all.
struct NotCanonical {
  bool is_json = false;
  std::string message;
};
std::expected<nlohmann::json, NotCanonical> parse_canonical(std::string_view text, int max_depth);

}  // namespace vyre::certify
