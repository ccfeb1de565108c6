// Many to few: sums, scans, counts, and what is kept of a buffer.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/rivals.h"

namespace {
using vyre::bench::parallel;
using u32 = uint32_t;

u32 sum_of(const u32* in, size_t n) {
  u32 sum = 0;
  for (size_t i = 0; i < n; ++i) sum += in[i];
  return sum;
}
/// Calls body(part, first, last) for as many equal parts as there are threads, at once.
template <typename Body>
void in_parts(size_t n, const Body& body) {
  const size_t parts = vyre::bench::threads(), each = (n + parts - 1) / parts;
  parallel(parts, 1, [&](size_t first, size_t last) {
    for (size_t part = first; part < last; ++part) {
      body(part, std::min(n, part * each), std::min(n, (part + 1) * each));
    }
  });
}

VYRE_HAND(block_sum) {
  const u32* in = a.at<u32>(0);
  u32* sums = a.at<u32>(1);
  parallel(a.count<u32>(1), 64, [=](size_t first, size_t last) {
    for (size_t g = first; g < last; ++g) sums[g] = sum_of(in + g * 256, 256);
  });
}
VYRE_HAND(reduce_u32) {
  const u32* in = a.at<u32>(0);
  std::vector<u32> sums(vyre::bench::threads());
  in_parts(a.count<u32>(0),
           [&](size_t part, size_t first, size_t last) { sums[part] = sum_of(in + first, last - first); });
  a.at<u32>(1)[0] = sum_of(sums.data(), sums.size());
}
VYRE_LIBRARY(reduce_u32, "std::reduce") {
  a.at<u32>(1)[0] = std::reduce(a.at<u32>(0), a.at<u32>(0) + a.count<u32>(0));
}
// The 64 sums of the example, each of every 64th product, are 64 lanes of vectors.
VYRE_HAND(dot) {
  const float* __restrict x = a.at<float>(0);
  const float* __restrict y = a.at<float>(1);
  const size_t n = a.count<float>(0);
  float sum[64] = {};
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (size_t l = 0; l < 64; ++l) sum[l] = std::fma(x[i + l], y[i + l], sum[l]);
  }
  for (size_t l = 0; i + l < n; ++l) sum[l] = std::fma(x[i + l], y[i + l], sum[l]);
  for (size_t width = 32; width > 0; width /= 2) {
    for (size_t l = 0; l < width; ++l) sum[l] = sum[2 * l] + sum[2 * l + 1];
  }
  a.at<float>(2)[0] = sum[0];
}
// Neighbours are added level by level; an odd one at the end goes up as it is.
size_t add_levels(float* t, size_t n, size_t until) {
  while (n > until) {
    for (size_t i = 0; i < n / 2; ++i) t[i] = t[2 * i] + t[2 * i + 1];
    if (n % 2 == 1) t[n / 2] = t[n - 1];
    n = (n + 1) / 2;
  }
  return n;
}
VYRE_HAND(reduce) {
  const float* in = a.at<float>(0);
  const size_t n = a.count<float>(0);
  constexpr size_t kBlock = 2048;
  std::vector<float> sums((n + kBlock - 1) / kBlock);
  parallel(sums.size(), 8, [&](size_t first, size_t last) {
    float t[kBlock / 2];
    for (size_t b = first; b < last; ++b) {
      const float* x = in + b * kBlock;
      const size_t count = std::min(kBlock, n - b * kBlock);
      for (size_t i = 0; i < count / 2; ++i) t[i] = x[2 * i] + x[2 * i + 1];
      if (count % 2 == 1) t[count / 2] = x[count - 1];
      add_levels(t, (count + 1) / 2, 1);
      sums[b] = t[0];
    }
  });
  add_levels(sums.data(), sums.size(), 1);
  a.at<float>(1)[0] = sums.empty() ? 0 : sums[0];
}
VYRE_LIBRARY_CLOSE(reduce, "std::reduce", nullptr) {
  a.at<float>(1)[0] = std::reduce(a.at<float>(0), a.at<float>(0) + a.count<float>(0));
}
VYRE_HAND(prefix_sum) {
  const u32* in = a.at<u32>(0);
  u32* out = a.at<u32>(1);
  std::vector<u32> sums(vyre::bench::threads());
  const size_t n = a.count<u32>(0);
  in_parts(n, [&](size_t part, size_t first, size_t last) { sums[part] = sum_of(in + first, last - first); });
  in_parts(n, [&](size_t part, size_t first, size_t last) {
    u32 sum = sum_of(sums.data(), part);
    for (size_t i = first; i < last; ++i) out[i] = sum += in[i];
  });
}
VYRE_LIBRARY(prefix_sum, "std::inclusive_scan") {
  std::inclusive_scan(a.at<u32>(0), a.at<u32>(0) + a.count<u32>(0), a.at<u32>(1));
}
VYRE_HAND(compact) {
  const u32* in = a.at<u32>(0);
  u32* out = a.at<u32>(1);
  std::vector<u32> counts(vyre::bench::threads());
  const size_t n = a.count<u32>(0);
  in_parts(n, [&](size_t part, size_t first, size_t last) {
    u32 count = 0;
    for (size_t i = first; i < last; ++i) count += in[i] & 1;
    counts[part] = count;
  });
  in_parts(n, [&](size_t part, size_t first, size_t last) {
    u32 at = sum_of(counts.data(), part);
    const u32 end = at + counts[part];
    for (size_t i = first; i < last && at < end; ++i) {
      out[at] = in[i];
      at += in[i] & 1;
    }
  });
  a.at<u32>(2)[0] = sum_of(counts.data(), counts.size());
}
VYRE_LIBRARY(compact, "std::copy_if") {
  u32* out = a.at<u32>(1);
  a.at<u32>(2)[0] =
      u32(std::copy_if(a.at<u32>(0), a.at<u32>(0) + a.count<u32>(0), out, [](u32 x) { return x & 1; }) - out);
}
// Four tables a thread, so that equal neighbours do not wait for each other.
VYRE_HAND(histogram) {
  const uint8_t* data = a.at<uint8_t>(0);
  u32* bins = a.at<u32>(2);
  const size_t n = a.at<u32>(1)[0];
  std::vector<std::array<u32, 256>> parts(vyre::bench::threads());
  in_parts(n, [&](size_t part, size_t first, size_t last) {
    u32 mine[4][256] = {};
    size_t i = first;
    for (; i + 4 <= last; i += 4) {
      for (size_t k = 0; k < 4; ++k) ++mine[k][data[i + k]];
    }
    for (; i < last; ++i) ++mine[0][data[i]];
    for (size_t b = 0; b < 256; ++b) parts[part][b] = mine[0][b] + mine[1][b] + mine[2][b] + mine[3][b];
  });
  for (const auto& part : parts) {
    for (size_t b = 0; b < 256; ++b) bins[b] += part[b];
  }
}
VYRE_HAND(atomics) {
  const u32* keys = a.at<u32>(0);
  u32* counts = a.at<u32>(1);
  const size_t rows = a.count<u32>(1);
  parallel(a.count<u32>(0), 1 << 14, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      if (keys[i] < rows) std::atomic_ref(counts[keys[i]]).fetch_add(1, std::memory_order_relaxed);
    }
  });
}
}  // namespace
