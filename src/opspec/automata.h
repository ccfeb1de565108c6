// Tables of automata as the texts of match.* describe them, and items to walk them with.
#pragma once

#include <array>
#include <initializer_list>

#include "opspec/arrays.h"

namespace vyre::opspec {

constexpr uint32_t kAccepts = 0x8000'0000;
constexpr uint32_t kNone = 0xffff'ffff;

using Classes = std::array<uint8_t, 256>;

/// Words behind its end are 0.
struct Table {
  Words words;
  uint32_t operator[](uint32_t i) const { return i < words.size() ? words[i] : 0; }
  uint32_t states() const { return (*this)[0]; }
  uint32_t width() const { return (*this)[1]; }
  uint8_t class_of(uint8_t byte) const { return uint8_t((*this)[4 + byte / 4] >> 8 * (byte % 4)); }
  /// What stands for the next state: its number, and kAccepts or not.
  uint32_t step(uint32_t state, uint8_t its_class) const { return (*this)[68 + state * width() + its_class]; }
};

/// Appends four words and the classes: what comes before the next states.
void put_header(Words& table, std::initializer_list<uint32_t> four, const Classes& classes);

/// The table of match.aho_corasick for these literals, and the literals of one, in classes of bytes.
Words table_of_literals(const std::vector<Item>& literals);
std::vector<Item> literals_of_table(const Table& table);
struct Occurrence {
  uint32_t end, pattern;
};
/// Every literal is compared at every place.
std::vector<Occurrence> occurrences_of(const std::vector<Item>& literals, const Item& text);

/// Letters from `a` on: of few, or of all bytes.
void some_letters(RandomStream& random, uint32_t bytes, Item& item);

}  // namespace vyre::opspec
