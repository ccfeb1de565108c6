// Hashes, checksums and ciphers.
#include <array>
#include <bit>
#include <cstring>

#include "kernels/hash_rounds.h"
#include "kernels/parallel.h"
#include "kernels/rivals.h"
#include "kernels/vectors.h"

namespace {
using vyre::bench::blake_rounds;
using vyre::bench::load_items;
using vyre::bench::padded;
using vyre::bench::parallel;
using vyre::bench::rotated;
using vyre::bench::sha256_block;
using vyre::bench::store_items;
using vyre::bench::V32;
using vyre::bench::V64;
using u32 = uint32_t;
using u64 = uint64_t;

// One file, bit by bit and byte by byte.
VYRE_HAND(crc32) {
  const uint8_t* data = a.at<uint8_t>(0);
  const u32 n = a.at<u32>(1)[0];
  u32 state = ~0u;
  for (u32 i = 0; i < n; ++i) {
    state ^= data[i];
    for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ (0xedb88320u & (0 - (state & 1)));
  }
  a.at<u32>(2)[0] = ~state;
}
VYRE_HAND(fnv1a) {
  const uint8_t* data = a.at<uint8_t>(0);
  const u32 n = a.at<u32>(1)[0];
  u32 state = 0x811c9dc5u;
  for (u32 i = 0; i < n; ++i) state = (state ^ data[i]) * 0x01000193u;
  a.at<u32>(2)[0] = state;
}

VYRE_HAND(sha256) {
  const uint8_t* data = a.at<uint8_t>(0);
  const u32* offsets = a.at<u32>(1);
  u32* digests = a.at<u32>(2);
  parallel(a.count<u32>(1) - 1, 16, [=](size_t first, size_t last) {
    for (size_t m = first; m < last; ++m) {
      const uint8_t* message = data + offsets[m];
      const u32 length = offsets[m + 1] - offsets[m];
      u32 h[8] = {VYRE_SHA256_START};
      padded(message, length, true, [&](const uint8_t* block) { sha256_block(h, block); });
      std::memcpy(digests + m * 8, h, 32);
    }
  });
}

VYRE_HAND(fnv1a_records) {
  const u32* data = a.at<u32>(0);
  u32* out = a.at<u32>(1);
  parallel(a.count<u32>(1), 512, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; i += 16) {
      V32 hash = 2166136261u;
      for (size_t k = 0; k < 16; ++k) {
        const auto word = load_items<V32>(data, i, 16, k);
        for (u32 shift = 0; shift < 32; shift += 8) hash = (hash ^ (word >> shift & 255)) * 16777619u;
      }
      store_items(out, i, 1, 0, hash);
    }
  });
}
void sip_round(V64 (&v)[4]) {
  v[0] += v[1], v[2] += v[3];
  v[1] = rotated(v[1], 13) ^ v[0], v[3] = rotated(v[3], 16) ^ v[2];
  v[0] = rotated(v[0], 32);
  v[2] += v[1], v[0] += v[3];
  v[1] = rotated(v[1], 17) ^ v[2], v[3] = rotated(v[3], 21) ^ v[0];
  v[2] = rotated(v[2], 32);
}
VYRE_HAND(siphash) {
  const u64* data = a.at<u64>(0);
  const u64* key = a.at<u64>(1);
  u64* out = a.at<u64>(2);
  parallel(a.count<u64>(2), 512, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; i += 8) {
      V64 v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                  key[1] ^ 0x7465646279746573};
      for (size_t k = 0; k < 5; ++k) {
        const V64 m = k < 4 ? load_items<V64>(data, i, 4, k) : V64(u64{0x2000000000000000});
        v[3] ^= m;
        sip_round(v), sip_round(v);
        v[0] ^= m;
      }
      v[2] ^= 0xff;
      for (int round = 0; round < 4; ++round) sip_round(v);
      store_items(out, i, 1, 0, v[0] ^ v[1] ^ v[2] ^ v[3]);
    }
  });
}

