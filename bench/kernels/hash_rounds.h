// Rounds of hashes in C++, of one message or of a vector of them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/hash_tables.h"
#include "kernels/vectors.h"

namespace vyre::bench {

/// Whole blocks of 64 bytes, then what is behind them, a bit and the length in bits.
template <typename Block>
void padded(const uint8_t* item, size_t length, bool big_endian, const Block& block) {
  size_t at = 0;
  for (; at + 64 <= length; at += 64) block(item + at);
  uint8_t tail[128] = {};
  std::memcpy(tail, item + at, length - at);
  tail[length - at] = 0x80;
  const size_t size = length - at < 56 ? 64 : 128;
  const uint64_t bits = uint64_t{length} * 8;
  const uint64_t stored = big_endian ? __builtin_bswap64(bits) : bits;
  std::memcpy(tail + size - 8, &stored, 8);
  for (size_t i = 0; i < size; i += 64) block(tail + i);
}

inline constexpr uint32_t kSha256[64] = {VYRE_SHA256_ROUNDS};
inline void sha256_block(uint32_t (&h)[8], const uint8_t* block) {
  uint32_t w[64];
  for (int t = 0; t < 16; ++t) {
    uint32_t word;
    std::memcpy(&word, block + t * 4, 4);
    w[t] = __builtin_bswap32(word);
  }
  for (int t = 16; t < 64; ++t) {
    const uint32_t x = w[t - 15], y = w[t - 2];
    w[t] = w[t - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + w[t - 7] +
           (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
  }
  uint32_t s[8];
  std::memcpy(s, h, sizeof s);
#pragma clang loop unroll_count(8)
  for (int t = 0; t < 64; ++t) {
    const uint32_t e = s[4], x = s[0];
    const uint32_t t1 = s[7] + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                        ((e & s[5]) ^ (~e & s[6])) + kSha256[t] + w[t];
    const uint32_t t2 =
        (std::rotr(x, 2) ^ std::rotr(x, 13) ^ std::rotr(x, 22)) + ((x & s[1]) ^ (x & s[2]) ^ (s[1] & s[2]));
    s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1;
    s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; ++i) h[i] += s[i];
}

/// Which word of a message each round takes.
inline constexpr auto kBlakeOrders = [] {
  constexpr uint8_t kNext[16] = {VYRE_BLAKE3_ORDER};
  std::array<std::array<uint8_t, 16>, 7> orders{};
  for (uint8_t k = 0; k < 16; ++k) orders[0][k] = k;
  for (size_t round = 1; round < 7; ++round) {
    for (size_t k = 0; k < 16; ++k) orders[round][k] = orders[round - 1][kNext[k]];
  }
  return orders;
}();
template <typename V>
void blake_quarter(V& w, V& x, V& y, V& z, V m, V n) {
  w += x + m, z = rotated(z ^ w, 16);
  y += z, x = rotated(x ^ y, 20);
  w += x + n, z = rotated(z ^ w, 24);
  y += z, x = rotated(x ^ y, 25);
}
template <typename V>
[[gnu::always_inline]] inline void blake_rounds(V (&v)[16], const V (&m)[16]) {
#pragma clang loop unroll(full)
  for (size_t round = 0; round < 7; ++round) {
    const auto& o = kBlakeOrders[round];
    for (size_t k = 0; k < 4; ++k) {
      blake_quarter(v[k], v[4 + k], v[8 + k], v[12 + k], m[o[2 * k]], m[o[2 * k + 1]]);
    }
    for (size_t k = 0; k < 4; ++k) {
      blake_quarter(v[k], v[4 + (k + 1) % 4], v[8 + (k + 2) % 4], v[12 + (k + 3) % 4], m[o[8 + 2 * k]],
                    m[o[9 + 2 * k]]);
    }
  }
}

}  // namespace vyre::bench
