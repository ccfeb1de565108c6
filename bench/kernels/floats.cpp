// Arithmetic on floats: chains in registers, rows, and many with many.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/functions.h"
#include "kernels/parallel.h"
#include "kernels/rivals.h"

namespace {
using vyre::bench::bits_of;
using vyre::bench::exp_near;
using vyre::bench::exp_right;
using vyre::bench::log_right;
using vyre::bench::parallel;
using u16 = uint16_t;
using u32 = uint32_t;

VYRE_HAND(f16_chain) {
  const _Float16* x = a.at<_Float16>(0);
  const _Float16* y = a.at<_Float16>(1);
  _Float16* out = a.at<_Float16>(2);
  parallel(a.count<_Float16>(2), 1024, [=](size_t first, size_t last) {
    constexpr size_t kBlock = 32;
    for (size_t i = first; i < last; i += kBlock) {
      float p[kBlock], q[kBlock];
      for (size_t l = 0; l < kBlock; ++l) p[l] = float(x[i + l]), q[l] = float(y[i + l]);
      for (int round = 0; round < 32; ++round) {
        for (size_t l = 0; l < kBlock; ++l) q[l] = float(_Float16(float(_Float16(q[l] * p[l])) + p[l]));
      }
      for (size_t l = 0; l < kBlock; ++l) out[i + l] = _Float16(q[l]);
    }
  });
}
// Rounds to the upper half, to nearest even; no NaN comes here.
inline float round_bf16(float f) {
  const u32 bits = bits_of<u32>(f);
  return bits_of<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}
VYRE_HAND(bf16_chain) {
  const u16* x = a.at<u16>(0);
  const u16* y = a.at<u16>(1);
  u16* out = a.at<u16>(2);
  parallel(a.count<u16>(2), 1024, [=](size_t first, size_t last) {
    constexpr size_t kBlock = 32;
    for (size_t i = first; i < last; i += kBlock) {
      float p[kBlock], q[kBlock];
      for (size_t l = 0; l < kBlock; ++l)
        p[l] = bits_of<float>(u32{x[i + l]} << 16), q[l] = bits_of<float>(u32{y[i + l]} << 16);
      for (int round = 0; round < 32; ++round) {
        for (size_t l = 0; l < kBlock; ++l) q[l] = round_bf16(round_bf16(q[l] * p[l]) + p[l]);
      }
      for (size_t l = 0; l < kBlock; ++l) out[i + l] = u16(bits_of<u32>(q[l]) >> 16);
    }
  });
}
VYRE_HAND(polynomial) {
  const float* __restrict x = a.at<float>(0);
  const float* __restrict c = a.at<float>(1);
  float* __restrict out = a.at<float>(2);
  parallel(a.count<float>(2), 2048, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; i += 64) {
      float y[64] = {};
      for (size_t k = 0; k < 32; ++k) {
        for (size_t l = 0; l < 64; ++l) y[l] = std::fma(y[l], x[i + l], c[k]);
      }
      for (size_t l = 0; l < 64; ++l) out[i + l] = y[l];
    }
  });
}
VYRE_HAND(fir) {
  const float* __restrict signal = a.at<float>(0);
  const float* __restrict taps = a.at<float>(1);
  float* __restrict out = a.at<float>(2);
  parallel(a.count<float>(2), 2048, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; i += 64) {
      float sum[64] = {};
      for (size_t k = 0; k < 32; ++k) {
        for (size_t l = 0; l < 64; ++l) sum[l] = std::fma(signal[i + l + k], taps[k], sum[l]);
      }
      for (size_t l = 0; l < 64; ++l) out[i + l] = sum[l];
    }
  });
}
VYRE_HAND(conv2d) {
  const float* __restrict image = a.at<float>(0);
  const float* __restrict weights = a.at<float>(1);
  float* __restrict out = a.at<float>(2);
  const auto n = size_t(std::sqrt(double(a.count<float>(2))));
  parallel(n, 8, [=](size_t first, size_t last) {
    for (size_t y = first; y < last; ++y) {
      for (size_t x = 0; x < n; x += 16) {
        float sum[16] = {};
        for (size_t k = 0; k < 25; ++k) {
          const float* row = image + (y + k / 5) * (n + 4) + x + k % 5;
          for (size_t l = 0; l < 16; ++l) sum[l] = std::fma(row[l], weights[k], sum[l]);
        }
        for (size_t l = 0; l < 16; ++l) out[y * n + x + l] = sum[l];
      }
    }
  });
}
void heat_step(const float* __restrict p, float* __restrict q, size_t n) {
  parallel(n, 64, [=](size_t first, size_t last) {
    for (size_t y = first; y < last; ++y) {
      const float* row = p + y * n;
      float* to = q + y * n;
      if (y == 0 || y == n - 1) {
        std::memcpy(to, row, n * sizeof(float));
        continue;
      }
      const float* above = row - n;
      const float* below = row + n;
      for (size_t x = 1; x + 1 < n; ++x) {
        to[x] = std::fma(0.2f, row[x - 1] + row[x + 1] + (above[x] + below[x]) - 4.0f * row[x], row[x]);
      }
      to[0] = row[0], to[n - 1] = row[n - 1];
    }
  });
}
VYRE_HAND(heat) {
  const auto n = size_t(std::sqrt(double(a.count<float>(1))));
  float* to = a.at<float>(1);
  static std::vector<float> other;
  other.resize(n * n);
  heat_step(a.at<float>(0), other.data(), n);
  heat_step(other.data(), to, n);
  for (int turn = 0; turn < 15; ++turn) {
    heat_step(to, other.data(), n);
    heat_step(other.data(), to, n);
  }
}
VYRE_HAND(nbody) {
  const float* __restrict b = a.at<float>(0);
  float* __restrict out = a.at<float>(1);
  const size_t n = a.count<float>(0) / 4;
  parallel(n, 32, [=](size_t first, size_t last) {
    constexpr size_t kBlock = 32;
    for (size_t i = first; i < last; i += kBlock) {
      float x[kBlock], y[kBlock], z[kBlock], ax[kBlock] = {}, ay[kBlock] = {}, az[kBlock] = {};
      for (size_t l = 0; l < kBlock; ++l) {
        x[l] = b[(i + l) * 4], y[l] = b[(i + l) * 4 + 1], z[l] = b[(i + l) * 4 + 2];
      }
      for (size_t j = 0; j < n; ++j) {
        const float bx = b[j * 4], by = b[j * 4 + 1], bz = b[j * 4 + 2], m = b[j * 4 + 3];
        for (size_t l = 0; l < kBlock; ++l) {
          const float dx = bx - x[l], dy = by - y[l], dz = bz - z[l];
          const float d2 = std::fma(dx, dx, std::fma(dy, dy, std::fma(dz, dz, 0.01f)));
          const float s = m / (d2 * std::sqrt(d2));
          ax[l] = std::fma(dx, s, ax[l]), ay[l] = std::fma(dy, s, ay[l]), az[l] = std::fma(dz, s, az[l]);
        }
      }
      for (size_t l = 0; l < kBlock; ++l) {
        out[(i + l) * 3] = ax[l], out[(i + l) * 3 + 1] = ay[l], out[(i + l) * 3 + 2] = az[l];
      }
    }
  });
}
VYRE_HAND(kmeans) {
  const float* __restrict points = a.at<float>(0);
  const float* __restrict c = a.at<float>(1);
  u32* __restrict nearest = a.at<u32>(2);
  const size_t n = a.count<u32>(2);
  parallel(n, 1024, [=](size_t first, size_t last) {
    constexpr size_t kBlock = 32;
    for (size_t i = first; i < last; i += kBlock) {
      float best[kBlock];
      u32 at[kBlock] = {};
      for (float& b : best) b = 1e30f;
      for (u32 k = 0; k < 16; ++k) {
        for (size_t l = 0; l < kBlock; ++l) {
          const float dx = points[i + l] - c[k * 4], dy = points[n + i + l] - c[k * 4 + 1],
                      dz = points[2 * n + i + l] - c[k * 4 + 2], dw = points[3 * n + i + l] - c[k * 4 + 3];
          const float d = std::fma(dx, dx, std::fma(dy, dy, std::fma(dz, dz, dw * dw)));
          at[l] = d < best[l] ? k : at[l];
          best[l] = d < best[l] ? d : best[l];
        }
      }
      for (size_t l = 0; l < kBlock; ++l) nearest[i + l] = at[l];
    }
  });
}

