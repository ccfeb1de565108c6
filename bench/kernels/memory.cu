// What is bound by memory: streams, neighbours, gathers, transposition.
#include "device.h"

namespace {

__global__ void saxpy(const float* __restrict__ x, float* y, const float* k, u32 n) {
  const u32 i = global_x();
  if (i < n) y[i] = fmaf(k[0], x[i], y[i]);
}
VYRE_HAND(saxpy) {
  const size_t n = a.count<float>(1);
  launch(saxpy, groups_of(n, 256), 256, a.at<float>(0), a.at<float>(1), a.at<float>(2), n);
}

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

__global__ void transpose(const u32* __restrict__ p, u32* out, u32 n) {
  __shared__ u32 tile[32][33];
  const u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (u32 k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = p[(y + k) * n + x];
  __syncthreads();
  const u32 to_x = blockIdx.y * 32 + threadIdx.x, to_y = blockIdx.x * 32 + threadIdx.y;
  for (u32 k = 0; k < 32; k += 8) out[(to_y + k) * n + to_x] = tile[threadIdx.x][threadIdx.y + k];
}
VYRE_HAND(transpose) {
  const auto n = u32(sqrt(double(a.count<u32>(0))));
  launch(transpose, dim3(n / 32, n / 32), dim3(32, 8), a.at<u32>(0), a.at<u32>(1), n);
}

}  // namespace
