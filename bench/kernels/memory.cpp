// What is bound by memory: streams, neighbours, gathers, transposition.
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/rivals.h"

namespace {
using vyre::bench::parallel;
using u32 = uint32_t;

void saxpy(const vyre::bench::Arrays& a) {
  const float* __restrict x = a.at<float>(0);
  float* __restrict y = a.at<float>(1);
  const float k = a.at<float>(2)[0];
  parallel(a.count<float>(1), 1 << 14, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) y[i] = std::fma(k, x[i], y[i]);
  });
}
VYRE_HAND(saxpy) { saxpy(a); }
VYRE_HAND(saxpy_small) { saxpy(a); }
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
  const size_t rows = a.at<u32>(2)[0], columns = a.at<u32>(2)[1];
  constexpr size_t kTile = 16;
  parallel(columns / kTile, 4, [=](size_t first, size_t last) {
    for (size_t x0 = first * kTile; x0 < last * kTile; x0 += kTile) {
      for (size_t y0 = 0; y0 < rows; y0 += kTile) {
        for (size_t x = x0; x < x0 + kTile; ++x) {
          for (size_t y = y0; y < y0 + kTile; ++y) out[x * rows + y] = p[y * columns + x];
        }
      }
    }
  });
}
VYRE_HAND(xor) {
  const u32* __restrict x = a.at<u32>(0);
  const u32* __restrict y = a.at<u32>(1);
  u32* __restrict out = a.at<u32>(2);
  parallel(a.count<u32>(2), 1 << 14, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) out[i] = x[i] ^ y[i];
  });
}
VYRE_HAND(rgb_to_yuv) {
  const u32* __restrict rgb = a.at<u32>(0);
  u32* __restrict yuv = a.at<u32>(1);
  parallel(a.count<u32>(1), 1 << 13, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      const u32 r = rgb[i] & 255, g = rgb[i] >> 8 & 255, b = rgb[i] >> 16 & 255;
      const u32 y = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
      const u32 u = (112 * b + 32896 - 38 * r - 74 * g) >> 8;
      const u32 v = (112 * r + 32896 - 94 * g - 18 * b) >> 8;
      yuv[i] = y | u << 8 | v << 16;
    }
  });
}
// Sums of columns first, then of five of them.
VYRE_HAND(box_blur) {
  const u32* __restrict image = a.at<u32>(0);
  u32* __restrict out = a.at<u32>(1);
  const auto n = size_t(std::sqrt(double(a.count<u32>(1))));
  parallel(n, 16, [=](size_t first, size_t last) {
    std::vector<u32> sums(n + 4);
    u32* __restrict column = sums.data();
    for (size_t y = first; y < last; ++y) {
      const u32* row = image + y * (n + 4);
      for (size_t x = 0; x < n + 4; ++x) {
        column[x] =
            row[x] + row[x + n + 4] + row[x + 2 * (n + 4)] + row[x + 3 * (n + 4)] + row[x + 4 * (n + 4)];
      }
      for (size_t x = 0; x < n; ++x) {
        out[y * n + x] = (column[x] + column[x + 1] + column[x + 2] + column[x + 3] + column[x + 4]) / 25;
      }
    }
  });
}
// Generations of the Game of Life on a torus, in two buffers in turn.
void generation(const u32* __restrict cells, u32* __restrict next, size_t width, size_t height) {
  parallel(height, 32, [=](size_t first, size_t last) {
    for (size_t y = first; y < last; ++y) {
      const u32* above = cells + (y + height - 1) % height * width;
      const u32* here = cells + y * width;
      const u32* below = cells + (y + 1) % height * width;
      const auto cell = [&](size_t left, size_t x, size_t right) {
        const u32 around = above[left] + above[x] + above[right] + here[left] + here[right] + below[left] +
                           below[x] + below[right];
        next[y * width + x] = (around == 3) | ((here[x] == 1) & (around == 2));
      };
      cell(width - 1, 0, 1);
      for (size_t x = 1; x + 1 < width; ++x) cell(x - 1, x, x + 1);
      cell(width - 2, width - 1, 0);
    }
  });
}
VYRE_HAND(life) {
  u32* cells = a.at<u32>(0);
  const size_t width = a.at<u32>(1)[0], height = a.at<u32>(1)[1], turns = a.at<u32>(1)[2];
  static std::vector<u32> kept;
  kept.resize(width * height);
  u32* from = cells;
  u32* to = kept.data();
  for (size_t turn = 0; turn < turns; ++turn) {
    generation(from, to, width, height);
    std::swap(from, to);
  }
  if (from != cells) std::memcpy(cells, from, width * height * sizeof(u32));
}
}  // namespace
