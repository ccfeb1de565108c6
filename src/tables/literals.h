// The automaton of Aho and Corasick for match.aho_corasick. Source: Efficient string matching: an aid to
// bibliographic search, CACM 18, 1975, in its form without failure transitions.
//
// A state is a beginning of a literal; it goes to the longest one that is an end of it and the next byte.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tables/tables.h"

namespace vyre::tables {

/// None: more than kMostWords words.
std::optional<Table> table_of_literals(std::span<const std::string_view> literals);

}  // namespace vyre::tables
