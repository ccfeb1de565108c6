// The functions of CUB that rivals of the library call, as C++ on the host (emulated.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace cub {

/// Whether this is the call that asks how much memory is wanted.
inline bool asks(const void* memory, size_t& bytes) {
  if (memory == nullptr) bytes = 1;
  return memory == nullptr;
}

struct DeviceReduce {
  template <typename In, typename Out>
  static int Sum(void* memory, size_t& bytes, const In* in, Out* out, size_t n) {
    if (!asks(memory, bytes)) *out = std::accumulate(in, in + n, Out{});
    return 0;
  }
};
struct DeviceScan {
  template <typename T>
  static int InclusiveSum(void* memory, size_t& bytes, const T* in, T* out, size_t n) {
    if (!asks(memory, bytes)) std::inclusive_scan(in, in + n, out);
    return 0;
  }
  template <typename T>
  static int ExclusiveSum(void* memory, size_t& bytes, const T* in, T* out, size_t n) {
    if (!asks(memory, bytes)) std::exclusive_scan(in, in + n, out, T{});
    return 0;
  }
};
struct DeviceRadixSort {
  template <typename K>
  static int SortKeys(void* memory, size_t& bytes, const K* in, K* out, size_t n) {
    if (!asks(memory, bytes)) std::sort(out, std::copy(in, in + n, out));
    return 0;
  }
  template <typename K, typename V>
  static int SortPairs(void* memory, size_t& bytes, const K* in, K* out, const V* values, V* out_values,
                       size_t n) {
    if (asks(memory, bytes)) return 0;
    std::vector<size_t> from(n);
    std::iota(from.begin(), from.end(), size_t{0});
    std::sort(from.begin(), from.end(),
              [&](size_t x, size_t y) { return in[x] != in[y] ? in[x] < in[y] : x < y; });
    for (size_t i = 0; i < n; ++i) out[i] = in[from[i]], out_values[i] = values[from[i]];
    return 0;
  }
};
struct DeviceHistogram {
  template <typename T, typename Level>
  static int HistogramEven(void* memory, size_t& bytes, const T* in, uint32_t* bins, int levels, Level lower,
                           Level upper, size_t n) {
    if (asks(memory, bytes)) return 0;
    std::fill_n(bins, levels - 1, 0);
    for (size_t i = 0; i < n; ++i) {
      if (in[i] >= lower && in[i] < upper) ++bins[(in[i] - lower) * Level(levels - 1) / (upper - lower)];
    }
    return 0;
  }
};
struct DeviceSelect {
  template <typename T, typename Flag>
  static int Flagged(void* memory, size_t& bytes, const T* in, const Flag* flags, T* out, uint32_t* count,
                     size_t n) {
    if (asks(memory, bytes)) return 0;
    *count = 0;
    for (size_t i = 0; i < n; ++i) {
      if (flags[i]) out[(*count)++] = in[i];
    }
    return 0;
  }
};

}  // namespace cub
