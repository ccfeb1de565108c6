// Kinds of cases that every run of an operation must have met.
#include "opspec/classes.h"

#include "base/names.h"
#include "opspec/arrays.h"

namespace vyre::opspec {
namespace {

// Of items: buffer 0 is data, buffer 1 offsets.
#define ITEMS                                                                                     \
  "hash.* decode.* encode.* string.* match.* !hash.*_large !hash.merkle_sha256 !string.find_all " \
  "!string.count "                                                                                \
  "!string.lines !string.tokenize !string.json_index !string.csv_index !string.format_u32 !encode.utf8"

template <typename Has>
bool any_item(const Buffers& buffers, Has has) {
  const auto offsets = elements<uint32_t>(buffers[1]);
  const size_t bytes = buffers[0].size();
  for (size_t i = 0; i + 1 < offsets.size(); ++i)
    if (has(size_t{offsets[i]}, size_t{offsets[i + 1]}, bytes)) return true;
  return false;
}
bool no_items(const Buffers& b) { return count<uint32_t>(b[1]) <= 1; }
bool an_empty_item(const Buffers& b) {
  return any_item(b, [](size_t begin, size_t end, size_t) { return begin == end; });
}
bool an_item_of_a_block(const Buffers& b) {
  return any_item(b,
                  [](size_t begin, size_t end, size_t bytes) { return end >= begin + 64 && end <= bytes; });
}
bool an_item_at_any_byte(const Buffers& b) {
  return any_item(b, [](size_t begin, size_t end, size_t) { return begin % 4 != 0 && begin < end; });
}
bool a_decreasing_offset(const Buffers& b) {
  return any_item(b, [](size_t begin, size_t end, size_t) { return end < begin; });
}
bool an_offset_outside(const Buffers& b) {
  return any_item(b, [](size_t, size_t end, size_t bytes) { return end > bytes; });
}

constexpr CaseClass kClasses[] = {
    {ITEMS, "no items", no_items},
    {ITEMS, "an empty item", an_empty_item},
    {ITEMS, "an item of 64 bytes or more", an_item_of_a_block},
    {ITEMS, "an item that begins within a word", an_item_at_any_byte},
    {ITEMS, "offsets that decrease", a_decreasing_offset},
    {ITEMS, "an offset outside of the data", an_offset_outside},
};
#undef ITEMS

}  // namespace

std::vector<const CaseClass*> classes_of(std::string_view id) {
  std::vector<const CaseClass*> out;
  for (const auto part : {std::span<const CaseClass>(kClasses), classes_of_bytes(), array_classes(),
                          graph_classes(), array_engine_classes(), classes_of_engine_records()})
    for (const CaseClass& one : part)
      if (is_among(id, one.operations)) out.push_back(&one);
  return out;
}

}  // namespace vyre::opspec
