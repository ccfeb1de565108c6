// What the tables of all four operations have in common: four words, the class of each byte, then for each
// state and class the next state, with the highest bit set where something ends.
#pragma once

#include <array>
#include <vector>

#include "tables/automaton.h"

namespace vyre::tables {

inline constexpr uint32_t kAccepts = 0x8000'0000;
inline constexpr size_t kTableHead = 68;  // words before the transitions

/// Appends the four words and the classes.
void put_head(std::vector<uint32_t>& words, const std::array<uint32_t, 4>& first, const Classes& class_of);

/// Appends the table of match.dfa: head and transitions.
void put_dfa(std::vector<uint32_t>& words, const Dfa& dfa);

}  // namespace vyre::tables