// Trees of rows of 256: halves are added until one is left.
template <typename Combine>
float tree(const float* row, size_t n, Combine combine) {
  float s[256];
  std::memcpy(s, row, n * sizeof(float));
  for (size_t stride = n / 2; stride > 0; stride /= 2) {
    for (size_t l = 0; l < stride; ++l) s[l] = combine(s[l], s[l + stride]);
  }
  return s[0];
}
constexpr auto kAdd = [](float x, float y) { return x + y; };
constexpr auto kMax = [](float x, float y) { return x > y ? x : y; };
VYRE_HAND(layer_norm) {
  const float* x = a.at<float>(0);
  float* y = a.at<float>(1);
  parallel(a.count<float>(1) / 256, 32, [=](size_t first, size_t last) {
    for (size_t r = first; r < last; ++r) {
      const float* row = x + r * 256;
      const float mean = tree(row, 256, kAdd) * 0.00390625f;
      float centred[256], squares[256];
      for (size_t l = 0; l < 256; ++l) centred[l] = row[l] - mean, squares[l] = centred[l] * centred[l];
      const float scale = 1 / std::sqrt(tree(squares, 256, kAdd) * 0.00390625f + 0.00001f);
      for (size_t l = 0; l < 256; ++l) y[r * 256 + l] = centred[l] * scale;
    }
  });
}
template <float (*Exp)(float)>
void softmax(const vyre::bench::Arrays& a) {
  const float* x = a.at<float>(0);
  float* y = a.at<float>(1);
  parallel(a.count<float>(1) / 256, 16, [=](size_t first, size_t last) {
    for (size_t r = first; r < last; ++r) {
      const float largest = tree(x + r * 256, 256, kMax);
      float e[256];
      for (size_t l = 0; l < 256; ++l) e[l] = Exp(x[r * 256 + l] - largest);
      const float sum = tree(e, 256, kAdd);
      for (size_t l = 0; l < 256; ++l) y[r * 256 + l] = e[l] / sum;
    }
  });
}
VYRE_HAND(softmax) { softmax<exp_right>(a); }
VYRE_HAND(softmax_approx) { softmax<exp_near>(a); }

