// Texts: search, alignment, encodings.
#include "device.h"

namespace {

__global__ void string_search_kernel(const u32* __restrict__ text, const u32* __restrict__ pattern, u32* out,
                                     u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const u32 p = pattern[0], q = pattern[1];
  const u32 x = text[i] & 0x03030303, y = text[i + 1] & 0x03030303, z = text[i + 2] & 0x03030303;
  u32 found = x == p && y == q;
#pragma unroll
  for (u32 k = 1; k < 4; ++k) {
    found |= u32(__funnelshift_l(x, y, 32 - k * 8) == p && __funnelshift_l(y, z, 32 - k * 8) == q) << k;
  }
  out[i] = found;
}
VYRE_HAND(string_search) {
  const size_t n = a.count<u32>(2);
  launch(string_search_kernel, groups_of(n, 256), 256, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2), n);
}

__device__ u32 letter(u32 x) {
  return x + (x < 26 ? 65 : x < 52 ? 71 : x < 62 ? u32(-4) : x == 62 ? u32(-19) : u32(-16));
}
__device__ u32 letters(u32 x) {
  return letter(x >> 2 & 63) | letter((x & 3) << 4 | (x >> 12 & 15)) << 8 |
         letter((x >> 6 & 60) | (x >> 22 & 3)) << 16 | letter(x >> 16 & 63) << 24;
}
__global__ void base64_kernel(const u32* __restrict__ data, uint4* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const u32 x = data[i * 3], y = data[i * 3 + 1], z = data[i * 3 + 2];
  out[i] = make_uint4(letters(x), letters(x >> 24 | y << 8), letters(y >> 16 | z << 16), letters(z >> 8));
}
VYRE_HAND(base64) {
  const size_t n = a.count<uint4>(1);
  launch(base64_kernel, groups_of(n, 256), 256, a.at<u32>(0), a.at<uint4>(1), n);
}

// A warp a pair, two letters of the first word a lane, along anti-diagonals.
__global__ void smith_waterman_kernel(const u32* __restrict__ x, const u32* __restrict__ y, u32* out) {
  __shared__ u32 word[256];
  const u32 lane = threadIdx.x, pair = blockIdx.x;
  for (u32 k = 0; k < 256; k += 32) word[k + lane] = y[pair * 256 + k + lane];
  __syncthreads();
  const u32 first = x[pair * 64 + lane * 2], second = x[pair * 64 + lane * 2 + 1];
  int own = 0, below = 0, diagonal = 0, best = 0;
  for (u32 d = 0; d < 256 + 31; ++d) {
    int up = __shfl_up_sync(0xffffffff, below, 1);
    if (lane == 0) up = 0;
    const u32 j = d - lane;
    if (j < 256) {
      const int old = own;
      own = max(max(diagonal + (first == word[j] ? 3 : -1), max(up, own) - 2), 0);
      below = max(max(old + (second == word[j] ? 3 : -1), max(own, below) - 2), 0);
      best = max(best, max(own, below));
    }
    diagonal = up;
  }
  for (int by = 16; by > 0; by /= 2) best = max(best, __shfl_xor_sync(0xffffffff, best, by));
  if (lane == 0) out[pair] = u32(best);
}
VYRE_HAND(smith_waterman) {
  launch(smith_waterman_kernel, a.count<u32>(2), 32, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2));
}

// A block of LZ4 a thread, byte by byte.
__global__ void lz4_decode_kernel(const u8* __restrict__ data, const u32* __restrict__ params, u8* out,
                                  u32 bytes) {
  const u32 size = params[0], base = global_x() * size;
  if (base >= bytes) return;
  const u8* from = data + base;
  u8* to = out + base;
  u8* const end = to + size;
  for (;;) {
    const u32 token = *from++;
    u32 count = token >> 4;
    if (count == 15) {
      u32 byte;
      do count += byte = *from++;
      while (byte == 255);
    }
    for (u32 k = 0; k < count; ++k) *to++ = *from++;
    if (to >= end) return;
    const u8* match = to - (from[0] | from[1] << 8);
    from += 2;
    count = (token & 15) + 4;
    if (count == 19) {
      u32 byte;
      do count += byte = *from++;
      while (byte == 255);
    }
    for (u32 k = 0; k < count; ++k) *to++ = *match++;
  }
}
VYRE_HAND(lz4_decode) {
  // A block has 4,096 bytes: what it is measured on.
  const size_t bytes = a.bytes[2];
  launch(lz4_decode_kernel, groups_of(bytes / 4096, 64), 64, a.at<u8>(0), a.at<u32>(1), a.at<u8>(2), bytes);
}

}  // namespace
