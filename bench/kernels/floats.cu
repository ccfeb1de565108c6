// Arithmetic on floats: chains in registers, rows, and many with many.
#include "device.h"
#include "functions.h"
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace {
using vyre::bench::bits_of;
using vyre::bench::exp_near;
using vyre::bench::exp_right;
using vyre::bench::log_right;

// Halves have instructions, two at a time; the host that emulates has _Float16, one at a time.
#ifdef __CUDACC__
__global__ void f16_chain_kernel(const __half2* __restrict__ x, const __half2* __restrict__ y, __half2* out,
                                 u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const __half2 p = x[i];
  __half2 q = y[i];
#pragma unroll
  for (int round = 0; round < 32; ++round) q = __hadd2_rn(__hmul2_rn(q, p), p);
  out[i] = q;
}
__global__ void bf16_chain_kernel(const __nv_bfloat162* __restrict__ x, const __nv_bfloat162* __restrict__ y,
                                  __nv_bfloat162* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const __nv_bfloat162 p = x[i];
  __nv_bfloat162 q = y[i];
#pragma unroll
  for (int round = 0; round < 32; ++round) q = __hadd2_rn(__hmul2_rn(q, p), p);
  out[i] = q;
}
using Half = __half2;
using Brain = __nv_bfloat162;
#else
__global__ void f16_chain_kernel(const _Float16* x, const _Float16* y, _Float16* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  _Float16 q = y[i];
  for (int round = 0; round < 32; ++round) q = _Float16(_Float16(q * x[i]) + x[i]);
  out[i] = q;
}
__global__ void bf16_chain_kernel(const u16* x, const u16* y, u16* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const auto rounded = [](float f) {
    const u32 bits = bits_of<u32>(f);
    return bits_of<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
  };
  const float p = bits_of<float>(u32{x[i]} << 16);
  float q = bits_of<float>(u32{y[i]} << 16);
  for (int round = 0; round < 32; ++round) q = rounded(rounded(q * p) + p);
  out[i] = u16(bits_of<u32>(q) >> 16);
}
using Half = _Float16;
using Brain = u16;
#endif
VYRE_HAND(f16_chain) {
  const size_t n = a.count<Half>(2);
  launch(f16_chain_kernel, groups_of(n, 256), 256, a.at<Half>(0), a.at<Half>(1), a.at<Half>(2), n);
}
VYRE_HAND(bf16_chain) {
  const size_t n = a.count<Brain>(2);
  launch(bf16_chain_kernel, groups_of(n, 256), 256, a.at<Brain>(0), a.at<Brain>(1), a.at<Brain>(2), n);
}

__global__ void polynomial_kernel(const float* __restrict__ x, const float* __restrict__ c, float* out,
                                  u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const float at = x[i];
  float y = 0;
#pragma unroll
  for (u32 k = 0; k < 32; ++k) y = fmaf(y, at, c[k]);
  out[i] = y;
}
VYRE_HAND(polynomial) {
  const size_t n = a.count<float>(2);
  launch(polynomial_kernel, groups_of(n, 256), 256, a.at<float>(0), a.at<float>(1), a.at<float>(2), n);
}

__global__ void fir_kernel(const float* __restrict__ signal, const float* __restrict__ taps, float* out,
                           u32 n) {
  __shared__ float s[256 + 32];
  const u32 i = global_x();
  s[threadIdx.x] = signal[i];
  if (threadIdx.x < 32) s[256 + threadIdx.x] = i + 256 < n + 32 ? signal[i + 256] : 0;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (u32 k = 0; k < 32; ++k) sum = fmaf(s[threadIdx.x + k], taps[k], sum);
  out[i] = sum;
}
VYRE_HAND(fir) {
  const size_t n = a.count<float>(2);
  launch(fir_kernel, unsigned(n / 256), 256, a.at<float>(0), a.at<float>(1), a.at<float>(2), n);
}

__global__ void conv2d_kernel(const float* __restrict__ image, const float* __restrict__ weights, float* out,
                              u32 n) {
  const u32 x = global_x(), y = global_y();
  if (x >= n || y >= n) return;
  float sum = 0;
#pragma unroll
  for (u32 dy = 0; dy < 5; ++dy) {
#pragma unroll
    for (u32 dx = 0; dx < 5; ++dx) sum = fmaf(image[(y + dy) * (n + 4) + x + dx], weights[dy * 5 + dx], sum);
  }
  out[y * n + x] = sum;
}
VYRE_HAND(conv2d) {
  const auto n = u32(sqrt(double(a.count<float>(2))));
  launch(conv2d_kernel, dim3(groups_of(n, 32), groups_of(n, 8)), dim3(32, 8), a.at<float>(0), a.at<float>(1),
         a.at<float>(2), n);
}

__global__ void heat_step(const float* __restrict__ p, float* q, u32 n) {
  const u32 x = global_x(), y = global_y(), i = y * n + x;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1) {
    q[i] = fmaf(0.2f, p[i - 1] + p[i + 1] + (p[i - n] + p[i + n]) - 4.0f * p[i], p[i]);
  } else {
    q[i] = p[i];
  }
}
VYRE_HAND(heat) {
  const auto n = u32(sqrt(double(a.count<float>(1))));
  float* other = scratch_of<float>(n * n);
  const dim3 groups(n / 32, n / 8), threads(32, 8);
  launch(heat_step, groups, threads, a.at<float>(0), other, n);
  launch(heat_step, groups, threads, other, a.at<float>(1), n);
  for (int turn = 0; turn < 15; ++turn) {
    launch(heat_step, groups, threads, a.at<float>(1), other, n);
    launch(heat_step, groups, threads, other, a.at<float>(1), n);
  }
}

