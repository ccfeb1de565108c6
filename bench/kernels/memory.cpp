// What is bound by memory: streams, neighbours, gathers, transposition.
#include <cmath>

#include "kernels/parallel.h"
#include "kernels/rivals.h"

namespace {
using vyre::bench::parallel;
using u32 = uint32_t;

VYRE_HAND(saxpy) {
  const float* __restrict x = a.at<float>(0);
  float* __restrict y = a.at<float>(1);
  const float k = a.at<float>(2)[0];
  parallel(a.count<float>(1), 1 << 14, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) y[i] = std::fma(k, x[i], y[i]);
  });
}
VYRE_HAND(gather) {
  const u32* __restrict at = a.at<u32>(0);
  const u32* __restrict table = a.at<u32>(1);
  u32* __restrict out = a.at<u32>(2);
  const size_t n = a.count<u32>(1);
  parallel(a.count<u32>(2), 1 << 14, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) out[i] = at[i] < n ? table[at[i]] : 0;
  });
}
VYRE_HAND(stencil) {
  const float* __restrict p = a.at<float>(0);
  float* __restrict out = a.at<float>(1);
  const auto n = size_t(std::sqrt(double(a.count<float>(0))));
  parallel(n - 2, 32, [=](size_t first, size_t last) {
    for (size_t y = first + 1; y < last + 1; ++y) {
      for (size_t x = 1; x + 1 < n; ++x) {
        const size_t i = y * n + x;
        out[i] = (p[i] + p[i - 1] + p[i + 1] + p[i - n] + p[i + n]) * 0.2f;
      }
    }
  });
}
VYRE_HAND(transpose) {
  const u32* __restrict p = a.at<u32>(0);
  u32* __restrict out = a.at<u32>(1);
  const auto n = size_t(std::sqrt(double(a.count<u32>(0))));
  constexpr size_t kTile = 16;
  parallel(n / kTile, 4, [=](size_t first, size_t last) {
    for (size_t x0 = first * kTile; x0 < last * kTile; x0 += kTile) {
      for (size_t y0 = 0; y0 < n; y0 += kTile) {
        for (size_t x = x0; x < x0 + kTile; ++x) {
          for (size_t y = y0; y < y0 + kTile; ++y) out[x * n + y] = p[y * n + x];
        }
      }
    }
  });
}
}  // namespace
