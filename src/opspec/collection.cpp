// Collections: the standard library's algorithms are the references where it has one.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <limits>
#include <map>
#include <numeric>

#include "opspec/arrays.h"

namespace vyre::opspec {

// Of this file alone, also where several files are compiled as one.
namespace collection {
namespace {

// Folds of words, and what changes nothing.
using Fold = uint32_t (*)(uint32_t, uint32_t);
constexpr uint32_t kOnes = 0xffff'ffff;
uint32_t add(uint32_t a, uint32_t b) { return a + b; }
uint32_t least(uint32_t a, uint32_t b) { return std::min(a, b); }
uint32_t greatest(uint32_t a, uint32_t b) { return std::max(a, b); }
uint32_t bit_and(uint32_t a, uint32_t b) { return a & b; }
uint32_t bit_or(uint32_t a, uint32_t b) { return a | b; }
uint32_t bit_xor(uint32_t a, uint32_t b) { return a ^ b; }
uint32_t add_sat(uint32_t a, uint32_t b) { return uint32_t(std::min<uint64_t>(uint64_t(a) + b, kOnes)); }

// Folds of floats: of NaNs there is one, and -0 is less than +0.
using FoldFloats = float (*)(float, float);
float the_nan(float x) { return std::isnan(x) ? std::numeric_limits<float>::quiet_NaN() : x; }
float fadd(float a, float b) { return the_nan(a + b); }
float fmul(float a, float b) { return the_nan(a * b); }
float fmin(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return the_nan(std::isnan(a) ? b : a);
  return std::is_lt(std::strong_order(a, b)) ? a : b;
}
float fmax(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return the_nan(std::isnan(a) ? b : a);
  return std::is_gt(std::strong_order(a, b)) ? a : b;
}
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// std::accumulate, std::inclusive_scan, std::exclusive_scan.
template <Fold kFold, uint32_t kIdentity>
void reduce(Buffers& buffers) {
  const Words in = elements<uint32_t>(buffers[0]);
  put(buffers[1], 0, std::accumulate(in.begin(), in.end(), kIdentity, kFold));
}
template <Fold kFold, uint32_t kIdentity>
void scan_inclusive(Buffers& buffers) {
  Words words = elements<uint32_t>(buffers[0]);
  std::inclusive_scan(words.begin(), words.end(), words.begin(), kFold);
  leave(buffers[1], words);
}
template <Fold kFold, uint32_t kIdentity>
void scan_exclusive(Buffers& buffers) {
  Words words = elements<uint32_t>(buffers[0]);
  words.push_back(0);
  std::exclusive_scan(words.begin(), words.end(), words.begin(), kIdentity, kFold);
  leave(buffers[1], words);
}

/// A segment by itself, and all of its elements up to each.
template <Fold kFold, uint32_t kIdentity>
void segmented_scan(Buffers& buffers) {
  Words words = elements<uint32_t>(buffers[0]);
  size_t begin = 0;
  for (size_t i = 1; i <= words.size(); ++i) {
    const bool ends =
        i == words.size() || (i < count<uint32_t>(buffers[1]) && get<uint32_t>(buffers[1], i) != 0);
    if (!ends) continue;
    std::partial_sum(words.begin() + ptrdiff_t(begin), words.begin() + ptrdiff_t(i),
                     words.begin() + ptrdiff_t(begin), kFold);
    begin = i;
  }
  leave(buffers[2], words);
}
template <Fold kFold, uint32_t kIdentity>
void segmented_reduce(Buffers& buffers) {
  const Words words = elements<uint32_t>(buffers[0]);
  const Words offsets = elements<uint32_t>(buffers[1]);
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    const size_t begin = std::min<size_t>(offsets[i], words.size());
    const size_t end = std::clamp<size_t>(offsets[i + 1], begin, words.size());
    put(buffers[2], i,
        std::accumulate(words.begin() + ptrdiff_t(begin), words.begin() + ptrdiff_t(end), kIdentity, kFold));
  }
}

/// The canonical tree, by its definition.
template <FoldFloats kFold>
float tree(std::span<const float> x, float identity) {
  if (x.empty()) return identity;
  if (x.size() == 1) return the_nan(x[0]);
  const size_t left = std::bit_floor(x.size() - 1);
  return kFold(tree<kFold>(x.first(left), identity), tree<kFold>(x.subspan(left), identity));
}
template <FoldFloats kFold, float kIdentity>
void reduce_floats(Buffers& buffers) {
  put(buffers[1], 0, tree<kFold>(elements<float>(buffers[0]), kIdentity));
}
/// The tree of each beginning, from `kFirst` elements on. Left parts are as many elements as a power of two
/// and come again and again, so the tree of each is made once.
template <FoldFloats kFold, float kIdentity, size_t kFirst>
void scan_floats(Buffers& buffers) {
  const std::vector<float> x = elements<float>(buffers[0]);
  std::vector<std::vector<float>> parts(size_t(std::bit_width(x.size())));  // by the power
  for (size_t k = 0; k < parts.size(); ++k)
    for (size_t begin = 0; begin + (size_t{1} << k) <= x.size(); begin += size_t{1} << k)
      parts[k].push_back(tree<kFold>(std::span(x).subspan(begin, size_t{1} << k), kIdentity));
  const auto of = [&](const auto& self, size_t begin, size_t n) -> float {
    if (n == 0) return kIdentity;
    const size_t left = std::bit_floor(n);
    const float part = parts[size_t(std::countr_zero(left))][begin / left];
    return n == left ? part : kFold(part, self(self, begin + left, n - left));
  };
  for (size_t n = kFirst; n <= x.size(); ++n) put(buffers[1], n - kFirst, of(of, 0, n));
}

// Generators of one input and one output.

Buffers one_word(RandomStream& random, uint32_t size) {
  return {buffer_of(any_words(random, size)), one_or_so(random)};
}
Buffers as_many(RandomStream& random, uint32_t size) {
  return {buffer_of(any_words(random, size)), room(random, size)};
}
Buffers one_more(RandomStream& random, uint32_t size) {
  return {buffer_of(any_words(random, size)), room(random, size + random.below(2))};
}

/// Numbers that round, of about one magnitude or of all; NaNs, infinities, zeros and subnormals among them or
/// not.
std::vector<float> any_floats(RandomStream& random, size_t n) {
  constexpr uint32_t kSpecial[] = {0x0000'0000, 0x8000'0000, 0x7f80'0000, 0xff80'0000,
                                   0x7fc0'0000, 0xffc0'0000, 0xffa1'2345, 0x7f80'0001,
                                   0x0000'0001, 0x807f'ffff, 0x7f7f'ffff, 0x3f80'0000};
  constexpr uint32_t kOneIn[] = {0, 0, 0, 1, 2, 16, 64};  // how many of them; 0: none
  const uint32_t kind = random.below(4);
  const uint32_t special = kOneIn[random.below(uint32_t(std::size(kOneIn)))];
  std::vector<float> out(n);
  for (float& x : out) {
    const uint32_t word = random.next();
    uint32_t bits = word;                                          // any
    if (kind == 1) bits = 0x3f00'0000 + (word & 0x80ff'ffff);      // from a half to two, either sign
    if (kind == 2) bits = 0x3f00'0000 + (word & 0x00ff'ffff);      // positive
    if (kind == 3) bits = 0x3000'0000 + (word & 0x9fff'ffff) / 2;  // of all magnitudes
    if (special != 0 && random.chance(special)) bits = kSpecial[random.below(uint32_t(std::size(kSpecial)))];
    x = std::bit_cast<float>(bits);
  }
  return out;
}
Buffers one_float(RandomStream& random, uint32_t size) {
  return {buffer_of(any_floats(random, size)), one_or_so(random)};
}
Buffers as_many_floats(RandomStream& random, uint32_t size) {
  return {buffer_of(any_floats(random, size)), room(random, size + random.below(2))};
}

