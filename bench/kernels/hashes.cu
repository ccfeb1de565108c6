// Hashes, checksums and ciphers: an item a thread.
#include "device_hashes.h"

namespace {

// One file by one thread, as the examples have it.
__global__ void crc32_kernel(const u32* __restrict__ data, const u32* __restrict__ params, u32* out) {
  u32 state = ~0u;
  for (u32 i = 0; i < params[0]; ++i) {
    state ^= data[i >> 2] >> (i & 3) * 8 & 255;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ (0xedb88320u & (0 - (state & 1)));
  }
  *out = ~state;
}
VYRE_HAND(crc32) { launch(crc32_kernel, 1, 1, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2)); }
__global__ void fnv1a_kernel(const u32* __restrict__ data, const u32* __restrict__ params, u32* out) {
  u32 state = 0x811c9dc5u;
  for (u32 i = 0; i < params[0]; ++i) state = (state ^ (data[i >> 2] >> (i & 3) * 8 & 255)) * 0x01000193u;
  *out = state;
}
VYRE_HAND(fnv1a) { launch(fnv1a_kernel, 1, 1, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2)); }

__global__ void fnv1a_records_kernel(const uint4* __restrict__ data, u32* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  u32 hash = 2166136261u;
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    const uint4 x = data[i * 4 + k];
    const u32 words[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
    for (u32 w = 0; w < 4; ++w) {
#pragma unroll
      for (u32 shift = 0; shift < 32; shift += 8) hash = (hash ^ (words[w] >> shift & 255)) * 16777619u;
    }
  }
  out[i] = hash;
}
VYRE_HAND(fnv1a_records) {
  const size_t n = a.count<u32>(1);
  launch(fnv1a_records_kernel, groups_of(n, 256), 256, a.at<uint4>(0), a.at<u32>(1), n);
}

__device__ void sip_round(u64 (&v)[4]) {
  v[0] += v[1], v[2] += v[3];
  v[1] = turned(v[1], 13) ^ v[0], v[3] = turned(v[3], 16) ^ v[2];
  v[0] = turned(v[0], 32);
  v[2] += v[1], v[0] += v[3];
  v[1] = turned(v[1], 17) ^ v[2], v[3] = turned(v[3], 21) ^ v[0];
  v[2] = turned(v[2], 32);
}
__global__ void siphash_kernel(const u64* __restrict__ data, const u64* __restrict__ key, u64* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  u64 v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
              key[1] ^ 0x7465646279746573};
#pragma unroll
  for (u32 k = 0; k < 5; ++k) {
    const u64 m = k < 4 ? data[i * 4 + k] : 0x2000000000000000;
    v[3] ^= m;
    sip_round(v);
    sip_round(v);
    v[0] ^= m;
  }
  v[2] ^= 0xff;
#pragma unroll
  for (int round = 0; round < 4; ++round) sip_round(v);
  out[i] = v[0] ^ v[1] ^ v[2] ^ v[3];
}
VYRE_HAND(siphash) {
  const size_t n = a.count<u64>(2);
  launch(siphash_kernel, groups_of(n, 256), 256, a.at<u64>(0), a.at<u64>(1), a.at<u64>(2), n);
}

__global__ void sha256_kernel(const u32* __restrict__ data, const u32* __restrict__ offsets, u32* digests,
                              u32 n) {
  const u32 m = global_x();
  if (m >= n) return;
  const u32 begin = offsets[m], length = offsets[m + 1] - begin;
  u32 h[8] = {VYRE_SHA256_START};
  const u32 blocks = (length + 9 + 63) / 64;
  for (u32 block = 0; block < blocks; ++block) {
    u32 w[16];
    const u32 first = begin + block * 64;
    if (block * 64 + 64 <= length && first % 4 == 0) {
#pragma unroll
      for (u32 t = 0; t < 16; ++t) {
        const u32 x = data[first / 4 + t];
        w[t] = x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24;
      }
    } else {
#pragma unroll
      for (u32 t = 0; t < 16; ++t) {
        u32 word = 0;
#pragma unroll
        for (u32 b = 0; b < 4; ++b) {
          const u32 at = block * 64 + t * 4 + b, i = begin + at;
          word = word << 8 | (at < length ? data[i / 4] >> i % 4 * 8 & 255 : at == length ? 0x80 : 0);
        }
        w[t] = word;
      }
      if (block + 1 == blocks) w[14] = length >> 29, w[15] = length << 3;
    }
    sha256_block(h, w);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) digests[m * 8 + i] = h[i];
}
VYRE_HAND(sha256) {
  const size_t n = a.count<u32>(1) - 1;
  launch(sha256_kernel, groups_of(n, 128), 128, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2), n);
}

__device__ void chacha_quarter(u32& w, u32& x, u32& y, u32& z) {
  w += x, z = turned(z ^ w, 16);
  y += z, x = turned(x ^ y, 12);
  w += x, z = turned(z ^ w, 8);
  y += z, x = turned(x ^ y, 7);
}
__global__ void chacha20_kernel(const uint4* __restrict__ text, const u32* __restrict__ key, uint4* out,
                                u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const u32 begin[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1], key[2], key[3],
                         key[4],     key[5],     key[6],     key[7],     i,      key[8], key[9], key[10]};
  u32 x[16];
#pragma unroll
  for (u32 k = 0; k < 16; ++k) x[k] = begin[k];
