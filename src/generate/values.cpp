#include "generate/values.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace vyre::generate {
namespace {

// The adversary's words, each with a reason to be there.
constexpr uint32_t kAdversarial[] = {
    0,          1,          2,                       // zero divisors, identities
    31,         32,         33,         63,          // shift amounts at and past the width
    64,         0xffffffe0, 0xffffff1f,              // shift amounts whose low bits say something else
    0x7f,       0x80,       0xff,       0x100,       // where i8 and u8 end
    0x7fff,     0x8000,     0xffff,     0x10000,     // where 16 bits end, and products of halves
    0x00ffffff, 0x01000000, 0x01000001,              // where a detour through f32 loses bits
    0x3e0,      0x3ff,      0x3e1,      0x21,        // packed bit fields: count 31, offset 31, past the end
    0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,  // where i32 ends; MIN / -1
    0xfffffffe, 0xffffffff,                          // -2, -1
    0x00ff00ff, 0xff00ff00, 0x55555555, 0xaaaaaaaa,  // carries across bytes, bit pairs
    0x7f7f7f7f, 0x80808080, 0x0000ffff, 0xffff0000, 0x40000000,
};

struct Edge {
  std::array<uint32_t, 1024> words{};
  size_t count = 0;
  constexpr void add(uint32_t word) {
    for (size_t i = 0; i < count; ++i) {
      if (words[i] == word) return;
    }
    if (count < words.size()) words[count++] = word;
  }
};

// In order of importance; the first 256 distinct words are the domain.
consteval std::array<uint32_t, 256> make_edge256() {
  Edge edge;
  for (uint32_t word : kAdversarial) edge.add(word);
  for (uint32_t k = 0; k < 32; ++k) {
    const uint32_t power = 1u << k;
    for (uint32_t word : {power, power - 1, power + 1, ~power, 0u - power}) edge.add(word);
  }
  for (uint32_t word : {0x33333333u, 0xccccccccu, 0x0f0f0f0fu, 0xf0f0f0f0u, 0x01010101u, 0xfefefefeu,
                        0x0000ff00u, 0x00ff0000u, 0x01234567u, 0x89abcdefu, 0x76543210u, 0xfedcba98u}) {
    edge.add(word);
  }
  // Multiplicative and hash constants, primes near the ends, square roots of 2^31 and 2^32, 3 and 5 inverted.
  for (uint32_t word :
       {0x9e3779b9u, 0x85ebca6bu, 0xc2b2ae35u, 0x01000193u, 0x811c9dc5u, 0xedb88320u, 0x04c11db7u, 65521u,
        0xfffffffbu, 0x7fffffedu, 46340u, 46341u, 0xaaaaaaabu, 0xcccccccdu, 0xdeadbeefu}) {
    edge.add(word);
  }
  for (uint32_t power = 10, k = 1; k < 10; ++k, power *= 10) edge.add(power);
  for (uint32_t word : {120u, 720u, 5040u, 40320u, 362880u, 3628800u, 39916800u, 479001600u}) edge.add(word);
  // Packed bit fields: offset in bits 0-4, count in bits 5-9, payload above.
  for (uint32_t offset : {0u, 1u, 8u, 16u, 31u}) {
    for (uint32_t count : {1u, 8u, 16u, 31u}) edge.add(0xa5a5'a400u | count << 5 | offset);
  }
  for (uint32_t word = 0; word < 64; ++word) edge.add(word);
  for (uint32_t word = 1; word < 64; ++word) edge.add(0u - word);
  std::array<uint32_t, 256> out{};
  std::copy_n(edge.words.begin(), 256, out.begin());
  std::sort(out.begin(), out.end());
  return out;
}

constexpr std::array<uint32_t, 256> kEdge256 = make_edge256();
static_assert(std::adjacent_find(kEdge256.begin(), kEdge256.end()) == kEdge256.end(),
              "edge256 has a word twice");

}  // namespace

std::span<const uint32_t, 256> edge256() { return kEdge256; }
std::span<const uint32_t> adversarial_words() { return kAdversarial; }

uint32_t mixed_word(uint32_t choice, uint32_t random) {
  switch (choice % 8) {
    case 0:
    case 1: return random;
    case 2: return random >> 24;                                                 // a byte
    case 3: return (1u << (random & 31)) + (random >> 5 & 7) - 3;                // near a power of two
    case 4: return 0u - (random >> 26);                                          // small and negative
    case 5: return random & std::rotl(random * 0x9e3779b9u, 7) & (random << 3);  // few bits set
    case 6: return random | std::rotl(random * 0x9e3779b9u, 7) | (random >> 3);  // few bits clear
    case 7: return kEdge256[random >> 24];
  }
  return random;
}

}  // namespace vyre::generate