/// Marks of which one in `one_in` is not 0.
Words marks(RandomStream& random, size_t n) {
  const uint32_t one_in = 1U << random.below(10);
  Words out(n);
  for (uint32_t& mark : out) mark = random.chance(one_in) ? random.next() | 1 : 0;
  return out;
}
Buffers marked(RandomStream& random, uint32_t size) {
  return {buffer_of(any_words(random, size)), buffer_of(marks(random, about(random, size))),
          room(random, size)};
}
Buffers marked_and_counted(RandomStream& random, uint32_t size) {
  Buffers out = marked(random, size);
  if (random.chance(4)) out[2] = room(random, size / 4);
  out.push_back(one_or_so(random));
  return out;
}

/// Segments that follow one another, mostly short, or any two ends.
Buffers segments(RandomStream& random, uint32_t size) {
  const uint32_t n = random.below(std::min(size, 500U) + 1);
  Words offsets(n == 0 ? random.below(2) : n + 1);
  const bool anywhere = random.chance(4);
  for (uint32_t& offset : offsets)
    offset = random.below(size + 1) + (anywhere && random.chance(20) ? size : 0);
  if (!anywhere) std::ranges::sort(offsets);
  if (!offsets.empty() && random.chance(16)) offsets[random.below(uint32_t(offsets.size()))] = random.next();
  return {buffer_of(any_words(random, size)), buffer_of(offsets), room(random, n)};
}

