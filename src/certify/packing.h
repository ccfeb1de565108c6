// Packing: a JSON value in which much is repeated, said once each.
//
// A certificate repeats itself: the same keys in every verdict, the same evidence for most laws. Packed, an
// object is an array that starts with the number of its list of keys, a list one that starts with 0, and what
// occurs more than once is written once and referred to by its number, as a negative integer:
//
//   {"keys": [["cases", "law"]], "shared": ["Commutative"], "root": [0, [1, 7, -1], [1, 9, -1]]}
//
// stands for [{"cases": 7, "law": "Commutative"}, {"cases": 9, "law": "Commutative"}]. There is exactly one
// packed form of a value, so a packed document has one text too. A value is shared if a depth-first
// walk that visits each distinct value once reaches it at least twice, and if its canonical text has more
// than kUnsharedLength bytes. Shared values have numbers in the order in which the root, and then the shared
// values one after the other, refer to them; lists of keys in the order in which they are needed to write the
// same.
#pragma once

#include <cstddef>
#include <expected>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace vyre::certify {

/// What is as short as a reference to it stays where it is.
inline constexpr size_t kUnsharedLength = 5;

/// Domain  no number is negative, every object's keys and every string are UTF-8.
nlohmann::json pack(const nlohmann::json& value);

/// The value of which `packed` is the packed form, or of another one: a caller that needs the only form packs
/// again. Errors: what is wrong with it; also when the value has more than `most` parts, since little can be
/// packed that stands for very much.
std::expected<nlohmann::json, std::string> unpack(const nlohmann::json& packed, size_t most);

}  // namespace vyre::certify
