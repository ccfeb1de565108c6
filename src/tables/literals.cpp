#include "tables/literals.h"

#include <algorithm>
#include <iterator>

#include "tables/layout.h"

namespace vyre::tables {
namespace {

constexpr uint32_t kNone = 0xffff'ffff;

/// Each byte that a literal has is a class; all others are class 0, where there are others.
uint32_t classify(std::span<const std::string_view> literals, Classes& class_of) {
  std::array<bool, 256> used{};
  for (const std::string_view literal : literals)
    for (const char c : literal) used[uint8_t(c)] = true;
  uint32_t classes = std::ranges::all_of(used, std::identity()) ? 0 : 1;
  for (size_t byte = 0; byte < 256; ++byte) class_of[byte] = used[byte] ? uint8_t(classes++) : 0;
  return classes;
}

}  // namespace

std::optional<Table> table_of_literals(std::span<const std::string_view> literals) {
  Classes class_of;
  const size_t width = classify(literals, class_of);
  // The trie: kNone where no literal goes on.
  std::vector<uint32_t> next(width, kNone);
  std::vector<std::vector<uint32_t>> lists(1);
  size_t longest = 0;
  for (size_t k = 0; k < literals.size(); ++k) {
    longest = std::max(longest, literals[k].size());
    size_t state = 0;
    for (const char c : literals[k]) {
      const size_t edge = state * width + class_of[uint8_t(c)];
      if (next[edge] == kNone) {
        if (next.size() + width > kMostWords) return {};
        next[edge] = uint32_t(lists.size());
        lists.emplace_back();
        next.resize(next.size() + width, kNone);
      }
      state = next[edge];
    }
    if (!literals[k].empty()) lists[state].push_back(uint32_t(k));
  }
  // From the beginning on, level by level: where a state fails is known before those behind it ask.
  const size_t states = lists.size();
  std::vector<uint32_t> fails(states), queue = {0};
  size_t words = kTableHead + states * (width + 1) + 1;
  for (size_t i = 0; i < queue.size(); ++i) {
    const uint32_t state = queue[i];
    std::vector<uint32_t> list;
    if (state != 0) std::ranges::set_union(lists[state], lists[fails[state]], std::back_inserter(list));
    words += list.size();
    if (words > kMostWords) return {};
    lists[state] = std::move(list);
    for (size_t c = 0; c < width; ++c) {
      uint32_t& to = next[state * width + c];
      const uint32_t else_to = state == 0 ? 0 : next[fails[state] * width + c];
      if (to == kNone) {
        to = else_to;
      } else {
        fails[to] = else_to;
        queue.push_back(to);
      }
    }
  }

  Table table = {
      .patterns = uint32_t(literals.size()), .states = uint32_t(states), .classes = uint32_t(width)};
  table.words.reserve(words);
  put_head(table.words, {uint32_t(states), uint32_t(width), uint32_t(longest), table.patterns}, class_of);
  for (const uint32_t to : next) table.words.push_back(to | (lists[to].empty() ? 0 : kAccepts));
  uint32_t before = 0;
  for (const auto& list : lists) {
    table.words.push_back(before);
    before += uint32_t(list.size());
  }
  table.words.push_back(before);
  for (const auto& list : lists) table.words.insert(table.words.end(), list.begin(), list.end());
  return table;
}

}  // namespace vyre::tables