#pragma unroll
  for (int round = 0; round < 10; ++round) {
#pragma unroll
    for (u32 k = 0; k < 4; ++k) chacha_quarter(x[k], x[4 + k], x[8 + k], x[12 + k]);
#pragma unroll
    for (u32 k = 0; k < 4; ++k)
      chacha_quarter(x[k], x[4 + (k + 1) % 4], x[8 + (k + 2) % 4], x[12 + (k + 3) % 4]);
  }
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    const uint4 t = text[i * 4 + k];
    out[i * 4 + k] =
        make_uint4(t.x ^ (x[4 * k] + begin[4 * k]), t.y ^ (x[4 * k + 1] + begin[4 * k + 1]),
                   t.z ^ (x[4 * k + 2] + begin[4 * k + 2]), t.w ^ (x[4 * k + 3] + begin[4 * k + 3]));
  }
}
VYRE_HAND(chacha20) {
  const size_t n = a.count<u32>(2) / 16;
  launch(chacha20_kernel, groups_of(n, 128), 128, a.at<uint4>(0), a.at<u32>(1), a.at<uint4>(2), n);
}

__global__ void blake3_kernel(const uint4* __restrict__ data, uint4* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  constexpr u32 kIv[8] = {VYRE_SHA256_START};
  u32 m[16], v[16];
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    const uint4 x = data[i * 4 + k];
    m[4 * k] = x.x, m[4 * k + 1] = x.y, m[4 * k + 2] = x.z, m[4 * k + 3] = x.w;
  }
#pragma unroll
  for (u32 k = 0; k < 12; ++k) v[k] = kIv[k % 8];
  v[12] = 0, v[13] = 0, v[14] = 64, v[15] = 11;
  blake_rounds(v, m);
  out[i * 2] = make_uint4(v[0] ^ v[8], v[1] ^ v[9], v[2] ^ v[10], v[3] ^ v[11]);
  out[i * 2 + 1] = make_uint4(v[4] ^ v[12], v[5] ^ v[13], v[6] ^ v[14], v[7] ^ v[15]);
}
VYRE_HAND(blake3) {
  const size_t n = a.count<u32>(1) / 8;
  launch(blake3_kernel, groups_of(n, 128), 128, a.at<uint4>(0), a.at<uint4>(1), n);
}

__global__ void keccak_kernel(const u64* __restrict__ state, const u64* __restrict__ rounds, u64* out,
                              u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  constexpr int kTurns[25] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                              25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};
  u64 s[25], b[25], c[5], d[5];
#pragma unroll
  for (u32 k = 0; k < 25; ++k) s[k] = state[i * 25 + k];
  for (u32 round = 0; round < 24; ++round) {
#pragma unroll
    for (u32 x = 0; x < 5; ++x) c[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
#pragma unroll
    for (u32 x = 0; x < 5; ++x) d[x] = c[(x + 4) % 5] ^ turned(c[(x + 1) % 5], 1);
#pragma unroll
    for (u32 k = 0; k < 25; ++k) {
      const u32 x = k % 5, y = k / 5;
      const u64 t = s[k] ^ d[x];
      b[y + 5 * ((2 * x + 3 * y) % 5)] = k == 0 ? t : turned(t, kTurns[k]);
    }
#pragma unroll
    for (u32 k = 0; k < 25; ++k) {
      const u32 x = k % 5, y = k - x;
      s[k] = b[k] ^ (~b[y + (x + 1) % 5] & b[y + (x + 2) % 5]);
    }
    s[0] ^= rounds[round];
  }
#pragma unroll
  for (u32 k = 0; k < 25; ++k) out[i * 25 + k] = s[k];
}
VYRE_HAND(keccak) {
  const size_t n = a.count<u64>(2) / 25;
  launch(keccak_kernel, groups_of(n, 128), 128, a.at<u64>(0), a.at<u64>(1), a.at<u64>(2), n);
}

// The table in shared memory.
__global__ void aes_table_kernel(const uint4* __restrict__ text, const u32* __restrict__ keys,
                                 const u32* __restrict__ table, uint4* out, u32 n) {
  __shared__ u32 shared[256];
  shared[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  const u32 i = global_x();
  if (i >= n) return;
  const uint4 block = text[i];
  u32 s[4] = {block.x ^ keys[0], block.y ^ keys[1], block.z ^ keys[2], block.w ^ keys[3]};
#pragma unroll
  for (u32 round = 1; round < 10; ++round) {
    u32 t[4];
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      t[k] = shared[s[k] & 255] ^ turned(shared[s[(k + 1) % 4] >> 8 & 255], 8) ^
             turned(shared[s[(k + 2) % 4] >> 16 & 255], 16) ^ turned(shared[s[(k + 3) % 4] >> 24], 24) ^
             keys[round * 4 + k];
    }
#pragma unroll
    for (u32 k = 0; k < 4; ++k) s[k] = t[k];
  }
  u32 o[4];
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    o[k] = ((shared[s[k] & 255] >> 8 & 0xff) | (shared[s[(k + 1) % 4] >> 8 & 255] & 0xff00) |
            (shared[s[(k + 2) % 4] >> 16 & 255] >> 8 & 0xff) << 16 |
            (shared[s[(k + 3) % 4] >> 24] & 0xff00) << 16) ^
           keys[40 + k];
  }
  out[i] = make_uint4(o[0], o[1], o[2], o[3]);
}
VYRE_HAND(aes_table) {
  const size_t n = a.count<uint4>(3);
  launch(aes_table_kernel, groups_of(n, 256), 256, a.at<uint4>(0), a.at<u32>(1), a.at<u32>(2), a.at<uint4>(3),
         n);
}

}  // namespace