void fill(Buffers& buffers) {
  const Words params = elements<uint32_t>(buffers[1]);
  leave(buffers[0], Words(count<uint32_t>(buffers[0]), params.empty() ? 0 : params[0]));
}
void iota(Buffers& buffers) {
  Words params = elements<uint32_t>(buffers[1]);
  params.resize(2);
  uint32_t value = params[0];
  for (size_t i = 0; i < count<uint32_t>(buffers[0]); ++i, value += params[1]) put(buffers[0], i, value);
}
template <uint32_t kParams>
Buffers made(RandomStream& random, uint32_t size) {
  const uint32_t params = random.chance(4) ? random.below(kParams + 2) : kParams;
  return {noise(random, size_t{4} * size), noise(random, size_t{4} * params)};
}

/// std::reverse.
void reverse(Buffers& buffers) {
  Words words = elements<uint32_t>(buffers[0]);
  std::ranges::reverse(words);
  leave(buffers[1], words);
}

void transpose(Buffers& buffers) {
  const Words in = elements<uint32_t>(buffers[0]);
  Words params = elements<uint32_t>(buffers[2]);
  params.resize(2);
  const uint64_t rows = params[0];
  const uint64_t columns = params[1];
  if (rows * columns > in.size()) return;
  for (size_t i = 0; i < rows * columns; ++i) put(buffers[1], i % columns * rows + i / columns, in[i]);
}
Buffers matrix(RandomStream& random, uint32_t size) {
  uint32_t rows = 1 + random.below(random.chance(2) ? 100 : size + 1);
  uint32_t columns = size / rows;
  if (random.chance(2)) std::swap(rows, columns);
  Buffers out = {buffer_of(any_words(random, size)), room(random, size_t{rows} * columns)};
  if (random.chance(10)) rows = random.chance(2) ? random.next() : 0;
  if (random.chance(10)) columns = random.chance(2) ? random.next() : 0;
  out.push_back(buffer_of(random.chance(20) ? Words{rows} : Words{rows, columns}));
  return out;
}

