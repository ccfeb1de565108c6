// Many to few: sums, scans, counts, and what is kept of a buffer. CUB is the library (libraries.cu).
#include "device.h"

namespace {

constexpr unsigned kAll = 0xffffffff;

template <typename T>
__device__ T warp_sum(T x) {
  for (int by = 16; by > 0; by /= 2) x += __shfl_xor_sync(kAll, x, by);
  return x;
}
/// The sum over a block of 256; right in thread 0.
__device__ u32 block_total(u32 x) {
  __shared__ u32 sums[8];
  x = warp_sum(x);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = x;
  __syncthreads();
  x = threadIdx.x < 8 ? sums[threadIdx.x] : 0;
  return warp_sum(x);
}
/// The sum over the threads up to this one, of a block of 256; `total` is that of all.
__device__ u32 block_scan(u32 x, u32& total) {
  __shared__ u32 sums[8];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned by = 1; by < 32; by *= 2) {
    const u32 before = __shfl_up_sync(kAll, x, by);
    if (lane >= by) x += before;
  }
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  u32 before = 0;
  total = 0;
  for (u32 w = 0; w < 8; ++w) {
    if (w < warp) before += sums[w];
    total += sums[w];
  }
  __syncthreads();
  return x + before;
}

__global__ void block_sum_kernel(const u32* __restrict__ in, u32* sums) {
  const u32 sum = block_total(in[global_x()]);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
VYRE_HAND(block_sum) { launch(block_sum_kernel, a.count<u32>(1), 256, a.at<u32>(0), a.at<u32>(1)); }

// Four at once, as many times as there is work for a block; a last block adds up.
__global__ void partial_sums(const uint4* __restrict__ in, u32* sums, u32 n) {
  u32 sum = 0;
  for (u32 i = global_x(); i < n; i += gridDim.x * 256) {
    const uint4 x = in[i];
    sum += x.x + x.y + x.z + x.w;
  }
  sum = block_total(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
__global__ void last_sum(const u32* __restrict__ in, u32* out, u32 n) {
  u32 sum = 0;
  for (u32 i = threadIdx.x; i < n; i += 256) sum += in[i];
  sum = block_total(sum);
  if (threadIdx.x == 0) *out = sum;
}
VYRE_HAND(reduce_u32) {
  const size_t n = a.count<u32>(0) / 4;
  const unsigned blocks = min(groups_of(n, 256), 1056u);
  u32* sums = scratch_of<u32>(blocks);
  launch(partial_sums, blocks, 256, a.at<uint4>(0), sums, n);
  launch(last_sum, 1, 256, sums, a.at<u32>(1), blocks);
}

// The tree of neighbours: eight elements in registers, then the warp, then the block. Counts are powers of
// two.
__global__ void tree_pass(const float* __restrict__ in, float* out) {
  constexpr int kEach = 8;
  float x[kEach];
  const float4* from = reinterpret_cast<const float4*>(in) + global_x() * u64(kEach / 4);
#pragma unroll
  for (int k = 0; k < kEach / 4; ++k) {
    const float4 v = from[k];
    x[4 * k] = v.x, x[4 * k + 1] = v.y, x[4 * k + 2] = v.z, x[4 * k + 3] = v.w;
  }
#pragma unroll
  for (int width = kEach / 2; width > 0; width /= 2) {
#pragma unroll
    for (int k = 0; k < width; ++k) x[k] = x[2 * k] + x[2 * k + 1];
  }
  float sum = x[0];
  for (int by = 1; by < 32; by *= 2) sum = sum + __shfl_down_sync(kAll, sum, by);
  __shared__ float sums[8];
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    out[blockIdx.x] =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
}
__global__ void tree_rest(const float* __restrict__ in, float* out, u32 n) {
  __shared__ float s[1024];
  s[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
  __syncthreads();
  for (u32 stride = 1; stride < n; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0 && threadIdx.x < n)
      s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}
VYRE_HAND(reduce) {
  const float* from = a.at<float>(0);
  size_t n = a.count<float>(0);
  size_t number = 0;
  while (n > 1024) {
    float* sums = scratch_of<float>(n / 2048, number++);
    launch(tree_pass, unsigned(n / 2048), 256, from, sums);
    from = sums;
    n /= 2048;
  }
  launch(tree_rest, 1, 1024, from, a.at<float>(1), n);
}

// The 64 sums of the example in one block.
__global__ void dot_kernel(const float* __restrict__ x, const float* __restrict__ y, float* out, u32 n) {
  __shared__ float s[64];
  float sum = 0;
#pragma unroll 8
  for (u32 i = threadIdx.x; i < n; i += 64) sum = fmaf(x[i], y[i], sum);
  for (int by = 1; by < 32; by *= 2) sum = sum + __shfl_down_sync(kAll, sum, by);
  s[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) *out = s[0] + s[32];
}
VYRE_HAND(dot) {
  launch(dot_kernel, 1, 64, a.at<float>(0), a.at<float>(1), a.at<float>(2), a.count<float>(0));
}

// Sums of blocks of 4,096, a scan of these by one block, and each block again.
__global__ void scan_sums(const uint4* __restrict__ in, u32* sums) {
  u32 sum = 0;
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    const uint4 x = in[blockIdx.x * 1024 + k * 256 + threadIdx.x];
    sum += x.x + x.y + x.z + x.w;
  }
  sum = block_total(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
/// Exclusive sums in place by one block of 256, sixteen a thread; what all are together.
__device__ u32 scan_in_place(u32* sums, u32 n) {
  u32 before = 0;
  for (u32 base = 0; base < n; base += 4096) {
    const u32 first = base + threadIdx.x * 16;
    u32 own = 0;
    for (u32 k = 0; k < 16; ++k) own += first + k < n ? sums[first + k] : 0;
    u32 total;
    u32 at = before + block_scan(own, total) - own;
    for (u32 k = 0; k < 16 && first + k < n; ++k) {
      const u32 x = sums[first + k];
      sums[first + k] = at;
      at += x;
    }
    before += total;
  }
  return before;
}
__global__ void scan_starts(u32* sums, u32 n) { scan_in_place(sums, n); }
__global__ void scan_blocks(const uint4* __restrict__ in, const u32* __restrict__ starts, uint4* out) {
  u32 before = starts[blockIdx.x];
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    const u32 i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    uint4 x = in[i];
    x.y += x.x, x.z += x.y, x.w += x.z;
    u32 total;
    const u32 add = before + block_scan(x.w, total) - x.w;
    out[i] = make_uint4(x.x + add, x.y + add, x.z + add, x.w + add);
    before += total;
  }
}
VYRE_HAND(prefix_sum) {
  const size_t blocks = a.count<u32>(0) / 4096;
  u32* sums = scratch_of<u32>(blocks);
  launch(scan_sums, blocks, 256, a.at<uint4>(0), sums);
  launch(scan_starts, 1, 256, sums, blocks);
  launch(scan_blocks, blocks, 256, a.at<uint4>(0), sums, a.at<uint4>(1));
}

__global__ void compact_counts(const uint4* __restrict__ in, u32* counts) {
  const uint4 x = in[global_x()];
  const u32 sum = block_total((x.x & 1) + (x.y & 1) + (x.z & 1) + (x.w & 1));
  if (threadIdx.x == 0) counts[blockIdx.x] = sum;
}
__global__ void compact_starts(u32* counts, u32 n, u32* count) {
  const u32 all = scan_in_place(counts, n);
  if (threadIdx.x == 0) *count = all;
}
__global__ void compact_move(const uint4* __restrict__ in, const u32* __restrict__ starts, u32* out) {
  const uint4 x = in[global_x()];
  const u32 own = (x.x & 1) + (x.y & 1) + (x.z & 1) + (x.w & 1);
  u32 total;
  u32 at = starts[blockIdx.x] + block_scan(own, total) - own;
  if (x.x & 1) out[at++] = x.x;
  if (x.y & 1) out[at++] = x.y;
  if (x.z & 1) out[at++] = x.z;
  if (x.w & 1) out[at] = x.w;
}
VYRE_HAND(compact) {
  const size_t blocks = a.count<u32>(0) / 1024;
  u32* counts = scratch_of<u32>(blocks);
  launch(compact_counts, blocks, 256, a.at<uint4>(0), counts);
  launch(compact_starts, 1, 256, counts, blocks, a.at<u32>(2));
  launch(compact_move, blocks, 256, a.at<uint4>(0), counts, a.at<u32>(1));
}

// A table a block in shared memory.
__global__ void histogram_kernel(const u32* __restrict__ data, const u32* __restrict__ count, u32* bins) {
  __shared__ u32 mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const u32 words = count[0] / 4;
  for (u32 i = global_x(); i < words; i += gridDim.x * 256) {
    const u32 x = data[i];
    atomicAdd(&mine[x & 255], 1u);
    atomicAdd(&mine[x >> 8 & 255], 1u);
    atomicAdd(&mine[x >> 16 & 255], 1u);
    atomicAdd(&mine[x >> 24], 1u);
  }
  __syncthreads();
  if (mine[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
VYRE_HAND(histogram) {
  const unsigned blocks = min(groups_of(a.count<u32>(0), 256), 1056u);
  launch(histogram_kernel, blocks, 256, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2));
}

__global__ void atomics_kernel(const u32* __restrict__ keys, u32* counts, u32 n, u32 rows) {
  const u32 i = global_x();
  if (i < n && keys[i] < rows) atomicAdd(&counts[keys[i]], 1u);
}
VYRE_HAND(atomics) {
  const size_t n = a.count<u32>(0);
  launch(atomics_kernel, groups_of(n, 256), 256, a.at<u32>(0), a.at<u32>(1), n, a.count<u32>(1));
}

}  // namespace