// Bodies of a tile in shared memory.
__global__ void nbody_kernel(const float4* __restrict__ bodies, float* out, u32 n) {
  __shared__ float4 tile[128];
  const u32 i = global_x();
  const float4 own = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (u32 base = 0; base < n; base += 128) {
    tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (u32 j = 0; j < 128; ++j) {
      const float4 b = tile[j];
      const float dx = b.x - own.x, dy = b.y - own.y, dz = b.z - own.z;
      const float d2 = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f)));
      const float s = b.w / (d2 * sqrtf(d2));
      ax = fmaf(dx, s, ax), ay = fmaf(dy, s, ay), az = fmaf(dz, s, az);
    }
    __syncthreads();
  }
  out[i * 3] = ax, out[i * 3 + 1] = ay, out[i * 3 + 2] = az;
}
VYRE_HAND(nbody) {
  const size_t n = a.count<float4>(0);
  launch(nbody_kernel, unsigned(n / 128), 128, a.at<float4>(0), a.at<float>(1), n);
}

__global__ void kmeans_kernel(const float* __restrict__ points, const float* __restrict__ c, u32* nearest,
                              u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const float x = points[i], y = points[n + i], z = points[2 * n + i], w = points[3 * n + i];
  float best = 1e30f;
  u32 at = 0;
#pragma unroll
  for (u32 k = 0; k < 16; ++k) {
    const float dx = x - c[k * 4], dy = y - c[k * 4 + 1], dz = z - c[k * 4 + 2], dw = w - c[k * 4 + 3];
    const float d = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, dw * dw)));
    if (d < best) best = d, at = k;
  }
  nearest[i] = at;
}
VYRE_HAND(kmeans) {
  const size_t n = a.count<u32>(2);
  launch(kmeans_kernel, groups_of(n, 256), 256, a.at<float>(0), a.at<float>(1), a.at<u32>(2), n);
}

