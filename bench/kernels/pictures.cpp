// Pictures by iteration.
#include "kernels/parallel.h"
#include "kernels/rivals.h"

namespace {
using vyre::bench::parallel;
using u32 = uint32_t;

// Points of a row at a time, until all have left.
VYRE_HAND(mandelbrot) {
  const u32 width = a.at<u32>(0)[0], height = a.at<u32>(0)[1], limit = a.at<u32>(0)[2];
  const float* view = a.at<float>(1);
  u32* out = a.at<u32>(2);
  parallel(height, 2, [=](size_t first, size_t last) {
    constexpr u32 kBlock = 32;
    for (auto row = u32(first); row < last; ++row) {
      const float cy = view[1] - float(row) * view[2];
      for (u32 column = 0; column < width; column += kBlock) {
        float cx[kBlock], x[kBlock] = {}, y[kBlock] = {};
        u32 steps[kBlock] = {};
        for (u32 l = 0; l < kBlock; ++l) cx[l] = view[0] + float(column + l) * view[2];
        for (u32 step = 0; step < limit; ++step) {
          u32 inside = 0;
          for (u32 l = 0; l < kBlock; ++l) {
            const float xx = x[l] * x[l], yy = y[l] * y[l];
            const u32 in = steps[l] == step && !(xx + yy > 4.0f);
            y[l] = (x[l] + x[l]) * y[l] + cy;
            x[l] = xx - yy + cx[l];
            steps[l] += in;
            inside += in;
          }
          if (inside == 0) break;
        }
        for (u32 l = 0; l < kBlock; ++l) out[row * width + column + l] = steps[l];
      }
    }
  });
}
}  // namespace
