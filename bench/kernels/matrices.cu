// Matrices, full and sparse, and ways through graphs. cuBLAS is the library (libraries.cu).
#include "device.h"

namespace {

__global__ void matmul_plain_kernel(const float* __restrict__ p, const float* __restrict__ q, float* c,
                                    u32 n) {
  const u32 x = global_x(), y = global_y();
  float sum = 0;
#pragma unroll 4
  for (u32 k = 0; k < n; ++k) sum = fmaf(p[y * n + k], q[k * n + x], sum);
  c[y * n + x] = sum;
}
VYRE_HAND(matmul_plain) {
  const auto n = u32(sqrt(double(a.count<float>(2))));
  launch(matmul_plain_kernel, dim3(n / 16, n / 16), dim3(16, 16), a.at<float>(0), a.at<float>(1),
         a.at<float>(2), n);
}

__global__ void matmul16_kernel(const float* __restrict__ p, const float* __restrict__ q, float* c, u32 n) {
  __shared__ float tp[16][16], tq[16][16];
  const u32 x = global_x(), y = global_y(), lx = threadIdx.x, ly = threadIdx.y;
  float sum = 0;
  for (u32 t = 0; t < n; t += 16) {
    tp[ly][lx] = p[y * n + t + lx];
    tq[ly][lx] = q[(t + ly) * n + x];
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < 16; ++k) sum = fmaf(tp[ly][k], tq[k][lx], sum);
    __syncthreads();
  }
  c[y * n + x] = sum;
}
VYRE_HAND(matmul16) {
  const auto n = u32(sqrt(double(a.count<float>(2))));
  launch(matmul16_kernel, dim3(n / 16, n / 16), dim3(16, 16), a.at<float>(0), a.at<float>(1), a.at<float>(2),
         n);
}

__global__ void matmul32_kernel(const float* __restrict__ p, const float* __restrict__ q, float* c, u32 n) {
  __shared__ float tp[32][32], tq[32][32];
  const u32 lx = threadIdx.x, ly = threadIdx.y, x = blockIdx.x * 32 + lx, y = blockIdx.y * 32 + ly;
  float sum[4] = {};
  for (u32 t = 0; t < n; t += 32) {
#pragma unroll
    for (u32 r = 0; r < 32; r += 8) {
      tp[ly + r][lx] = p[(y + r) * n + t + lx];
      tq[ly + r][lx] = q[(t + ly + r) * n + x];
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < 32; ++k) {
#pragma unroll
      for (u32 r = 0; r < 4; ++r) sum[r] = fmaf(tp[ly + r * 8][k], tq[k][lx], sum[r]);
    }
    __syncthreads();
  }
#pragma unroll
  for (u32 r = 0; r < 4; ++r) c[(y + r * 8) * n + x] = sum[r];
}
VYRE_HAND(matmul32) {
  const auto n = u32(sqrt(double(a.count<float>(2))));
  launch(matmul32_kernel, dim3(n / 32, n / 32), dim3(32, 8), a.at<float>(0), a.at<float>(1), a.at<float>(2),
         n);
}

