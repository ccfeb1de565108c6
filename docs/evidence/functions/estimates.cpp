// Bounds of the estimates of soft_wide.cpp, by going through all words: clang++ -O2 -std=c++20 estimates.cpp
// && ./a.out
//
// 1 / b and 1 / sqrt(a) are estimated from the upper word d of a number of 64 bits. The errors b r = 1 - e
// and a r^2 = 1 - h are extreme where the lower word is 0 or all ones; the whole of the latter is counted as
// the next d.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace {
using Exact = unsigned __int128;
uint32_t high(uint32_t a, uint32_t b) { return uint32_t(uint64_t{a} * b >> 32); }
uint32_t q29(uint64_t n, uint64_t m) { return uint32_t((n << 29) / m); }

uint32_t reciprocal(uint32_t d) {
  const uint32_t line = q29(64, 11) - high(d, q29(256, 99));
  uint32_t r = (q29(140, 33) - high(d, line)) << 2;
  for (int i = 0; i < 2; ++i) r = high(r, ~high(d, r)) << 1;
  return r - 2;
}
uint32_t reciprocal_root(uint32_t d) {
  const uint32_t line = 3173392633u - high(d, 3344674922u - high(d, 1309134479u));
  const uint32_t first = (1670943177u - high(d, line)) << 1;
  const uint32_t second = high(first, ((3u << 28) - 2 - high(d, high(first, first))) << 2) << 2;
  return (high(second, (3u << 30) - 2 - high(d, high(second, second))) << 1) - 4;
}
/// 1 - x / 2^places, exactly up to the last conversion.
double rest(Exact x, int places) { return std::ldexp(double(__int128((Exact{1} << places) - x)), -places); }
}  // namespace

int main() {
  double least = 1, greatest = 0;
  for (uint64_t d = uint64_t{1} << 31; d < uint64_t{1} << 32; ++d) {
    const Exact r = reciprocal(uint32_t(d));
    least = std::min(least, rest(r * (d + 1), 63));
    greatest = std::max(greatest, rest(r * d, 63));
  }
  std::printf("reciprocal: 2^%.3f < e < 2^%.3f\n", std::log2(least), std::log2(greatest));
  least = 1, greatest = 0;
  for (uint64_t d = uint64_t{1} << 30; d < uint64_t{1} << 32; ++d) {
    const Exact r = reciprocal_root(uint32_t(d));
    least = std::min(least, rest(r * r * (d + 1), 94));
    greatest = std::max(greatest, rest(r * r * d, 94));
  }
  std::printf("reciprocal root: 2^%.3f < h < 2^%.3f\n", std::log2(least), std::log2(greatest));
}