// Trees of a row of W numbers, a thread each: halves are added, so the last five levels are a warp's.
template <u32 W, typename Combine>
__device__ float tree(float x, float* s, Combine combine) {
  s[threadIdx.x] = x;
  __syncthreads();
#pragma unroll
  for (u32 stride = W / 2; stride >= 32; stride /= 2) {
    if (threadIdx.x < stride) s[threadIdx.x] = combine(s[threadIdx.x], s[threadIdx.x + stride]);
    __syncthreads();
  }
  x = s[threadIdx.x % 32];
#pragma unroll
  for (u32 by = 16; by > 0; by /= 2) x = combine(x, __shfl_down_sync(0xffffffff, x, by));
  if (threadIdx.x == 0) s[0] = x;
  __syncthreads();
  x = s[0];
  __syncthreads();
  return x;
}
struct Add {
  __device__ float operator()(float x, float y) const { return x + y; }
};
struct Max {
  __device__ float operator()(float x, float y) const { return fmaxf(x, y); }
};
__global__ void layer_norm_kernel(const float* __restrict__ x, float* y) {
  __shared__ float s[256];
  const u32 at = global_x();
  const float value = x[at];
  const float centred = value - tree<256>(value, s, Add()) * 0.00390625f;
  const float scale = 1 / sqrtf(tree<256>(centred * centred, s, Add()) * 0.00390625f + 0.00001f);
  y[at] = centred * scale;
}
VYRE_HAND(layer_norm) {
  launch(layer_norm_kernel, unsigned(a.count<float>(1) / 256), 256, a.at<float>(0), a.at<float>(1));
}
template <bool Exact>
__global__ void softmax_kernel(const float* __restrict__ x, float* y) {
  __shared__ float s[256];
  const u32 at = global_x();
  const float value = x[at] - tree<256>(x[at], s, Max());
  const float e = Exact ? exp_right(value) : exp_near(value);
  y[at] = e / tree<256>(e, s, Add());
}
VYRE_HAND(softmax) {
  launch(softmax_kernel<true>, unsigned(a.count<float>(1) / 256), 256, a.at<float>(0), a.at<float>(1));
}
VYRE_HAND(softmax_approx) {
  launch(softmax_kernel<false>, unsigned(a.count<float>(1) / 256), 256, a.at<float>(0), a.at<float>(1));
}

__device__ float normal(float d) {
  const float k = 1 / fmaf(0.2316419f, fabsf(d), 1.0f);
  float p = fmaf(k, 1.330274429f, -1.821255978f);
  p = fmaf(k, p, 1.781477937f);
  p = fmaf(k, p, -0.356563782f);
  p = fmaf(k, p, 0.319381530f) * k;
  const float tail = 0.39894228f * exp_right(d * d * -0.5f) * p;
  return d > 0 ? 1 - tail : tail;
}
__global__ void black_scholes_kernel(const float* __restrict__ spot, const float* __restrict__ strike,
                                     const float* __restrict__ years, float* call, float* put, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const float s = spot[i], x = strike[i], t = years[i];
  const float root = sqrtf(t);
  const float d1 = (log_right(s / x) + 0.065f * t) / (0.3f * root);
  const float d2 = d1 - 0.3f * root;
  const float n1 = normal(d1), n2 = normal(d2);
  const float worth = x * exp_right(-0.02f * t);
  call[i] = s * n1 - worth * n2;
  put[i] = worth * (1 - n2) - s * (1 - n1);
}
VYRE_HAND(black_scholes) {
  const size_t n = a.count<float>(3);
  launch(black_scholes_kernel, groups_of(n, 128), 128, a.at<float>(0), a.at<float>(1), a.at<float>(2),
         a.at<float>(3), a.at<float>(4), n);
}

__global__ void attention_kernel(const float* __restrict__ q, const float4* __restrict__ k,
                                 const float* __restrict__ v, float* out) {
  __shared__ float query[64], weights[128], s[128];
  const u32 lane = threadIdx.x;
  if (lane < 64) query[lane] = q[blockIdx.x * 64 + lane];
  __syncthreads();
  float score = 0;
#pragma unroll
  for (u32 d = 0; d < 16; ++d) {
    const float4 x = k[lane * 16 + d];
    score = fmaf(query[4 * d], x.x, score);
    score = fmaf(query[4 * d + 1], x.y, score);
    score = fmaf(query[4 * d + 2], x.z, score);
    score = fmaf(query[4 * d + 3], x.w, score);
  }
  score = score * 0.125f;
  const float e = exp_right(score - tree<128>(score, s, Max()));
  weights[lane] = e;
  const float total = tree<128>(e, s, Add());
  if (lane < 64) {
    float sum = 0;
#pragma unroll 16
    for (u32 j = 0; j < 128; ++j) sum = fmaf(weights[j], v[j * 64 + lane], sum);
    out[blockIdx.x * 64 + lane] = sum / total;
  }
}
VYRE_HAND(attention) {
  launch(attention_kernel, unsigned(a.count<float>(0) / 64), 128, a.at<float>(0), a.at<float4>(1),
         a.at<float>(2), a.at<float>(3));
}

}  // namespace
