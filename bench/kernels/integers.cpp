// Arithmetic on integers of 32, 64 and 128 bits, in registers.
#include "kernels/parallel.h"
#include "kernels/rivals.h"

namespace {
using vyre::bench::parallel;
using u32 = uint32_t;
using u64 = uint64_t;
using u128 = unsigned __int128;

VYRE_HAND(xorshift) {
  const u32* __restrict in = a.at<u32>(0);
  u32* __restrict out = a.at<u32>(1);
  parallel(a.count<u32>(1), 1024, [=](size_t first, size_t last) {
    // So many generators at a time are vectors.
    constexpr size_t kBlock = 64;
    for (size_t i = first; i < last; i += kBlock) {
      u32 x[kBlock];
      for (size_t l = 0; l < kBlock; ++l) x[l] = in[i + l];
      for (int round = 0; round < 64; ++round) {
        for (size_t l = 0; l < kBlock; ++l) {
          x[l] ^= x[l] << 13;
          x[l] ^= x[l] >> 17;
          x[l] ^= x[l] << 5;
        }
      }
      for (size_t l = 0; l < kBlock; ++l) out[i + l] = x[l];
    }
  });
}
VYRE_HAND(u64_div) {
  const u64* __restrict x = a.at<u64>(0);
  const u64* __restrict y = a.at<u64>(1);
  u64* __restrict out = a.at<u64>(2);
  parallel(a.count<u64>(2), 2048, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      const u64 d = y[i] >> 20;
      out[i] = (d == 0 ? 0 : x[i] / d) + (y[i] == 0 ? 0 : x[i] % y[i]);
    }
  });
}
}  // namespace
