// What is bound by memory: streams, neighbours, gathers, transposition.
#include "device.h"

namespace {

__global__ void saxpy_kernel(const float* __restrict__ x, float* y, const float* k, u32 n) {
  const u32 i = global_x();
  if (i < n) y[i] = fmaf(k[0], x[i], y[i]);
}
void saxpy(const vyre::bench::Arrays& a) {
  const size_t n = a.count<float>(1);
  launch(saxpy_kernel, groups_of(n, 256), 256, a.at<float>(0), a.at<float>(1), a.at<float>(2), n);
}

VYRE_HAND(saxpy) { saxpy(a); }
VYRE_HAND(saxpy_small) { saxpy(a); }

__global__ void gather(const u32* __restrict__ at, const u32* __restrict__ table, u32* out, u32 n, u32 rows) {
  const u32 i = global_x();
  if (i < n) out[i] = at[i] < rows ? table[at[i]] : 0;
}
VYRE_HAND(gather) {
  const size_t n = a.count<u32>(2);
  launch(gather, groups_of(n, 256), 256, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2), n, a.count<u32>(1));
}

__global__ void stencil(const float* __restrict__ p, float* out, u32 n) {
  const u32 x = global_x(), y = global_y();
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1) {
    const u32 i = y * n + x;
    out[i] = (p[i] + p[i - 1] + p[i + 1] + p[i - n] + p[i + n]) * 0.2f;
  }
}
VYRE_HAND(stencil) {
  const auto n = u32(sqrt(double(a.count<float>(0))));
  launch(stencil, dim3(n / 32, n / 8), dim3(32, 8), a.at<float>(0), a.at<float>(1), n);
}

__global__ void transpose(const u32* __restrict__ p, u32* out, u32 rows, u32 columns) {
  __shared__ u32 tile[32][33];
  const u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (u32 k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = p[(y + k) * columns + x];
  __syncthreads();
  const u32 to_x = blockIdx.y * 32 + threadIdx.x, to_y = blockIdx.x * 32 + threadIdx.y;
  for (u32 k = 0; k < 32; k += 8) out[(to_y + k) * rows + to_x] = tile[threadIdx.x][threadIdx.y + k];
}
// The sizes are words of the device; a square is all that it is measured on.
VYRE_HAND(transpose) {
  const auto n = u32(sqrt(double(a.count<u32>(0))));
  launch(transpose, dim3(n / 32, n / 32), dim3(32, 8), a.at<u32>(0), a.at<u32>(1), n, n);
}

__global__ void exclusive_or(const u32* __restrict__ x, const u32* __restrict__ y, u32* out, u32 n) {
  const u32 i = global_x();
  if (i < n) out[i] = x[i] ^ y[i];
}
VYRE_HAND(xor) {
  const size_t n = a.count<u32>(2);
  launch(exclusive_or, groups_of(n, 256), 256, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2), n);
}

__global__ void rgb_to_yuv(const u32* __restrict__ rgb, u32* yuv, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const u32 r = rgb[i] & 255, g = rgb[i] >> 8 & 255, b = rgb[i] >> 16 & 255;
  const u32 y = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
  const u32 u = (112 * b + 32896 - 38 * r - 74 * g) >> 8;
  const u32 v = (112 * r + 32896 - 94 * g - 18 * b) >> 8;
  yuv[i] = y | u << 8 | v << 16;
}
VYRE_HAND(rgb_to_yuv) {
  const size_t n = a.count<u32>(1);
  launch(rgb_to_yuv, groups_of(n, 256), 256, a.at<u32>(0), a.at<u32>(1), n);
}

__global__ void box_blur(const u32* __restrict__ image, u32* out, u32 n) {
  __shared__ u32 tile[20 * 36];
  const u32 left = blockIdx.x * 32, top = blockIdx.y * 16, lane = threadIdx.y * 32 + threadIdx.x;
  for (u32 at = lane; at < 20 * 36; at += 512) {
    const u32 x = left + at % 36;
    tile[at] = x < n + 4 ? image[(top + at / 36) * (n + 4) + x] : 0;
  }
  __syncthreads();
  u32 sum = 0;
#pragma unroll
  for (u32 dy = 0; dy < 5; ++dy) {
#pragma unroll
    for (u32 dx = 0; dx < 5; ++dx) sum += tile[(threadIdx.y + dy) * 36 + threadIdx.x + dx];
  }
  if (left + threadIdx.x < n) out[(top + threadIdx.y) * n + left + threadIdx.x] = sum / 25;
}
VYRE_HAND(box_blur) {
  const auto n = u32(sqrt(double(a.count<u32>(1))));
  launch(box_blur, dim3(groups_of(n, 32), n / 16), dim3(32, 16), a.at<u32>(0), a.at<u32>(1), n);
}

__global__ void generation(const u32* __restrict__ cells, u32* next, u32 width, u32 height) {
  const u32 x = global_x(), y = global_y();
  const u32 left = x == 0 ? width - 1 : x - 1, right = x + 1 == width ? 0 : x + 1;
  const u32* above = cells + (y == 0 ? height - 1 : y - 1) * width;
  const u32* here = cells + y * width;
  const u32* below = cells + (y + 1 == height ? 0 : y + 1) * width;
  const u32 around = above[left] + above[x] + above[right] + here[left] + here[right] + below[left] +
                     below[x] + below[right];
  next[y * width + x] = around == 3 || (here[x] == 1 && around == 2);
}
// A square, two generations: what it is measured on.
VYRE_HAND(life) {
  const auto n = u32(sqrt(double(a.count<u32>(0))));
  u32* const other = scratch_of<u32>(a.count<u32>(0));
  launch(generation, dim3(n / 32, n / 8), dim3(32, 8), a.at<u32>(0), other, n, n);
  launch(generation, dim3(n / 32, n / 8), dim3(32, 8), other, a.at<u32>(0), n, n);
}

}  // namespace