void gather(Buffers& buffers) {
  const Words in = elements<uint32_t>(buffers[0]);
  Words out;
  for (const uint32_t index : elements<uint32_t>(buffers[1]))
    out.push_back(index < in.size() ? in[index] : 0);
  leave(buffers[2], out);
}
/// Places below n, some of them beyond; or a permutation, with a few that are there twice.
Words places(RandomStream& random, size_t n) {
  Words out(n);
  const uint32_t kind = random.below(3);
  std::iota(out.begin(), out.end(), 0);
  for (uint32_t i = 0; i < n; ++i) {
    if (kind == 0) out[i] = random.below(uint32_t(n + n / 8 + 1));
    if (kind > 0) std::swap(out[i], out[random.below(i + 1)]);
  }
  if (kind == 2 && n > 0)
    for (uint32_t k = random.below(4); k > 0; --k) {
      const uint32_t from = random.below(uint32_t(n));
      out[random.below(uint32_t(n))] = random.chance(3) ? random.next() : out[from];
    }
  return out;
}
Buffers placed(RandomStream& random, uint32_t size) {
  return {buffer_of(any_words(random, size)), buffer_of(places(random, about(random, size))),
          room(random, size)};
}
Buffers placed_with_status(RandomStream& random, uint32_t size) {
  Buffers out = placed(random, size);
  out.push_back(noise(random, size_t{4} * (1 + random.below(3))));
  return out;
}
/// One by one, and the first one for a place has it.
void scatter(Buffers& buffers) {
  const Words in = elements<uint32_t>(buffers[0]);
  const Words indices = elements<uint32_t>(buffers[1]);
  std::vector<bool> taken(count<uint32_t>(buffers[2]));
  uint32_t late = 0;
  uint32_t outside = 0;
  for (uint32_t i = 0; i < std::min(in.size(), indices.size()); ++i) {
    if (indices[i] >= taken.size()) {
      outside = outside == 0 ? i + 1 : outside;
    } else if (taken[indices[i]]) {
      late = late == 0 ? i + 1 : late;
    } else {
      taken[indices[i]] = true;
      put(buffers[2], indices[i], in[i]);
    }
  }
  leave(buffers[3], Words{late, outside});
}

/// The elements with a mark, or those without.
Words chosen(const Buffers& buffers, bool with) {
  Words out;
  for (size_t i = 0; i < count<uint32_t>(buffers[0]); ++i) {
    const bool mark = i < count<uint32_t>(buffers[1]) && get<uint32_t>(buffers[1], i) != 0;
    if (mark == with) out.push_back(get<uint32_t>(buffers[0], i));
  }
  return out;
}
void compact(Buffers& buffers) {
  const Words kept = chosen(buffers, true);
  leave(buffers[2], kept);
  put(buffers[3], 0, uint32_t(kept.size()));
}
void partition(Buffers& buffers) {
  Words all = chosen(buffers, true);
  put(buffers[3], 0, uint32_t(all.size()));
  std::ranges::copy(chosen(buffers, false), std::back_inserter(all));
  leave(buffers[2], all);
}

/// std::unique.
void unique(Buffers& buffers) {
  Words words = elements<uint32_t>(buffers[0]);
  const auto rest = std::ranges::unique(words);
  words.erase(rest.begin(), rest.end());
  leave(buffers[1], words);
  put(buffers[2], 0, uint32_t(words.size()));
}
void run_length(Buffers& buffers) {
  Words values;
  Words lengths;
  for (const uint32_t x : elements<uint32_t>(buffers[0])) {
    if (values.empty() || values.back() != x) {
      values.push_back(x);
      lengths.push_back(0);
    }
    ++lengths.back();
  }
  leave(buffers[1], values);
  leave(buffers[2], lengths);
  put(buffers[3], 0, uint32_t(values.size()));
}
Words runs(RandomStream& random, size_t n) {
  const uint32_t one_in = 1U << random.below(10);
  Words out(n);
  for (size_t i = 0; i < n; ++i) out[i] = i == 0 || random.chance(one_in) ? random.below(4) : out[i - 1];
  return out;
}
template <size_t kOutputs>
Buffers of_runs(RandomStream& random, uint32_t size) {
  Buffers out = {buffer_of(random.chance(4) ? any_words(random, size) : runs(random, size))};
  for (size_t i = 0; i < kOutputs; ++i) out.push_back(room(random, size));
  out.push_back(one_or_so(random));
  return out;
}

