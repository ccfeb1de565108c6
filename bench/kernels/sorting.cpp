// Sorting.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/rivals.h"

namespace {
using vyre::bench::parallel;
using u32 = uint32_t;

// The network, its comparisons as vectors: a stage's pairs are as far apart as its distance.
VYRE_HAND(bitonic) {
  const u32* in = a.at<u32>(0);
  u32* out = a.at<u32>(1);
  parallel(a.count<u32>(0) / 1024, 1, [=](size_t first, size_t last) {
    for (size_t b = first; b < last; ++b) {
      u32 s[1024];
      std::memcpy(s, in + b * 1024, sizeof s);
      for (u32 size = 2; size <= 1024; size *= 2) {
        for (u32 distance = size / 2; distance > 0; distance /= 2) {
          for (u32 base = 0; base < 1024; base += 2 * distance) {
            u32* __restrict low = s + base;
            u32* __restrict high = s + base + distance;
            const bool down = (base & size) != 0;
            for (u32 i = 0; i < distance; ++i) {
              const u32 x = std::min(low[i], high[i]), y = std::max(low[i], high[i]);
              low[i] = down ? y : x;
              high[i] = down ? x : y;
            }
          }
        }
      }
      std::memcpy(out + b * 1024, s, sizeof s);
    }
  });
}
VYRE_LIBRARY(bitonic, "std::sort") {
  std::copy_n(a.at<u32>(0), a.count<u32>(0), a.at<u32>(1));
  u32* out = a.at<u32>(1);
  parallel(a.count<u32>(0) / 1024, 1, [=](size_t first, size_t last) {
    for (size_t b = first; b < last; ++b) std::sort(out + b * 1024, out + (b + 1) * 1024);
  });
}

// Eight bits a pass, each thread counts and moves its half.
VYRE_HAND(radix_sort) {
  const size_t n = a.count<u32>(0), parts = vyre::bench::threads(), each = (n + parts - 1) / parts;
  std::vector<u32> other(n);
  const u32* from = a.at<u32>(0);
  u32* to = other.data();
  std::vector<std::array<u32, 256>> counts(parts);
  const auto in_parts = [&](const auto& body) {
    parallel(parts, 1, [&](size_t first, size_t last) {
      for (size_t p = first; p < last; ++p)
        body(counts[p], std::min(n, p * each), std::min(n, (p + 1) * each));
    });
  };
  for (int shift = 0; shift < 32; shift += 8) {
    in_parts([&](std::array<u32, 256>& mine, size_t first, size_t last) {
      mine = {};
      for (size_t i = first; i < last; ++i) ++mine[from[i] >> shift & 255];
    });
    u32 start = 0;
    for (size_t digit = 0; digit < 256; ++digit) {
      for (auto& mine : counts) start += std::exchange(mine[digit], start);
    }
    in_parts([&](std::array<u32, 256>& mine, size_t first, size_t last) {
      for (size_t i = first; i < last; ++i) to[mine[from[i] >> shift & 255]++] = from[i];
    });
    from = to;
    to = to == other.data() ? a.at<u32>(1) : other.data();
  }
}
VYRE_LIBRARY(radix_sort, "std::sort") {
  std::copy_n(a.at<u32>(0), a.count<u32>(0), a.at<u32>(1));
  std::sort(a.at<u32>(1), a.at<u32>(1) + a.count<u32>(1));
}
}  // namespace
