// Arithmetic on integers of 32, 64 and 128 bits, in registers.
#include "device.h"

namespace {

__global__ void xorshift_kernel(const u32* __restrict__ in, u32* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  u32 x = in[i];
#pragma unroll
  for (int round = 0; round < 64; ++round) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  out[i] = x;
}
VYRE_HAND(xorshift) {
  const size_t n = a.count<u32>(1);
  launch(xorshift_kernel, groups_of(n, 256), 256, a.at<u32>(0), a.at<u32>(1), n);
}

__global__ void u64_div_kernel(const u64* __restrict__ x, const u64* __restrict__ y, u64* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const u64 d = y[i] >> 20;
  out[i] = (d == 0 ? 0 : x[i] / d) + (y[i] == 0 ? 0 : x[i] % y[i]);
}
VYRE_HAND(u64_div) {
  const size_t n = a.count<u64>(2);
  launch(u64_div_kernel, groups_of(n, 256), 256, a.at<u64>(0), a.at<u64>(1), a.at<u64>(2), n);
}

__global__ void u64_lcg_kernel(const u64* __restrict__ in, u64* out, const u64* __restrict__ by, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const u64 factor = by[0], term = by[1];
  u64 x = in[i];
#pragma unroll 8
  for (int round = 0; round < 64; ++round) x = x * factor + term;
  out[i] = x;
}
VYRE_HAND(u64_lcg) {
  const size_t n = a.count<u64>(1);
  launch(u64_lcg_kernel, groups_of(n, 256), 256, a.at<u64>(0), a.at<u64>(1), a.at<u64>(2), n);
}

__global__ void u128_add_kernel(const u128* __restrict__ x, const u128* __restrict__ y, u128* out, u32 n) {
  const u32 i = global_x();
  if (i < n) out[i] = x[i] + y[i];
}
VYRE_HAND(u128_add) {
  const size_t n = a.count<u128>(2);
  launch(u128_add_kernel, groups_of(n, 256), 256, a.at<u128>(0), a.at<u128>(1), a.at<u128>(2), n);
}

__global__ void u128_lcg_kernel(const u128* __restrict__ in, u64* out, const u128* __restrict__ by, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const u128 factor = by[0], term = by[1];
  u128 x = in[i];
#pragma unroll 8
  for (int round = 0; round < 32; ++round) x = x * factor + term;
  out[i] = u64(x >> 64);
}
VYRE_HAND(u128_lcg) {
  const size_t n = a.count<u64>(1);
  launch(u128_lcg_kernel, groups_of(n, 256), 256, a.at<u128>(0), a.at<u64>(1), a.at<u128>(2), n);
}

__global__ void crc32_bits_kernel(const u32* __restrict__ data, u32* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  u32 crc = ~data[i];
#pragma unroll
  for (int bit = 0; bit < 32; ++bit) crc = crc >> 1 ^ (0xedb88320u & (0 - (crc & 1)));
  out[i] = ~crc;
}
VYRE_HAND(crc32_bits) {
  const size_t n = a.count<u32>(1);
  launch(crc32_bits_kernel, groups_of(n, 256), 256, a.at<u32>(0), a.at<u32>(1), n);
}

__global__ void popcount_kernel(const uint4* __restrict__ x, const uint4* __restrict__ y, u32* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  u32 count = 0;
#pragma unroll
  for (u32 k = 0; k < 2; ++k) {
    const uint4 p = x[i * 2 + k], q = y[i * 2 + k];
    count += __popc(p.x & q.x) + __popc(p.y & q.y) + __popc(p.z & q.z) + __popc(p.w & q.w);
  }
  out[i] = count;
}
VYRE_HAND(popcount) {
  const size_t n = a.count<u32>(2);
  launch(popcount_kernel, groups_of(n, 256), 256, a.at<uint4>(0), a.at<uint4>(1), a.at<u32>(2), n);
}

// A segment of 8,192 odd numbers a block, in shared memory; each thread strikes out the multiples of its
// primes.
__global__ void small_primes(u32* prime) {
  const u32 p = 2 * global_x() + 1;
  u32 good = 1;
  for (u32 d = 3; d * d <= p; d += 2) good &= p % d != 0;
  prime[global_x()] = good;
}
__global__ void strike(const u32* __restrict__ prime, u32* out, u32 n) {
  __shared__ u32 composite[256];
  composite[threadIdx.x] = 0;
  __syncthreads();
  const u32 low = blockIdx.x * 16384 + 1, high = low + 16382;
  for (u32 k = 1 + threadIdx.x / 32; k < n; k += 8) {
    const u32 p = 2 * k + 1;
    if (prime[k] == 0 || p * p > high) continue;
    u32 at = (low + p - 1) / p * p;
    if (at % 2 == 0) at += p;
    at = max(at, p * p);
    for (u32 bit = (at - low) / 2 + threadIdx.x % 32 * p; bit < 8192; bit += 32 * p) {
      atomicOr(&composite[bit / 32], 1u << bit % 32);
    }
  }
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = ~(composite[threadIdx.x] | (blockIdx.x + threadIdx.x == 0));
}
VYRE_HAND(sieve) {
  const size_t words = a.count<u32>(0);
  const unsigned n = words <= 16384 ? 512 : 4096;
  u32* prime = scratch_of<u32>(n);
  launch(small_primes, n / 64, 64, prime);
  launch(strike, unsigned(words / 256), 256, prime, a.at<u32>(0), n);
}

__global__ void collatz_kernel(u32* out, u32 count) {
  const u32 i = global_x();
  if (i >= count) return;
  u64 n = u64(i) + 1;
  u32 step = 0;
  for (; step < 1000 && n != 1; ++step) n = n & 1 ? n * 3 + 1 : n >> 1;
  out[i] = step;
}
VYRE_HAND(collatz) {
  const size_t n = a.count<u32>(0);
  launch(collatz_kernel, groups_of(n, 256), 256, a.at<u32>(0), n);
}

__global__ void gcd_kernel(const u32* __restrict__ x, const u32* __restrict__ y, u32* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  u32 p = x[i], q = y[i];
  while (q != 0) {
    const u32 r = p % q;
    p = q;
    q = r;
  }
  out[i] = p;
}
VYRE_HAND(gcd) {
  const size_t n = a.count<u32>(2);
  launch(gcd_kernel, groups_of(n, 256), 256, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2), n);
}

