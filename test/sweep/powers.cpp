#include "powers.h"

#include <bit>
#include <cmath>

namespace vyre::sweep {
namespace {

uint32_t pattern(double x) { return std::bit_cast<uint32_t>(float(x)); }
double unit(uint64_t bits) { return double(bits >> 11) * 0x1p-53; }

/// An exponent that takes the base to about 2^binades, and its last bits at random.
uint32_t exponent_for(double base, double binades, uint64_t r) {
  const uint32_t y = pattern(binades / std::log2(base));
  return (r & 1) != 0 ? y : y ^ uint32_t(r >> 8 & 0xff);
}
/// Mostly anywhere, else at the ends of the range: subnormal, underflow, overflow.
double binades(uint64_t r) {
  const double at = unit(r * 0x9e3779b97f4a7c15ull);
  switch (r & 7) {
    case 0: return 127.9 + at * 0.2;
    case 1: return -151 + at * 3;
    case 2: return -149 + at * 24;
    default: return -150 + at * 278.5;
  }
}

/// A power with an exact result of few digits, or one beside it: m^(k / 2^n) of an m that is a power itself.
std::array<uint32_t, 2> exact(uint64_t r, uint64_t s) {
  const auto halvings = uint32_t(r >> 3 & 3);   // 1, 1/2, 1/4, 1/8
  const auto whole = int32_t(r >> 8 & 31) - 8;  // numerator
  uint64_t root = 1 + 2 * (s & ((1u << (1 + (r >> 16 & 15))) - 1));
  double base = double(root);
  for (uint32_t i = 0; i < halvings; ++i) base *= base;
  base *= std::ldexp(1, int(s >> 32 & 63) * (1 << halvings) - (32 << halvings));
  const uint32_t x = pattern(base) ^ ((r >> 24 & 7) == 0 ? 1u : 0u);
  const uint32_t y = pattern(double(whole) / double(1u << halvings));
  return {x ^ uint32_t(r >> 30 & 1) << 31, y ^ ((r >> 27 & 7) == 0 ? 1u : 0u)};
}

}  // namespace

std::array<uint32_t, 2> directed_power(uint64_t r, uint64_t s) {
  switch (r >> 60 & 7) {
    case 0:  // next to 1
    case 1: {
      const uint32_t distance = uint32_t(s) & ((1u << (1 + (r >> 40) % 23)) - 1);
      const uint32_t x = 0x3f800000u + ((r >> 39 & 1) != 0 ? distance + 1 : 0u - distance - 1);
      return {x, exponent_for(double(std::bit_cast<float>(x)), binades(r >> 8 ^ s << 3), s >> 32)};
    }
    case 2:
    case 3:
    case 4: {  // any positive number
      const uint32_t x = uint32_t(s) & 0x7fffffff;
      const double base = double(std::bit_cast<float>(x));
      if (!(base > 0) || base == 1 || std::isinf(base)) return {x, uint32_t(r)};
      return {x, exponent_for(base, binades(r >> 4 ^ s >> 3), s >> 32)};
    }
    case 5: return exact(r, s);
    case 6: {  // a negative number and a whole exponent
      const uint32_t y = pattern(double(int32_t(r & 0x3ff) - 512));
      return {uint32_t(s) | 0x80000000u, y};
    }
    default: return {uint32_t(s), uint32_t(s >> 32)};
  }
}

}  // namespace vyre::sweep