void histogram(Buffers& buffers) {
  Words bins(count<uint32_t>(buffers[1]));
  for (const uint32_t x : elements<uint32_t>(buffers[0]))
    if (x < bins.size()) ++bins[x];
  leave(buffers[1], bins);
}
Buffers counted(RandomStream& random, uint32_t size) {
  constexpr uint32_t kBins[] = {0, 1, 2, 63, 64, 255, 256, 257, 1'000, 5'000};
  const uint32_t bins = kBins[random.below(uint32_t(std::size(kBins)))];
  Words words = any_words(random, size);
  if (random.chance(2))
    for (uint32_t& word : words) word %= bins + 1 + random.below(2);
  return {buffer_of(words), noise(random, size_t{4} * bins)};
}

// std::sort; of floats by std::strong_order, which is the total order of IEEE 754. Of equal keys the first
// place is less.
template <typename T>
bool less(const T& a, const T& b) {
  return std::is_lt(std::strong_order(a, b));
}
/// The places of the elements in their order.
template <typename T>
Words ordered(const std::vector<T>& keys, bool (*before)(const T&, const T&)) {
  Words out(keys.size());
  std::iota(out.begin(), out.end(), 0);
  std::ranges::sort(out, [&](uint32_t a, uint32_t b) {
    return before(keys[a], keys[b]) || (!before(keys[b], keys[a]) && a < b);
  });
  return out;
}
template <typename T>
void sort(Buffers& buffers) {
  std::vector<T> values = elements<T>(buffers[0]);
  std::ranges::sort(values, less<T>);
  leave(buffers[1], values);
}
template <typename T>
void sort_pairs(Buffers& buffers) {
  const std::vector<T> keys = elements<T>(buffers[0]);
  Words values = elements<uint32_t>(buffers[1]);
  values.resize(keys.size());
  const Words order = ordered(keys, less<T>);
  for (size_t i = 0; i < order.size(); ++i) {
    put(buffers[2], i, keys[order[i]]);
    put(buffers[3], i, values[order[i]]);
  }
}
template <typename T>
Buffer any_keys(RandomStream& random, size_t n) {
  if constexpr (sizeof(T) == 4) {
    if (std::is_same_v<T, float> && random.chance(2)) return buffer_of(any_floats(random, n));
    return buffer_of(any_words(random, n));
  } else {
    // One half is often the same in all keys, so that the other one decides.
    const uint32_t same = random.below(3);
    const Words high = same == 1 ? Words(n, random.next()) : any_words(random, n);
    const Words low = same == 2 ? Words(n, random.next()) : any_words(random, n);
    std::vector<uint64_t> keys(n);
    for (size_t i = 0; i < n; ++i) keys[i] = uint64_t(high[i]) << 32 | low[i];
    return buffer_of(keys);
  }
}
template <typename T>
Buffers keys(RandomStream& random, uint32_t size) {
  return {any_keys<T>(random, size), room(random, size, sizeof(T))};
}
template <typename T>
Buffers keys_and_values(RandomStream& random, uint32_t size) {
  return {any_keys<T>(random, size), buffer_of(any_words(random, about(random, size))),
          room(random, size, sizeof(T)), room(random, size)};
}

void top_k(Buffers& buffers) {
  const Words in = elements<uint32_t>(buffers[0]);
  Words order = ordered<uint32_t>(in, [](const uint32_t& a, const uint32_t& b) { return a > b; });
  order.resize(std::min(order.size(), count<uint32_t>(buffers[1])));
  for (size_t j = 0; j < order.size(); ++j) {
    put(buffers[1], j, in[order[j]]);
    put(buffers[2], j, order[j]);
  }
}
Buffers some_of(RandomStream& random, uint32_t size) {
  const size_t k = random.chance(3) ? size : random.below(size + 1);
  return {buffer_of(any_words(random, size)), room(random, k), room(random, k)};
}