__global__ void modpow_kernel(const u32* __restrict__ base, const u32* __restrict__ exponent,
                              const u64* __restrict__ modulus, u32* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const u64 m = modulus[0];
  u64 x = base[i], power = 1;
  for (u32 e = exponent[i]; e != 0; e >>= 1) {
    if (e & 1) power = power * x % m;
    x = x * x % m;
  }
  out[i] = u32(power);
}
VYRE_HAND(modpow) {
  const size_t n = a.count<u32>(3);
  launch(modpow_kernel, groups_of(n, 256), 256, a.at<u32>(0), a.at<u32>(1), a.at<u64>(2), a.at<u32>(3), n);
}

__global__ void walsh_hadamard_kernel(const u32* __restrict__ in, u32* out) {
  __shared__ u32 s[1024];
  const u32 lane = threadIdx.x, first = blockIdx.x * 1024;
  s[lane] = in[first + lane];
  s[lane + 512] = in[first + lane + 512];
  __syncthreads();
#pragma unroll
  for (u32 distance = 1; distance < 1024; distance *= 2) {
    const u32 i = 2 * lane - (lane & (distance - 1));
    const u32 x = s[i], y = s[i + distance];
    s[i] = x + y;
    s[i + distance] = x - y;
    __syncthreads();
  }
  out[first + lane] = s[lane];
  out[first + lane + 512] = s[lane + 512];
}
VYRE_HAND(walsh_hadamard) {
  launch(walsh_hadamard_kernel, unsigned(a.count<u32>(0) / 1024), 512, a.at<u32>(0), a.at<u32>(1));
}

__global__ void ntt_kernel(const u32* __restrict__ in, const u32* __restrict__ roots, u32* out) {
  constexpr u32 kPrime = 998244353;
  __shared__ u32 s[1024];
  const u32 lane = threadIdx.x, first = blockIdx.x * 1024;
  s[__brev(lane) >> 22] = in[first + lane];
  s[__brev(lane + 512) >> 22] = in[first + lane + 512];
  __syncthreads();
#pragma unroll
  for (u32 distance = 1; distance < 1024; distance *= 2) {
    const u32 low = lane & (distance - 1), i = 2 * lane - low;
    const u32 x = s[i], y = u32(u64(s[i + distance]) * roots[distance + low] % kPrime), sum = x + y;
    s[i] = sum >= kPrime ? sum - kPrime : sum;
    s[i + distance] = x < y ? x + kPrime - y : x - y;
    __syncthreads();
  }
  out[first + lane] = s[lane];
  out[first + lane + 512] = s[lane + 512];
}
VYRE_HAND(ntt) {
  launch(ntt_kernel, unsigned(a.count<u32>(0) / 1024), 512, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2));
}

}  // namespace
