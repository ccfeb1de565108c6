// What the laws of hash, decode, encode, string and match have in common: items and texts are put into
// buffers, outputs have room for all, and what was written is read back.
#pragma once

#include "opspec/items.h"
#include "opspec/laws.h"

namespace vyre::opspec {

#define VYRE_BUFFER_LAW(operations, Name, claimed, statement) bool Name(const Trial& trial);
#include "library/laws.def"
#undef VYRE_BUFFER_LAW

using Words = std::vector<uint32_t>;
using Items = std::vector<Item>;

inline constexpr uint32_t kNone = 0xffff'ffff;
inline constexpr uint32_t kAccepts = 0x8000'0000;  // of an entry of an automaton

/// Where the outputs of an operation stand among its buffers: from `first` up to `end`.
struct OutputPlaces {
  size_t first = 0, end = 0;
};
OutputPlaces outputs_of(std::string_view id);

/// `data` and `offsets` of these items, one behind the other.
Buffers packed(const Items& items);
Item joined(const Item& a, const Item& b);
Item text(std::string_view letters);
/// The first four bytes as a number. Domain: there are so many.
uint32_t first_word(const Item& bytes);

/// Items of a case, so few and short that a law is cheap. `list`: of pairs the second one is 1.
Items some_items(const Trial& trial, size_t list = 0);
/// The lists of a case, of which pairs have two of the same length.
std::vector<Items> some_lists(const Trial& trial);
/// The beginning of a case's text, and the buffer behind it (a needle as long as it counts).
Item some_text(const Trial& trial);
Item second_text(const Trial& trial);

/// Runs an operation on these inputs, with `room` bytes in each output, and gives these, each cut to what was
/// written.
Buffers results(const Trial& trial, std::string_view id, Buffers inputs, size_t room,
                const Buffers& params = {});

/// What became of an item: bytes, or the words of all outputs, or a digest.
struct Outcome {
  Item bytes;
  uint32_t status = 0;
  uint32_t word(size_t i) const { return first_word({bytes.begin() + long(4 * i), bytes.end()}); }
  bool operator==(const Outcome&) const = default;
};
/// Of each item, or pair. An automaton is the one of the case; so are params, unless there are some here.
std::vector<Outcome> outcomes(const Trial& trial, std::string_view id, const std::vector<Items>& lists,
                              const Buffer* params = nullptr);
/// The same of one list by the operation itself.
std::vector<Outcome> outcomes(const Trial& trial, const Items& items);
/// Bytes of these.
Items bytes_of(const std::vector<Outcome>& outcomes);

/// The outputs of an operation over a text; `second` is a needle or a lookup.
std::vector<Words> index_of(const Trial& trial, std::string_view id, const Item& text, const Item& second);

}  // namespace vyre::opspec