// std::lower_bound, std::upper_bound, std::merge.
template <auto kBound>
void bound(Buffers& buffers) {
  const Words sorted = elements<uint32_t>(buffers[0]);
  Words out;
  for (const uint32_t query : elements<uint32_t>(buffers[1]))
    out.push_back(uint32_t(kBound(sorted.begin(), sorted.end(), query) - sorted.begin()));
  leave(buffers[2], out);
}
using Iterator = Words::const_iterator;
void merge(Buffers& buffers) {
  const Words a = elements<uint32_t>(buffers[0]);
  const Words b = elements<uint32_t>(buffers[1]);
  Words out;
  std::ranges::merge(a, b, std::back_inserter(out));
  leave(buffers[2], out);
}
/// Its inputs are ascending.
void ascending(Buffers& buffers, const Buffers&) {
  for (Buffer& buffer : std::span(buffers).first(2)) {
    Words words = elements<uint32_t>(buffer);
    std::ranges::sort(words);
    leave(buffer, words);
  }
}
Words sorted_words(RandomStream& random, size_t n) {
  Words out = any_words(random, n);
  std::ranges::sort(out);
  return out;
}
/// Queries are elements, their neighbours, or any words.
Buffers queried(RandomStream& random, uint32_t size) {
  const Words sorted = sorted_words(random, size);
  Words queries = any_words(random, about(random, size));
  if (size > 0 && random.chance(2))
    for (uint32_t& query : queries) query = sorted[random.below(size)] + random.below(3) - 1;
  const size_t n = queries.size();
  return {buffer_of(sorted), buffer_of(queries), room(random, n)};
}
Buffers two_sorted(RandomStream& random, uint32_t size) {
  const Words a = sorted_words(random, size);
  Words b = sorted_words(random, random.below(size + 1));
  if (random.chance(3)) b = a;
  Buffers out = {buffer_of(a), buffer_of(b), room(random, a.size() + b.size())};
  if (random.chance(2)) std::swap(out[0], out[1]);
  return out;
}

