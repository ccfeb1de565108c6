// Kinds of cases of collection.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <unordered_map>

#include "opspec/arrays.h"

namespace vyre::opspec {

// Of this file alone, also where several files are compiled as one.
namespace array_cases {
namespace {

Words words(const Buffers& b, size_t buffer) { return elements<uint32_t>(b[buffer]); }

// Sizes.

template <typename T>
bool no_elements(const Buffers& b) {
  return count<T>(b[0]) == 0;
}
template <typename T>
bool one_element(const Buffers& b) {
  return count<T>(b[0]) == 1;
}
bool several_blocks(const Buffers& b) { return b[0].size() > 4 * 1024; }
template <size_t kBuffer>
bool nothing_in(const Buffers& b) {
  return b[kBuffer].empty();
}
template <size_t kBuffer, size_t kThan>
bool shorter(const Buffers& b) {
  return b[kBuffer].size() < b[kThan].size();
}
template <size_t kBuffer, size_t kThan>
bool longer(const Buffers& b) {
  return b[kBuffer].size() > b[kThan].size();
}

// Keys, in whose order there is a first one: floats by their bits.

template <typename T>
auto keys(const Buffers& b, size_t buffer = 0) {
  if constexpr (std::is_same_v<T, float>)
    return ordered_floats(b[buffer]);
  else
    return elements<T>(b[buffer]);
}
template <typename T>
bool in_order(const Buffers& b) {
  const auto k = keys<T>(b);
  return std::ranges::is_sorted(k) && !k.empty() && k.front() < k.back();
}
template <typename T>
bool in_reverse(const Buffers& b) {
  const auto k = keys<T>(b);
  return std::ranges::is_sorted(k, std::greater()) && !k.empty() && k.front() > k.back();
}
template <typename T>
bool all_equal(const Buffers& b) {
  const auto k = keys<T>(b);
  return k.size() > 1 && std::ranges::adjacent_find(k, std::not_equal_to()) == k.end();
}
template <typename T>
bool some_equal(const Buffers& b) {
  auto k = keys<T>(b);
  std::ranges::sort(k);
  return std::ranges::adjacent_find(k) != k.end() && k.front() < k.back();
}
bool of_both_signs(const Buffers& b) {
  const auto k = elements<int32_t>(b[0]);
  return std::ranges::any_of(k, [](int32_t x) { return x < 0; }) &&
         std::ranges::any_of(k, [](int32_t x) { return x > 0; });
}

// Floats.

template <typename Has>
bool any_float(const Buffers& b, Has has) {
  return std::ranges::any_of(elements<float>(b[0]), has);
}
bool a_nan(const Buffers& b) {
  return any_float(b, [](float x) { return std::isnan(x); });
}
bool an_infinity(const Buffers& b) {
  return any_float(b, [](float x) { return std::isinf(x); });
}
bool a_subnormal(const Buffers& b) {
  return any_float(b, [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; });
}
bool zeros_of_both_signs(const Buffers& b) {
  return any_float(b, [](float x) { return std::bit_cast<uint32_t>(x) == 0; }) &&
         any_float(b, [](float x) { return x == 0 && std::signbit(x); });
}

bool beyond_a_word(const Buffers& b) {
  const Words all = words(b, 0);
  return std::accumulate(all.begin(), all.end(), uint64_t{0}) > UINT32_MAX;
}

// Flags and heads, in buffer 1.

size_t flagged(const Buffers& b) {
  size_t out = 0;
  for (size_t i = 0; i < std::min(count<uint32_t>(b[0]), count<uint32_t>(b[1])); ++i)
    out += get<uint32_t>(b[1], i) != 0;
  return out;
}
bool all_flags(const Buffers& b) { return !b[0].empty() && flagged(b) == count<uint32_t>(b[0]); }
bool no_flag(const Buffers& b) { return !b[0].empty() && flagged(b) == 0; }
bool some_flags(const Buffers& b) { return flagged(b) > 0 && flagged(b) < count<uint32_t>(b[0]); }
bool a_flag_of_more_bits(const Buffers& b) {
  return std::ranges::any_of(words(b, 1), [](uint32_t flag) { return flag > 1; });
}
bool no_room_for_kept(const Buffers& b) { return count<uint32_t>(b[2]) < flagged(b); }

// Segments, between offsets in buffer 1.

template <typename Has>
bool any_segment(const Buffers& b, Has has) {
  const Words offsets = words(b, 1);
  return std::ranges::adjacent_find(offsets, has) != offsets.end();
}
bool an_empty_segment(const Buffers& b) { return any_segment(b, std::equal_to()); }
bool a_segment_turned(const Buffers& b) { return any_segment(b, std::greater()); }
bool a_long_segment(const Buffers& b) {
  return any_segment(b, [&](uint32_t from, uint32_t to) {
    return from < to && to <= count<uint32_t>(b[0]) && to - from >= 200;
  });
}
bool a_segment_outside(const Buffers& b) {
  return std::ranges::any_of(words(b, 1), [&](uint32_t at) { return at > count<uint32_t>(b[0]); });
}
bool no_room_for_segments(const Buffers& b) { return b[2].size() + sizeof(uint32_t) < b[1].size(); }

// Places, in buffer 1, of buffer 0 (gather) or 2 (scatter).

template <size_t kOf>
bool a_place_outside(const Buffers& b) {
  return std::ranges::any_of(words(b, 1), [&](uint32_t at) { return at >= count<uint32_t>(b[kOf]); });
}
bool a_place_twice(const Buffers& b) {
  Words at = words(b, 1);
  std::ranges::sort(at);
  return std::ranges::adjacent_find(at) != at.end();
}
bool each_place_once(const Buffers& b) {
  Words at = words(b, 1), all(at.size());
  std::iota(all.begin(), all.end(), 0);
  std::ranges::sort(at);
  return at.size() > 1 && at == all;
}

// A matrix.

std::pair<uint64_t, uint64_t> sides(const Buffers& b) {
  Words out = words(b, 2);
  out.resize(2);
  return {out[0], out[1]};
}
bool larger_than_input(const Buffers& b) { return sides(b).first * sides(b).second > count<uint32_t>(b[0]); }
bool a_side_of_none(const Buffers& b) { return sides(b).first * sides(b).second == 0; }
bool not_square(const Buffers& b) {
  const auto [rows, columns] = sides(b);
  return rows > 1 && columns > 1 && rows != columns && !larger_than_input(b);
}
bool several_tiles(const Buffers& b) {
  const auto [rows, columns] = sides(b);
  return rows > 32 && columns > 1 && !larger_than_input(b);
}
bool one_row_or_column(const Buffers& b) {
  const auto [rows, columns] = sides(b);
  return (rows == 1 || columns == 1) && rows * columns > 1 && !larger_than_input(b);
}
bool no_room_for_matrix(const Buffers& b) {
  return !larger_than_input(b) && count<uint32_t>(b[1]) < sides(b).first * sides(b).second;
}

// Runs and counts.

size_t runs(const Buffers& b) {
  const Words all = words(b, 0);
  size_t out = all.empty() ? 0 : 1;
  for (size_t i = 1; i < all.size(); ++i) out += all[i] != all[i - 1];
  return out;
}
bool runs_of_one(const Buffers& b) { return runs(b) > 1 && runs(b) == count<uint32_t>(b[0]); }
bool long_runs(const Buffers& b) { return runs(b) > 1 && count<uint32_t>(b[0]) / runs(b) >= 16; }
bool no_room_for_runs(const Buffers& b) { return count<uint32_t>(b[1]) < runs(b); }
bool many_bins(const Buffers& b) { return count<uint32_t>(b[1]) > 256; }
bool an_element_without_bin(const Buffers& b) {
  return std::ranges::any_of(words(b, 0), [&](uint32_t x) { return x >= count<uint32_t>(b[1]); });
}
bool most_in_one_bin(const Buffers& b) { return all_equal<uint32_t>(b) && !an_element_without_bin(b); }

// Searches and keys of two buffers.

/// Of the queries, of which `side` says how many elements are less, equal and greater.
template <typename Has>
bool any_query(const Buffers& b, Has has) {
  const Words in = words(b, 0);
  return std::ranges::any_of(words(b, 1), [&](uint32_t query) {
    const auto [from, to] = std::ranges::equal_range(in, query);
    return has(size_t(from - in.begin()), size_t(to - from), size_t(in.end() - to));
  });
}
bool a_query_of_several(const Buffers& b) {
  return any_query(b, [](size_t, size_t equal, size_t) { return equal > 1; });
}
bool a_query_between(const Buffers& b) {
  return any_query(b,
                   [](size_t less, size_t equal, size_t more) { return less > 0 && equal == 0 && more > 0; });
}
bool a_query_before_all(const Buffers& b) {
  return any_query(b, [](size_t less, size_t equal, size_t more) { return less + equal == 0 && more > 0; });
}
bool a_query_behind_all(const Buffers& b) {
  return any_query(b, [](size_t less, size_t equal, size_t more) { return equal + more == 0 && less > 0; });
}
uint64_t pairs(const Buffers& b) {
  std::unordered_map<uint32_t, uint64_t> counts;
  for (const uint32_t x : words(b, 0)) ++counts[x];
  uint64_t out = 0;
  for (const uint32_t x : words(b, 1)) {
    const auto found = counts.find(x);
    out += found == counts.end() ? 0 : found->second;
  }
  return out;
}
bool in_both(const Buffers& b) { return pairs(b) > 0; }
bool in_one_alone(const Buffers& b) { return !b[0].empty() && !b[1].empty() && pairs(b) == 0; }
bool many_pairs(const Buffers& b) { return pairs(b) > count<uint32_t>(b[0]) + count<uint32_t>(b[1]); }
bool no_room_for_pairs(const Buffers& b) {
  return std::min(count<uint32_t>(b[2]), count<uint32_t>(b[3])) < pairs(b);
}
bool one_before_the_other(const Buffers& b) {
  const Words first = words(b, 0), second = words(b, 1);
  return !first.empty() && !second.empty() &&
         (first.back() < second.front() || second.back() < first.front());
}
bool no_room_for_both(const Buffers& b) { return b[2].size() < b[0].size() + b[1].size(); }

// Hash tables.

size_t different(const Buffers& b) {
  Words all = words(b, 0);
  std::erase(all, UINT32_MAX);
  std::ranges::sort(all);
  return all.size() - std::ranges::unique(all).size();
}
size_t slots(const Buffers& b, size_t table) { return std::max<size_t>(count<uint32_t>(b[table]), 1) - 1; }
bool too_many_keys(const Buffers& b) { return different(b) > slots(b, 1); }
bool as_many_slots_as_keys(const Buffers& b) { return different(b) > 1 && different(b) == slots(b, 1); }
template <size_t kBuffer>
bool all_ones(const Buffers& b) {
  return contains(words(b, kBuffer), UINT32_MAX);
}
bool table_full(const Buffers& b) {
  const Words table = words(b, 0);
  return table.size() > 2 && std::ranges::find(table.begin(), table.end() - 1, 0U) == table.end() - 1;
}
size_t found(const Buffers& b) {
  const Words table = words(b, 0), queries = words(b, 2);
  std::unordered_map<uint32_t, bool> known;
  for (size_t s = 0; s < slots(b, 0); ++s) known[table[s]] = true;
  return size_t(
      std::ranges::count_if(queries, [&](uint32_t x) { return x != UINT32_MAX && known.contains(x + 1); }));
}
bool some_found(const Buffers& b) { return found(b) > 0; }
bool some_not_found(const Buffers& b) { return found(b) < count<uint32_t>(b[2]); }

template <size_t kParam>
bool no_parameter(const Buffers& b) {
  return count<uint32_t>(b[1]) <= kParam;
}
bool numbers_wrap(const Buffers& b) {
  const size_t n = count<uint32_t>(b[0]);
  return n > 1 && count<uint32_t>(b[1]) > 1 &&
         get<uint32_t>(b[1], 0) + uint64_t{get<uint32_t>(b[1], 1)} * (n - 1) > UINT32_MAX;
}

#define OF_U64 "collection.sort_u64 collection.sort_pairs_u64"
#define NOT_U64 "collection.* !collection.sort_u64 !collection.sort_pairs_u64"
#define FLOATS "collection.reduce_f* collection.scan_*_f* collection.sort_f32 collection.sort_pairs_f32"
#define AS_LONG "collection.scan_* collection.reverse collection.sort_* !collection.sort_pairs_*"
#define FLAGS "collection.compact collection.partition"
#define OF_KEYS(operations, Key)                                                                          \
  {operations, "elements in order", in_order<Key>}, {operations, "elements in reverse", in_reverse<Key>}, \
      {operations, "all elements equal", all_equal<Key>}, {                                               \
    operations, "some elements equal", some_equal<Key>                                                    \
  }

constexpr CaseClass kClasses[] = {
    {NOT_U64, "no elements", no_elements<uint32_t>},
    {NOT_U64, "one element", one_element<uint32_t>},
    {OF_U64, "no elements", no_elements<uint64_t>},
    {OF_U64, "one element", one_element<uint64_t>},
    {"collection.*", "more than a block of elements", several_blocks},
    {AS_LONG, "an output that is too short", shorter<1, 0>},
    {AS_LONG, "an output that is longer", longer<1, 0>},
    {"collection.sort_pairs_* collection.partition collection.segmented_scan*", "an output that is too short",
     shorter<2, 0>},
    {"collection.sort_pairs_* collection.partition collection.segmented_scan*", "an output that is longer",
     longer<2, 0>},
    {"collection.gather collection.lower_bound collection.upper_bound", "an output that is too short",
     shorter<2, 1>},
    {"collection.gather collection.lower_bound collection.upper_bound", "an output that is longer",
     longer<2, 1>},
    {"collection.reduce_*", "no output", nothing_in<1>},

    {FLOATS, "a NaN", a_nan},
    {FLOATS, "an infinity", an_infinity},
    {FLOATS, "a subnormal", a_subnormal},
    {FLOATS, "zeros of both signs", zeros_of_both_signs},
    {"collection.*_add collection.*_add_sat collection.segmented_reduce collection.segmented_scan",
     "a sum beyond ffffffff", beyond_a_word},

    {FLAGS, "all flags", all_flags},
    {FLAGS, "no flag", no_flag},
    {FLAGS, "some flags", some_flags},
    {FLAGS, "a flag that is more than 1", a_flag_of_more_bits},
    {FLAGS, "fewer flags than elements", shorter<1, 0>},
    {"collection.compact", "no room for all that are kept", no_room_for_kept},
    {"collection.segmented_scan*", "each element a head", all_flags},
    {"collection.segmented_scan*", "no head", no_flag},
    {"collection.segmented_scan*", "some heads", some_flags},
    {"collection.segmented_scan*", "fewer heads than elements", shorter<1, 0>},
    {"collection.segmented_reduce*", "an empty segment", an_empty_segment},
    {"collection.segmented_reduce*", "a segment of 200 or more", a_long_segment},
    {"collection.segmented_reduce*", "an end below its start", a_segment_turned},
    {"collection.segmented_reduce*", "an offset outside", a_segment_outside},
    {"collection.segmented_reduce*", "no room for all segments", no_room_for_segments},

    {"collection.fill", "no value", no_parameter<0>},
    {"collection.iota", "no step", no_parameter<1>},
    {"collection.iota", "numbers that wrap", numbers_wrap},
    {"collection.transpose", "one row or column", one_row_or_column},
    {"collection.transpose", "not a square", not_square},
    {"collection.transpose", "several tiles", several_tiles},
    {"collection.transpose", "larger than the input", larger_than_input},
    {"collection.transpose", "no rows or no columns", a_side_of_none},
    {"collection.transpose", "no room for the matrix", no_room_for_matrix},
    {"collection.gather", "a place outside", a_place_outside<0>},
    {"collection.scatter", "a place outside", a_place_outside<2>},
    {"collection.gather collection.scatter", "a place twice", a_place_twice},
    {"collection.gather collection.scatter", "a permutation", each_place_once},
    {"collection.scatter", "fewer places than elements", shorter<1, 0>},
    {"collection.scatter", "more places than elements", longer<1, 0>},

    {"collection.unique collection.run_length", "all elements equal", all_equal<uint32_t>},
    {"collection.unique collection.run_length", "runs of one element", runs_of_one},
    {"collection.unique collection.run_length", "runs of 16 and more", long_runs},
    {"collection.unique collection.run_length", "no room for all runs", no_room_for_runs},
    {"collection.histogram", "no bins", nothing_in<1>},
    {"collection.histogram", "more than 256 bins", many_bins},
    {"collection.histogram", "an element without a bin", an_element_without_bin},
    {"collection.histogram", "all in one bin", most_in_one_bin},

    OF_KEYS("collection.sort_u32 collection.sort_pairs_u32 collection.top_k", uint32_t),
    OF_KEYS("collection.sort_i32 collection.sort_pairs_i32", int32_t),
    OF_KEYS("collection.sort_f32 collection.sort_pairs_f32", float),
    OF_KEYS(OF_U64, uint64_t),
    {"collection.sort_i32 collection.sort_pairs_i32 collection.sort_f32 collection.sort_pairs_f32",
     "elements of both signs", of_both_signs},
    {"collection.sort_pairs_* !collection.sort_pairs_u64", "fewer values than keys", shorter<1, 0>},
    {"collection.top_k", "some of the elements", shorter<1, 0>},
    {"collection.top_k", "fewer indices than values", shorter<2, 1>},

    {"collection.lower_bound collection.upper_bound", "a query that several elements equal",
     a_query_of_several},
    {"collection.lower_bound collection.upper_bound", "a query between elements", a_query_between},
    {"collection.lower_bound collection.upper_bound", "a query less than all", a_query_before_all},
    {"collection.lower_bound collection.upper_bound", "a query greater than all", a_query_behind_all},
    {"collection.merge", "an element in both", in_both},
    {"collection.merge", "one before the other", one_before_the_other},
    {"collection.merge", "one that is empty", nothing_in<1>},
    {"collection.merge", "no room for both", no_room_for_both},
    {"collection.join", "no pair", in_one_alone},
    {"collection.join", "more pairs than keys", many_pairs},
    {"collection.join", "no room for all pairs", no_room_for_pairs},
    {"collection.join", "no right key", nothing_in<1>},

    {"collection.hash_build", "some keys equal", some_equal<uint32_t>},
    {"collection.hash_build", "the key ffffffff", all_ones<0>},
    {"collection.hash_build", "more keys than slots", too_many_keys},
    {"collection.hash_build", "as many slots as keys", as_many_slots_as_keys},
    {"collection.hash_build", "fewer places than slots", shorter<2, 1>},
    {"collection.hash_find", "a table with no slot empty", table_full},
    {"collection.hash_find", "a query that is found", some_found},
    {"collection.hash_find", "a query that is not found", some_not_found},
    {"collection.hash_find", "the query ffffffff", all_ones<2>},
    {"collection.hash_find", "an output that is too short", shorter<3, 2>},
};
#undef OF_U64
#undef NOT_U64
#undef FLOATS
#undef AS_LONG
#undef FLAGS
#undef OF_KEYS

}  // namespace
}  // namespace array_cases

std::span<const CaseClass> array_classes() { return array_cases::kClasses; }

}  // namespace vyre::opspec
