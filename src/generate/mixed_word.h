// mixed_word() where loops over columns see it. For src/generate alone; others call mixed_word().
#pragma once

#include <bit>
#include <cstdint>

namespace vyre::generate {

/// Without branches: every distribution is drawn from, and one is chosen. edges: edge256().
inline uint32_t mixed_word_inline(uint32_t choice, uint32_t random, const uint32_t* edges) {
  const uint32_t spread = std::rotl(random * 0x9e3779b9u, 7), which = choice % 8;
  uint32_t out = random;                                                   // 0 and 1
  out = which == 2 ? random >> 24 : out;                                   // a byte
  out = which == 3 ? (1u << (random & 31)) + (random >> 5 & 7) - 3 : out;  // near a power of two
  out = which == 4 ? 0u - (random >> 26) : out;                            // small and negative
  out = which == 5 ? random & spread & (random << 3) : out;                // few bits set
  out = which == 6 ? random | spread | (random >> 3) : out;                // few bits clear
  return which == 7 ? edges[random >> 24] : out;
}

}  // namespace vyre::generate
