// Vectors of 512 bits as clang has them, for rivals that do the same to many items: an algorithm is written
// once, for numbers, and works on a vector of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace vyre::bench {

using V32 = uint32_t __attribute__((ext_vector_type(16)));
using V64 = uint64_t __attribute__((ext_vector_type(8)));

inline uint32_t rotated(uint32_t x, int left) { return std::rotl(x, left); }
template <typename V>
V rotated(V x, int left) {
  constexpr int bits = sizeof(x[0]) * 8;
  return x << left | x >> (bits - left);
}
/// Lane l gets the word `at` of item `first` + l; items have so many words.
template <typename V, typename Word>
V load_items(const Word* from, size_t first, size_t words, size_t at) {
  V out;
  for (size_t l = 0; l < sizeof(V) / sizeof(Word); ++l) out[l] = from[(first + l) * words + at];
  return out;
}
template <typename V, typename Word>
void store_items(Word* to, size_t first, size_t words, size_t at, V from) {
  for (size_t l = 0; l < sizeof(V) / sizeof(Word); ++l) to[(first + l) * words + at] = from[l];
}

}  // namespace vyre::bench