/// Of each left key all right places, from an ordered map.
void join(Buffers& buffers) {
  std::map<uint32_t, Words> partners;
  uint32_t place = 0;
  for (const uint32_t key : elements<uint32_t>(buffers[1])) partners[key].push_back(place++);
  size_t pair = 0;
  uint32_t i = 0;
  for (const uint32_t key : elements<uint32_t>(buffers[0])) {
    for (const uint32_t j : partners[key]) {
      put(buffers[2], pair, i);
      put(buffers[3], pair++, j);
    }
    ++i;
  }
  put(buffers[4], 0, uint32_t(std::min<size_t>(pair, kOnes)));
}
Buffers two_lists(RandomStream& random, uint32_t size) {
  const uint32_t n = std::min(size, 3'000U);
  Words left = any_words(random, n);
  Words right = any_words(random, random.below(n + 1));
  if (n > 0 && !random.chance(6))
    for (uint32_t& key : right) key = random.chance(3) ? key : left[random.below(n)];
  return {buffer_of(left), buffer_of(right), room(random, n), room(random, n), one_or_so(random)};
}

// Hash tables: the greatest key first, for which the first slot that is empty is the place.
uint32_t home(uint32_t x, size_t slots) {
  x = (x ^ x >> 16) * 0x85eb'ca6b;
  x = (x ^ x >> 13) * 0xc2b2'ae35;
  return uint32_t((x ^ x >> 16) * uint64_t(slots) >> 32);
}
struct Table {
  Words keys;
  Words places;
  bool full = false;
};
Table table_of(const Words& keys, size_t words) {
  std::map<uint32_t, uint32_t, std::greater<>> first;  // the least place of each
  for (uint32_t i = 0; i < keys.size(); ++i) first.emplace(keys[i], i);
  Table out = {Words(words), Words(words, kOnes)};
  const size_t slots = words - (words == 0 ? 0 : 1);
  const auto last = first.find(kOnes);
  if (first.size() - (last != first.end() ? 1 : 0) > slots) {
    out.full = true;
    return out;
  }
  for (const auto& [key, place] : first) {
    size_t at = slots;
    if (key != kOnes)
      for (at = home(key + 1, slots); out.keys[at] != 0; at = (at + 1) % slots) continue;
    if (at == words) continue;  // there is no room for ffffffff
    out.keys[at] = key == kOnes ? 1 : key + 1;
    out.places[at] = place;
  }
  return out;
}
void hash_build(Buffers& buffers) {
  const Table table = table_of(elements<uint32_t>(buffers[0]), count<uint32_t>(buffers[1]));
  leave(buffers[1], table.keys);
  leave(buffers[2], table.places);
  put(buffers[3], 0, uint32_t(table.full));
}
size_t different(Words keys) {
  std::ranges::sort(keys);
  return keys.size() - std::ranges::unique(keys).size();
}
/// Of twice as many slots as keys, just enough, one too few, or any number.
Buffers to_build(RandomStream& random, uint32_t size) {
  Words keys = any_words(random, std::min(size, 3'000U));
  if (!keys.empty() && random.chance(2)) keys[random.below(uint32_t(keys.size()))] = kOnes;
  const size_t distinct = different(keys);
  size_t words = distinct * 2 + 1;
  if (random.chance(3)) words = distinct + random.below(3);
  if (random.chance(10)) words = random.below(uint32_t(distinct) + 2);
  if (random.chance(16)) words = 0;
  return {buffer_of(keys), noise(random, words * 4), room(random, words), one_or_so(random)};
}
/// Looks where the text of the table says nothing: in the keys that it was made of.
void hash_find(Buffers& buffers) {
  const Words table = elements<uint32_t>(buffers[0]);
  const Words places = elements<uint32_t>(buffers[1]);
  std::map<uint32_t, uint32_t> known;
  for (size_t s = 0; s < std::min(table.size(), places.size()); ++s)
    if (table[s] != 0) known.emplace(s + 1 == table.size() ? kOnes : table[s] - 1, places[s]);
  Words out;
  for (const uint32_t query : elements<uint32_t>(buffers[2])) {
    const auto found = known.find(query);
    out.push_back(found == known.end() ? kOnes : found->second);
  }
  leave(buffers[3], out);
}
Buffers to_find(RandomStream& random, uint32_t size) {
  Buffers built = to_build(random, size);
  const Words keys = elements<uint32_t>(built[0]);
  built[2] = built[1];
  hash_build(built);
  Words queries = any_words(random, size);
  for (uint32_t& query : queries) {
    if (!keys.empty() && random.chance(2)) query = keys[random.below(uint32_t(keys.size()))];
    if (random.chance(50)) query = kOnes;
  }
  return {built[1], built[2], buffer_of(queries), room(random, size)};
}
/// The table of the keys that are in it; `places` may be any.
void built(Buffers& buffers, const Buffers&) {
  const Words table = elements<uint32_t>(buffers[0]);
  Words keys;
  for (size_t s = 0; s < table.size(); ++s)
    if (table[s] != 0) keys.push_back(s + 1 == table.size() ? kOnes : table[s] - 1);
  leave(buffers[0], table_of(keys, table.size()).keys);
}
/// A table stays whole, whatever else is cut.
std::vector<Buffers> fewer_queries(const Buffers& buffers) {
  std::vector<Buffers> out;
  for (const Buffers& less : with_less({buffers[2], buffers[3]}))
    out.push_back({buffers[0], buffers[1], less[0], less[1]});
  return out;
}

#define FOLDS(row)                                                                                   \
  row("add", add, 0), row("min", least, kOnes), row("max", greatest, 0), row("and", bit_and, kOnes), \
      row("or", bit_or, 0), row("xor", bit_xor, 0)
#define FOLDS_OF_FLOATS(row)                                                      \
  row("fadd", fadd, 0.0F), row("fmul", fmul, 1.0F), row("fmin", fmin, kInfinity), \
      row("fmax", fmax, -kInfinity)
#define REDUCE(name, fold, identity) {"collection.reduce_" name, one_word, reduce<fold, identity>, with_less}
#define SCAN_INCLUSIVE(name, fold, identity) \
  {"collection.scan_inclusive_" name, as_many, scan_inclusive<fold, identity>, with_less}
#define SCAN_EXCLUSIVE(name, fold, identity) \
  {"collection.scan_exclusive_" name, one_more, scan_exclusive<fold, identity>, with_less}
#define SEGMENTED_SCAN(name, fold, identity) \
  {"collection.segmented_scan_" name, marked, segmented_scan<fold, identity>, with_less}
#define SEGMENTED_REDUCE(name, fold, identity) \
  {"collection.segmented_reduce_" name, segments, segmented_reduce<fold, identity>, with_less}
#define REDUCE_FLOATS(name, fold, identity) \
  {"collection.reduce_" name, one_float, reduce_floats<fold, identity>, with_less}
#define SCAN_FLOATS_INCLUSIVE(name, fold, identity) \
  {"collection.scan_inclusive_" name, as_many_floats, scan_floats<fold, identity, 1>, with_less}
#define SCAN_FLOATS_EXCLUSIVE(name, fold, identity) \
  {"collection.scan_exclusive_" name, as_many_floats, scan_floats<fold, identity, 0>, with_less}

constexpr OperationSpec kOperations[] = {
    FOLDS(REDUCE),
    REDUCE("add_sat", add_sat, 0),
    FOLDS(SCAN_INCLUSIVE),
    SCAN_INCLUSIVE("add_sat", add_sat, 0),
    FOLDS(SCAN_EXCLUSIVE),
    SCAN_EXCLUSIVE("add_sat", add_sat, 0),
    FOLDS(SEGMENTED_SCAN),
    {"collection.segmented_scan", marked, segmented_scan<add, 0>, with_less},
    FOLDS(SEGMENTED_REDUCE),
    {"collection.segmented_reduce", segments, segmented_reduce<add, 0>, with_less},
    FOLDS_OF_FLOATS(REDUCE_FLOATS),
    FOLDS_OF_FLOATS(SCAN_FLOATS_INCLUSIVE),
    FOLDS_OF_FLOATS(SCAN_FLOATS_EXCLUSIVE),
    {"collection.fill", made<1>, fill, with_less},
    {"collection.iota", made<2>, iota, with_less},
    {"collection.reverse", as_many, reverse, with_less},
    {"collection.transpose", matrix, transpose, with_less},
    {"collection.gather", placed, gather, with_less},
    {"collection.scatter", placed_with_status, scatter, with_less},
    {"collection.compact", marked_and_counted, compact, with_less},
    {"collection.partition", marked_and_counted, partition, with_less},
    {"collection.unique", of_runs<1>, unique, with_less},
    {"collection.run_length", of_runs<2>, run_length, with_less},
    {"collection.histogram", counted, histogram, with_less},
    {"collection.sort_u32", keys<uint32_t>, sort<uint32_t>, with_less},
    {"collection.sort_i32", keys<int32_t>, sort<int32_t>, with_less},
    {"collection.sort_f32", keys<float>, sort<float>, with_less},
    {"collection.sort_u64", keys<uint64_t>, sort<uint64_t>, with_less},
    {"collection.sort_pairs_u32", keys_and_values<uint32_t>, sort_pairs<uint32_t>, with_less},
    {"collection.sort_pairs_i32", keys_and_values<int32_t>, sort_pairs<int32_t>, with_less},
    {"collection.sort_pairs_f32", keys_and_values<float>, sort_pairs<float>, with_less},
    {"collection.sort_pairs_u64", keys_and_values<uint64_t>, sort_pairs<uint64_t>, with_less},
    {"collection.top_k", some_of, top_k, with_less},
    {"collection.lower_bound", queried, bound<std::lower_bound<Iterator, uint32_t>>, with_less},
    {"collection.upper_bound", queried, bound<std::upper_bound<Iterator, uint32_t>>, with_less},
    {"collection.merge", two_sorted, merge, with_less, ascending},
    {"collection.join", two_lists, join, with_less},
    {"collection.hash_build", to_build, hash_build, with_less},
    {"collection.hash_find", to_find, hash_find, fewer_queries, built},
};

}  // namespace
}  // namespace collection

std::span<const OperationSpec> collection_operations() { return collection::kOperations; }

}  // namespace vyre::opspec
