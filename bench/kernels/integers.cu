// Arithmetic on integers of 32, 64 and 128 bits, in registers.
#include "device.h"

namespace {

__global__ void xorshift(const u32* __restrict__ in, u32* out, u32 n) {
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
  launch(xorshift, groups_of(n, 256), 256, a.at<u32>(0), a.at<u32>(1), n);
}

__global__ void u64_div(const u64* __restrict__ x, const u64* __restrict__ y, u64* out, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const u64 d = y[i] >> 20;
  out[i] = (d == 0 ? 0 : x[i] / d) + (y[i] == 0 ? 0 : x[i] % y[i]);
}
VYRE_HAND(u64_div) {
  const size_t n = a.count<u64>(2);
  launch(u64_div, groups_of(n, 256), 256, a.at<u64>(0), a.at<u64>(1), a.at<u64>(2), n);
}

}  // namespace
