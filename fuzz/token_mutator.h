// Mutation of texts, token by token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.h"

namespace vyre::fuzz {

/// The text after one to four changes: tokens swapped, doubled, dropped, put elsewhere, or exchanged for one
/// of the language's own words and signs.
std::string mutate_tokens(std::string_view text, RandomStream& random);

}  // namespace vyre::fuzz