inline void chacha_quarter(V32& w, V32& x, V32& y, V32& z) {
  w += x, z = rotated(z ^ w, 16);
  y += z, x = rotated(x ^ y, 12);
  w += x, z = rotated(z ^ w, 8);
  y += z, x = rotated(x ^ y, 7);
}
VYRE_HAND(chacha20) {
  const u32* text = a.at<u32>(0);
  const u32* key = a.at<u32>(1);
  u32* out = a.at<u32>(2);
  parallel(a.count<u32>(2) / 16, 256, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; i += 16) {
      V32 begin[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
      for (size_t k = 0; k < 8; ++k) begin[4 + k] = key[k];
      for (u32 l = 0; l < 16; ++l) begin[12][l] = u32(i) + l;
      for (size_t k = 8; k < 11; ++k) begin[5 + k] = key[k];
      V32 x[16];
      std::memcpy(x, begin, sizeof x);
      for (int round = 0; round < 10; ++round) {
        for (size_t k = 0; k < 4; ++k) chacha_quarter(x[k], x[4 + k], x[8 + k], x[12 + k]);
        for (size_t k = 0; k < 4; ++k)
          chacha_quarter(x[k], x[4 + (k + 1) % 4], x[8 + (k + 2) % 4], x[12 + (k + 3) % 4]);
      }
      for (size_t k = 0; k < 16; ++k) {
        store_items(out, i, 16, k, load_items<V32>(text, i, 16, k) ^ (x[k] + begin[k]));
      }
    }
  });
}

constexpr u32 kBlakeIv[8] = {VYRE_SHA256_START};
VYRE_HAND(blake3) {
  const u32* data = a.at<u32>(0);
  u32* out = a.at<u32>(1);
  parallel(a.count<u32>(1) / 8, 256, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; i += 16) {
      V32 m[16], v[16];
      for (size_t k = 0; k < 16; ++k) m[k] = load_items<V32>(data, i, 16, k);
      for (size_t k = 0; k < 8; ++k) v[k] = kBlakeIv[k];
      for (size_t k = 0; k < 4; ++k) v[8 + k] = kBlakeIv[k];
      v[12] = 0, v[13] = 0, v[14] = 64, v[15] = 11;
      blake_rounds(v, m);
      for (size_t k = 0; k < 8; ++k) store_items(out, i, 8, k, v[k] ^ v[8 + k]);
    }
  });
}

constexpr int kKeccakTurns[25] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                                  25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};
VYRE_HAND(keccak) {
  const u64* state = a.at<u64>(0);
  const u64* rounds = a.at<u64>(1);
  u64* out = a.at<u64>(2);
  parallel(a.count<u64>(2) / 25, 64, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; i += 8) {
      V64 s[25], b[25];
      for (size_t k = 0; k < 25; ++k) s[k] = load_items<V64>(state, i, 25, k);
      for (size_t round = 0; round < 24; ++round) {
        V64 c[5], d[5];
        for (size_t x = 0; x < 5; ++x) c[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
        for (size_t x = 0; x < 5; ++x) d[x] = c[(x + 4) % 5] ^ rotated(c[(x + 1) % 5], 1);
#pragma clang loop unroll(full)
        for (size_t k = 0; k < 25; ++k) {
          const size_t x = k % 5, y = k / 5;
          const V64 t = s[k] ^ d[x];
          b[y + 5 * ((2 * x + 3 * y) % 5)] = k == 0 ? t : rotated(t, kKeccakTurns[k]);
        }
        for (size_t y = 0; y < 25; y += 5) {
          for (size_t x = 0; x < 5; ++x) s[y + x] = b[y + x] ^ (~b[y + (x + 1) % 5] & b[y + (x + 2) % 5]);
        }
        s[0] ^= rounds[round];
      }
      for (size_t k = 0; k < 25; ++k) store_items(out, i, 25, k, s[k]);
    }
  });
}

VYRE_HAND(aes_table) {
  const u32* text = a.at<u32>(0);
  const u32* keys = a.at<u32>(1);
  const u32* table = a.at<u32>(2);
  u32* out = a.at<u32>(3);
  parallel(a.count<u32>(3) / 4, 256, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      u32 s[4], t[4];
      for (size_t k = 0; k < 4; ++k) s[k] = text[i * 4 + k] ^ keys[k];
      for (size_t round = 1; round < 10; ++round) {
        for (size_t k = 0; k < 4; ++k) {
          t[k] = table[s[k] & 255] ^ std::rotl(table[s[(k + 1) % 4] >> 8 & 255], 8) ^
                 std::rotl(table[s[(k + 2) % 4] >> 16 & 255], 16) ^
                 std::rotl(table[s[(k + 3) % 4] >> 24], 24) ^ keys[round * 4 + k];
        }
        std::memcpy(s, t, sizeof s);
      }
      for (size_t k = 0; k < 4; ++k) {
        out[i * 4 + k] = ((table[s[k] & 255] >> 8 & 0xff) | (table[s[(k + 1) % 4] >> 8 & 255] & 0xff00) |
                          (table[s[(k + 2) % 4] >> 16 & 255] >> 8 & 0xff) << 16 |
                          (table[s[(k + 3) % 4] >> 24] & 0xff00) << 16) ^
                         keys[40 + k];
      }
    }
  });
}
}  // namespace
