// Pictures by iteration.
#include "device.h"

namespace {

__global__ void mandelbrot_kernel(const u32* __restrict__ params, const float* __restrict__ view, u32* out) {
  const u32 column = global_x(), row = global_y(), width = params[0], limit = params[2];
  if (column >= width || row >= params[1]) return;
  const float cx = view[0] + float(column) * view[2], cy = view[1] - float(row) * view[2];
  float x = 0, y = 0;
  u32 step = 0;
  for (; step < limit; ++step) {
    const float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = (x + x) * y + cy;
    x = xx - yy + cx;
  }
  out[row * width + column] = step;
}
// A square: what it is measured on.
VYRE_HAND(mandelbrot) {
  const auto n = u32(sqrt(double(a.count<u32>(2))));
  launch(mandelbrot_kernel, dim3(groups_of(n, 16), groups_of(n, 16)), dim3(16, 16), a.at<u32>(0),
         a.at<float>(1), a.at<u32>(2));
}

}  // namespace