// Tiles of 128 by 8 in two buffers: one is filled while the other is multiplied; 8 by 8 elements a thread.
__global__ void __launch_bounds__(256)
    matmul128_kernel(const float* __restrict__ p, const float* __restrict__ q, float* c, u32 n) {
  __shared__ float tp[2][8][132], tq[2][8][128];
  const u32 lane = threadIdx.x, lx = lane & 15, ly = lane >> 4;
  const u32 row = blockIdx.y * 128, column = blockIdx.x * 128;
  const u32 pr = lane >> 1, pk = (lane & 1) * 4, qk = lane >> 5, qc = (lane & 31) * 4;
  float sum[8][8] = {};
  float4 np = *reinterpret_cast<const float4*>(p + (row + pr) * n + pk);
  float4 nq = *reinterpret_cast<const float4*>(q + qk * n + column + qc);
  u32 now = 0;
  for (u32 t = 0;;) {
    tp[now][pk][pr] = np.x, tp[now][pk + 1][pr] = np.y, tp[now][pk + 2][pr] = np.z,
    tp[now][pk + 3][pr] = np.w;
    *reinterpret_cast<float4*>(&tq[now][qk][qc]) = nq;
    __syncthreads();
    t += 8;
    if (t < n) {
      np = *reinterpret_cast<const float4*>(p + (row + pr) * n + t + pk);
      nq = *reinterpret_cast<const float4*>(q + (t + qk) * n + column + qc);
    }
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
      float x[8], y[8];
#pragma unroll
      for (u32 i = 0; i < 2; ++i) {
        const float4 u = *reinterpret_cast<const float4*>(&tp[now][k][i * 64 + ly * 4]);
        const float4 v = *reinterpret_cast<const float4*>(&tq[now][k][i * 64 + lx * 4]);
        x[4 * i] = u.x, x[4 * i + 1] = u.y, x[4 * i + 2] = u.z, x[4 * i + 3] = u.w;
        y[4 * i] = v.x, y[4 * i + 1] = v.y, y[4 * i + 2] = v.z, y[4 * i + 3] = v.w;
      }
#pragma unroll
      for (u32 i = 0; i < 8; ++i) {
#pragma unroll
        for (u32 j = 0; j < 8; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
      }
    }
    if (t >= n) break;
    now ^= 1;
  }
#pragma unroll
  for (u32 i = 0; i < 8; ++i) {
#pragma unroll
    for (u32 j = 0; j < 8; j += 4) {
      *reinterpret_cast<float4*>(c + (row + i / 4 * 64 + ly * 4 + i % 4) * n + column + j / 4 * 64 + lx * 4) =
          make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    }
  }
}
VYRE_HAND(matmul128) {
  const auto n = u32(sqrt(double(a.count<float>(2))));
  launch(matmul128_kernel, dim3(n / 128, n / 128), 256, a.at<float>(0), a.at<float>(1), a.at<float>(2), n);
}

__global__ void gemv_kernel(const float* __restrict__ m, const float* __restrict__ v, float* out, u32 rows,
                            u32 columns) {
  const u32 i = global_x();
  if (i >= rows) return;
  float sum = 0;
#pragma unroll 16
  for (u32 k = 0; k < columns; ++k) sum = fmaf(m[k * rows + i], v[k], sum);
  out[i] = sum;
}
VYRE_HAND(gemv) {
  const size_t rows = a.count<float>(2);
  launch(gemv_kernel, groups_of(rows, 64), 64, a.at<float>(0), a.at<float>(1), a.at<float>(2), rows,
         a.count<float>(1));
}

__global__ void spmv_kernel(const u32* __restrict__ starts, const u32* __restrict__ columns,
                            const float* __restrict__ values, const float* __restrict__ v, float* out,
                            u32 rows) {
  const u32 row = global_x();
  if (row >= rows) return;
  float sum = 0;
  for (u32 k = starts[row]; k < starts[row + 1]; ++k) sum = fmaf(values[k], v[columns[k]], sum);
  out[row] = sum;
}
VYRE_HAND(spmv) {
  const size_t rows = a.count<float>(4);
  launch(spmv_kernel, groups_of(rows, 128), 128, a.at<u32>(0), a.at<u32>(1), a.at<float>(2), a.at<float>(3),
         a.at<float>(4), rows);
}

__global__ void floyd_warshall_kernel(u32* ways, u32 n, u32 k) {
  const u32 x = global_x(), y = blockIdx.y;
  if (x == k || y == k) return;
  const u32 way = ways[y * n + k] + ways[k * n + x];
  if (way < ways[y * n + x]) ways[y * n + x] = way;
}
VYRE_HAND(floyd_warshall) {
  (void)cudaMemcpyAsync(a.data[1], a.data[0], a.bytes[0], cudaMemcpyDeviceToDevice);
  const auto n = u32(sqrt(double(a.count<u32>(1))));
  for (u32 k = 0; k < n; ++k) launch(floyd_warshall_kernel, dim3(n / 64, n), 64, a.at<u32>(1), n, k);
}

}  // namespace