inline float normal(float d) {
  const float k = 1 / std::fma(0.2316419f, std::fabs(d), 1.0f);
  float p = std::fma(k, 1.330274429f, -1.821255978f);
  p = std::fma(k, p, 1.781477937f);
  p = std::fma(k, p, -0.356563782f);
  p = std::fma(k, p, 0.319381530f) * k;
  const float tail = 0.39894228f * exp_right(d * d * -0.5f) * p;
  return d > 0 ? 1 - tail : tail;
}
VYRE_HAND(black_scholes) {
  const float* __restrict spot = a.at<float>(0);
  const float* __restrict strike = a.at<float>(1);
  const float* __restrict years = a.at<float>(2);
  float* __restrict call = a.at<float>(3);
  float* __restrict put = a.at<float>(4);
  parallel(a.count<float>(3), 1024, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      const float s = spot[i], x = strike[i], t = years[i];
      const float root = std::sqrt(t);
      const float d1 = (log_right(s / x) + 0.065f * t) / (0.3f * root);
      const float d2 = d1 - 0.3f * root;
      const float n1 = normal(d1), n2 = normal(d2);
      const float worth = x * exp_right(-0.02f * t);
      call[i] = s * n1 - worth * n2;
      put[i] = worth * (1 - n2) - s * (1 - n1);
    }
  });
}
// Keys by columns, so that scores of neighbours are a vector.
VYRE_HAND(attention) {
  const float* q = a.at<float>(0);
  const float* k = a.at<float>(1);
  const float* v = a.at<float>(2);
  float* out = a.at<float>(3);
  static std::vector<float> columns(64 * 128);
  for (size_t j = 0; j < 128; ++j) {
    for (size_t d = 0; d < 64; ++d) columns[d * 128 + j] = k[j * 64 + d];
  }
  parallel(a.count<float>(3) / 64, 8, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      float score[128] = {}, sum[64] = {};
      for (size_t d = 0; d < 64; ++d) {
        for (size_t j = 0; j < 128; ++j) score[j] = std::fma(q[i * 64 + d], columns[d * 128 + j], score[j]);
      }
      for (float& s : score) s *= 0.125f;
      const float largest = tree(score, 128, kMax);
      for (float& s : score) s = exp_right(s - largest);
      const float total = tree(score, 128, kAdd);
      for (size_t j = 0; j < 128; ++j) {
        for (size_t d = 0; d < 64; ++d) sum[d] = std::fma(score[j], v[j * 64 + d], sum[d]);
      }
      for (size_t d = 0; d < 64; ++d) out[i * 64 + d] = sum[d] / total;
    }
  });
}
}  // namespace
