// Sorting. CUB is the library (libraries.cu).
#include "device.h"

namespace {

__global__ void bitonic_kernel(const u32* __restrict__ in, u32* out) {
  __shared__ u32 s[1024];
  const u32 lane = threadIdx.x, first = blockIdx.x * 1024;
  s[lane] = in[first + lane];
  s[lane + 512] = in[first + lane + 512];
  __syncthreads();
#pragma unroll
  for (u32 size = 2; size <= 1024; size *= 2) {
#pragma unroll
    for (u32 distance = size / 2; distance > 0; distance /= 2) {
      const u32 i = 2 * lane - (lane & (distance - 1));
      const u32 x = s[i], y = s[i + distance];
      if ((x > y) != ((i & size) != 0)) s[i] = y, s[i + distance] = x;
      __syncthreads();
    }
  }
  out[first + lane] = s[lane];
  out[first + lane + 512] = s[lane + 512];
}
VYRE_HAND(bitonic) {
  launch(bitonic_kernel, unsigned(a.count<u32>(0) / 1024), 512, a.at<u32>(0), a.at<u32>(1));
}

// Four bits a pass, stable: counts of blocks of 1,024, their sums digit by digit, places.
__device__ u32 scan_256(u32 x, u32* sums) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned by = 1; by < 32; by *= 2) {
    const u32 before = __shfl_up_sync(0xffffffff, x, by);
    if (lane >= by) x += before;
  }
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  for (u32 w = 0; w < warp; ++w) x += sums[w];
  return x;
}
__global__ void radix_counts(const u32* __restrict__ keys, u32* counts, u32 shift) {
  __shared__ u32 mine[16];
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
  for (u32 k = 0; k < 4; ++k) {
    atomicAdd(&mine[keys[blockIdx.x * 1024 + k * 256 + threadIdx.x] >> shift & 15], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}
__global__ void radix_starts(u32* counts, u32 n) {
  __shared__ u32 sums[8];
  __shared__ u32 all;
  u32 before = 0;
  for (u32 base = 0; base < n; base += 8192) {
    const u32 first = base + threadIdx.x * 32;
    u32 own = 0;
    for (u32 k = 0; k < 32; ++k) own += first + k < n ? counts[first + k] : 0;
    const u32 sum = scan_256(own, sums);
    if (threadIdx.x == 255) all = sum;
    u32 at = before + sum - own;
    for (u32 k = 0; k < 32 && first + k < n; ++k) {
      const u32 x = counts[first + k];
      counts[first + k] = at;
      at += x;
    }
    __syncthreads();
    before += all;
    __syncthreads();
  }
}
__global__ void radix_move(const u32* __restrict__ keys, const u32* __restrict__ starts, u32* moved,
                           u32 shift) {
  __shared__ u32 places[16 * 256];
  __shared__ u32 sums[8];
  const u32 lane = threadIdx.x;
  u32 key[4];
  for (u32 d = 0; d < 16; ++d) places[d * 256 + lane] = 0;
  for (u32 k = 0; k < 4; ++k) {
    key[k] = keys[blockIdx.x * 1024 + lane * 4 + k];
    ++places[(key[k] >> shift & 15) * 256 + lane];
  }
  __syncthreads();
  u32 own[16], total = 0;
  for (u32 k = 0; k < 16; ++k) {
    own[k] = total;
    total += places[lane * 16 + k];
  }
  const u32 before = scan_256(total, sums) - total;
  __syncthreads();
  for (u32 k = 0; k < 16; ++k) places[lane * 16 + k] = before + own[k];
  __syncthreads();
  // Sums run on over digits; within a digit they begin at its first place.
  u32 begin[4], at[4];
  for (u32 k = 0; k < 4; ++k) begin[k] = places[(key[k] >> shift & 15) * 256];
  __syncthreads();
  for (u32 k = 0; k < 4; ++k) at[k] = places[(key[k] >> shift & 15) * 256 + lane]++;
  for (u32 k = 0; k < 4; ++k) {
    moved[starts[(key[k] >> shift & 15) * gridDim.x + blockIdx.x] + at[k] - begin[k]] = key[k];
  }
}
VYRE_HAND(radix_sort) {
  const size_t n = a.count<u32>(0);
  const unsigned blocks = unsigned(n / 1024);
  u32* counts = scratch_of<u32>(16 * blocks, 0);
  u32* other = scratch_of<u32>(n, 1);
  const u32* from = a.at<u32>(0);
  u32* to = other;
  for (u32 shift = 0; shift < 32; shift += 4) {
    launch(radix_counts, blocks, 256, from, counts, shift);
    launch(radix_starts, 1, 256, counts, 16 * blocks);
    launch(radix_move, blocks, 256, from, counts, to, shift);
    from = to;
    to = to == other ? a.at<u32>(1) : other;
  }
}

}  // namespace
