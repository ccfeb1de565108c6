// Rounds of hashes in CUDA C++, of one message in registers.
#pragma once

#include "device.h"
#include "hash_tables.h"

namespace {

__device__ u32 turned(u32 x, int left) { return x << left | x >> (32 - left); }
__device__ u64 turned(u64 x, int left) { return x << left | x >> (64 - left); }

__constant__ u32 kSha256[64] = {VYRE_SHA256_ROUNDS};
// The schedule is sixteen words in registers.
__device__ void sha256_block(u32 (&h)[8], u32 (&w)[16]) {
  u32 s[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) s[i] = h[i];
#pragma unroll
  for (int t = 0; t < 64; ++t) {
    if (t >= 16) {
      const u32 x = w[(t + 1) & 15], y = w[(t + 14) & 15];
      w[t & 15] += (turned(x, 25) ^ turned(x, 14) ^ x >> 3) + w[(t + 9) & 15] +
                   (turned(y, 15) ^ turned(y, 13) ^ y >> 10);
    }
    const u32 e = s[4], x = s[0];
    const u32 t1 = s[7] + (turned(e, 26) ^ turned(e, 21) ^ turned(e, 7)) + ((e & s[5]) ^ (~e & s[6])) +
                   kSha256[t] + w[t & 15];
    const u32 t2 =
        (turned(x, 30) ^ turned(x, 19) ^ turned(x, 10)) + ((x & s[1]) ^ (x & s[2]) ^ (s[1] & s[2]));
    s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1;
    s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + t2;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) h[i] += s[i];
}

__device__ void blake_quarter(u32& w, u32& x, u32& y, u32& z, u32 m, u32 n) {
  w += x + m, z = turned(z ^ w, 16);
  y += z, x = turned(x ^ y, 20);
  w += x + n, z = turned(z ^ w, 24);
  y += z, x = turned(x ^ y, 25);
}
/// Words of the message change their places.
__device__ void blake_rounds(u32 (&v)[16], u32 (&m)[16]) {
  constexpr u32 kOrder[16] = {VYRE_BLAKE3_ORDER};
#pragma unroll
  for (int round = 0; round < 7; ++round) {
#pragma unroll
    for (u32 k = 0; k < 4; ++k) blake_quarter(v[k], v[4 + k], v[8 + k], v[12 + k], m[2 * k], m[2 * k + 1]);
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      blake_quarter(v[k], v[4 + (k + 1) % 4], v[8 + (k + 2) % 4], v[12 + (k + 3) % 4], m[8 + 2 * k],
                    m[9 + 2 * k]);
    }
    u32 next[16];
#pragma unroll
    for (u32 k = 0; k < 16; ++k) next[k] = m[kOrder[k]];
#pragma unroll
    for (u32 k = 0; k < 16; ++k) m[k] = next[k];
  }
}

}  // namespace
