// Kinds of cases of the engines over arrays. Those of engine.bfs are those of graphs.
#include <algorithm>
#include <utility>

#include "opspec/arrays.h"
#include "opspec/classes.h"

namespace vyre::opspec {

// Of this file alone, also where several files are compiled as one.
namespace array_engine_cases {
namespace {

Words words(const Buffers& b, size_t buffer) { return elements<uint32_t>(b[buffer]); }
template <size_t kBuffer>
bool nothing_in(const Buffers& b) {
  return b[kBuffer].empty();
}
bool several_blocks(const Buffers& b) { return count<uint32_t>(b[0]) > 2'048; }

// engine.prefix: data, sums, total, count.

bool beyond_a_word(const Buffers& b) {
  uint64_t sum = 0;
  for (const uint32_t word : words(b, 0)) sum += word;
  return sum > UINT32_MAX;
}
bool all_zeros(const Buffers& b) {
  return !b[0].empty() && std::ranges::all_of(words(b, 0), [](uint32_t word) { return word == 0; });
}
bool no_room_for_sums(const Buffers& b) { return b[1].size() / 2 < b[0].size(); }
bool room_behind_sums(const Buffers& b) { return b[1].size() / 2 > b[0].size(); }

// engine.sort: keys, sorted, order, count, status, params.

uint32_t columns(const Buffers& b) { return get<uint32_t>(b[5], 0); }
bool whole(const Buffers& b) { return columns(b) != 0 && count<uint32_t>(b[0]) % columns(b) == 0; }
std::vector<Words> rows(const Buffers& b) {
  std::vector<Words> out;
  if (!whole(b)) return out;
  const Words keys = words(b, 0);
  for (auto at = keys.begin(); at != keys.end(); at += columns(b)) out.emplace_back(at, at + columns(b));
  return out;
}
bool one_row(const Buffers& b) { return rows(b).size() == 1; }
bool several_columns(const Buffers& b) { return rows(b).size() > 1 && columns(b) > 1; }
bool rows_in_order(const Buffers& b) { return rows(b).size() > 1 && std::ranges::is_sorted(rows(b)); }
bool equal_rows(const Buffers& b) {
  std::vector<Words> sorted = rows(b);
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}
/// That the last column alone does not put in order.
bool a_later_turn(const Buffers& b) {
  const std::vector<Words> all = rows(b);
  std::vector<std::pair<uint32_t, size_t>> order;  // by the last column, then the place
  for (size_t i = 0; i < all.size(); ++i) order.emplace_back(all[i].back(), i);
  std::ranges::sort(order);
  return !std::ranges::is_sorted(order, {}, [&](const auto& one) { return all[one.second]; });
}
bool a_part_of_a_row(const Buffers& b) { return columns(b) != 0 && !whole(b); }
bool no_columns(const Buffers& b) { return columns(b) == 0; }
bool no_room_for_rows(const Buffers& b) { return whole(b) && b[1].size() < b[0].size(); }
bool no_room_for_order(const Buffers& b) { return count<uint32_t>(b[2]) < rows(b).size(); }

// engine.scatter_gather: values, destinations, forward, places, back, conflicts, count.

/// How far places are from their homes: how many steps; a circle or what leaves the places is as far as there
/// are places.
std::vector<size_t> steps(const Buffers& b) {
  const Words forward = words(b, 2);
  const size_t n = count<uint32_t>(b[3]);
  std::vector<size_t> out(n, n);
  for (size_t p = 0; p < n; ++p) {
    size_t at = p, step = 0;
    while (step < n && at < std::min(n, forward.size()) && forward[at] != at) at = forward[at], ++step;
    if (at < n) out[p] = step;
  }
  return out;
}
template <size_t kLeast>
bool a_way_of(const Buffers& b) {
  const std::vector<size_t> all = steps(b);
  return std::ranges::any_of(all, [&](size_t step) { return step >= kLeast && step < all.size(); });
}
bool a_circle(const Buffers& b) {
  const Words forward = words(b, 2);
  const size_t n = std::min(count<uint32_t>(b[3]), forward.size());
  for (size_t p = 0; p < n; ++p)
    if (forward[p] != p && forward[p] < n && forward[forward[p]] == p) return true;
  return false;
}
bool a_place_outside(const Buffers& b) {
  return std::ranges::any_of(words(b, 1), [&](uint32_t place) { return place >= count<uint32_t>(b[3]); });
}
bool a_forward_outside(const Buffers& b) {
  return std::ranges::any_of(words(b, 2), [&](uint32_t place) { return place >= count<uint32_t>(b[3]); });
}
bool a_place_twice(const Buffers& b) {
  Words places = words(b, 1);
  std::ranges::sort(places);
  return std::ranges::adjacent_find(places) != places.end();
}
bool each_its_own(const Buffers& b) { return b[2].empty() && count<uint32_t>(b[1]) > 1 && !a_place_twice(b); }
bool fewer_forwards(const Buffers& b) { return !b[2].empty() && b[2].size() < b[3].size(); }
bool fewer_destinations(const Buffers& b) { return b[1].size() < b[0].size(); }
bool no_room_for_conflicts(const Buffers& b) { return a_place_twice(b) && b[5].empty(); }

constexpr CaseClass kClasses[] = {
    {"engine.prefix engine.sort engine.scatter_gather", "no words", nothing_in<0>},
    {"engine.prefix engine.sort engine.scatter_gather", "more than a block of words", several_blocks},
    {"engine.prefix", "a sum beyond ffffffff", beyond_a_word},
    {"engine.prefix", "zeros alone", all_zeros},
    {"engine.prefix", "no room for all sums", no_room_for_sums},
    {"engine.prefix", "room behind the sums", room_behind_sums},
    {"engine.prefix", "no total", nothing_in<2>},
    {"engine.sort", "one row", one_row},
    {"engine.sort", "several columns", several_columns},
    {"engine.sort", "rows in order", rows_in_order},
    {"engine.sort", "equal rows", equal_rows},
    {"engine.sort", "rows that the last column alone does not put in order", a_later_turn},
    {"engine.sort", "a part of a row", a_part_of_a_row},
    {"engine.sort", "no columns", no_columns},
    {"engine.sort", "no room for all rows", no_room_for_rows},
    {"engine.sort", "no room for the order", no_room_for_order},
    {"engine.scatter_gather", "no forwards", nothing_in<2>},
    {"engine.scatter_gather", "fewer forwards than places", fewer_forwards},
    {"engine.scatter_gather", "a place that forwards", a_way_of<1>},
    {"engine.scatter_gather", "a way of 16 places or more", a_way_of<16>},
    {"engine.scatter_gather", "a circle", a_circle},
    {"engine.scatter_gather", "a destination outside", a_place_outside},
    {"engine.scatter_gather", "a forward outside", a_forward_outside},
    {"engine.scatter_gather", "a destination twice", a_place_twice},
    {"engine.scatter_gather", "each its own destination", each_its_own},
    {"engine.scatter_gather", "fewer destinations than values", fewer_destinations},
    {"engine.scatter_gather", "no room for conflicts", no_room_for_conflicts},
    {"engine.bfs", "no room for the vertices that are reached", nothing_in<4>},
};

}  // namespace
}  // namespace array_engine_cases

std::span<const CaseClass> array_engine_classes() { return array_engine_cases::kClasses; }

}  // namespace vyre::opspec
