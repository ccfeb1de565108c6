// Points (x, y) whose angle is very near to the middle between two binary32 numbers:
//   clang++ -O2 -std=c++20 hard_angles.cpp && ./a.out SEED LIMIT COUNT      (about a minute a point with
//   0.00002)
//
// Let N and D be the significands of y and x, of 24 bits, and M a middle, an odd number of 25 bits. atan(N /
// D 2^-g) is M 2^-(24 + g) where N 2^24 = D M + r with r = D M (tan(a) / a - 1), a = M 2^-(24 + g). For each
// r of the size that this has, the D with D M + r = 0 modulo 2^24 is looked at; it is good when r is what it
// should be to LIMIT, which is then LIMIT 2^-48 of the angle.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

namespace {
using Wide = __float128;
uint32_t pattern(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}
/// tan(a) / a - 1, to 2^-80 for a < 2^-10.
Wide excess(Wide a) {
  const Wide s = a * a;
  return s / 3 + s * s * 2 / 15 + s * s * s * 17 / 315;
}
}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 random(argc > 1 ? strtoull(argv[1], nullptr, 10) : 1);
  const double limit = argc > 2 ? atof(argv[2]) : 0.001;
  const int count = argc > 3 ? atoi(argv[3]) : 1;
  constexpr uint64_t kMask = (1 << 24) - 1;
  constexpr double kMost = 200000;  // values of r for one M
  for (int g = 11; g <= 20; ++g) {
    for (int found = 0; found < count;) {
      const uint64_t middle = (random() >> 40) | (1 << 24) | 1;
      uint64_t inverse = middle;
      for (int i = 0; i < 5; ++i) inverse *= 2 - middle * inverse;
      const Wide more = excess(Wide(middle) * std::ldexp(1.0, -24 - g));
      const double least = double(more) * double(1 << 23) * double(middle);  // D is in [2^23, 2^24)
      const double spread = least - std::fmin(least, kMost);
      uint64_t r = uint64_t(least + spread * double(random() >> 11) * 0x1p-53);
      for (const uint64_t end = r + uint64_t(std::fmin(least, kMost)) + 2; r < end && found < count; ++r) {
        const uint64_t d = (0 - r * inverse) & kMask, n = (d * middle + r) >> 24;
        if (d >> 23 == 0 || n >> 23 != 1) continue;
        if (std::fabs(double(more) * double(d) * double(middle) - double(r)) > 1) continue;
        const double off = std::fabs(double(more * Wide(d) * Wide(middle) - Wide(r)));
        if (off > limit) continue;
        std::printf("{0x%08x, 0x%08x},  // 2^%.1f\n", pattern(std::ldexp(float(n), -g)), pattern(float(d)),
                    std::log2(off / (double(d) * double(middle))));
        std::fflush(stdout);
        ++found;
      }
    }
  }
}
