// Exponentials and logarithms of f32 rounded right, for rivals in C++ and in CUDA C++: in f64 with an error
// of some 2^-51, so that a result is the nearest f32 unless its value is that near to the middle between two.
// For the arguments that the kernels have, not for infinities, NaNs and results that are subnormal.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define VYRE_ANYWHERE __host__ __device__ inline
#else
#define VYRE_ANYWHERE inline
#endif

namespace vyre::bench {

template <typename To, typename From>
VYRE_ANYWHERE To bits_of(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

/// exp(r) for |r| at most half of log 2, by its series.
VYRE_ANYWHERE double exp_small(double r) {
  double p = 1.0 / 6227020800;
  p = fma(p, r, 1.0 / 479001600);
  p = fma(p, r, 1.0 / 39916800);
  p = fma(p, r, 1.0 / 3628800);
  p = fma(p, r, 1.0 / 362880);
  p = fma(p, r, 1.0 / 40320);
  p = fma(p, r, 1.0 / 5040);
  p = fma(p, r, 1.0 / 720);
  p = fma(p, r, 1.0 / 120);
  p = fma(p, r, 1.0 / 24);
  p = fma(p, r, 1.0 / 6);
  p = fma(p, r, 0.5);
  p = fma(p, r, 1.0);
  return fma(p, r, 1.0);
}
VYRE_ANYWHERE float exp_right(float x) {
  constexpr double kMagic = 0x1.8p52;  // adding it rounds to an integer, which is in the low bits
  const double scaled = fma(double(x), 1.4426950408889634, kMagic);
  const double n = scaled - kMagic;
  const double r = fma(n, -2.3190468138462996e-17, fma(n, -0.6931471805599453, double(x)));
  const uint64_t exponent = bits_of<uint64_t>(scaled) << 52;
  return float(bits_of<double>(bits_of<uint64_t>(exp_small(r)) + exponent));
}
VYRE_ANYWHERE float log_right(float x) {
  // x = 2^n m with m from 2/3 to 4/3; log m = 2 artanh((m - 1) / (m + 1)).
  const uint32_t bits = bits_of<uint32_t>(x) - 0x3f2aaaabu;
  const double n = double(int32_t(bits) >> 23);
  const double m = double(bits_of<float>((bits & 0x7fffffu) + 0x3f2aaaabu));
  const double t = (m - 1) / (m + 1), u = t * t;
  double p = 2.0 / 19;
  p = fma(p, u, 2.0 / 17);
  p = fma(p, u, 2.0 / 15);
  p = fma(p, u, 2.0 / 13);
  p = fma(p, u, 2.0 / 11);
  p = fma(p, u, 2.0 / 9);
  p = fma(p, u, 2.0 / 7);
  p = fma(p, u, 2.0 / 5);
  p = fma(p, u, 2.0 / 3);
  return float(fma(n, 0.6931471805599453, fma(p, u * t, 2 * t)));
}
/// exp in f32 alone, within 2 units in the last place.
VYRE_ANYWHERE float exp_near(float x) {
  constexpr float kMagic = 0x1.8p23f;
  const float scaled = fmaf(x, 1.44269504f, kMagic);
  const float n = scaled - kMagic;
  const float r = fmaf(n, -1.42860677e-6f, fmaf(n, -0.693145752f, x));
  float p = 1.0f / 720;
  p = fmaf(p, r, 1.0f / 120);
  p = fmaf(p, r, 1.0f / 24);
  p = fmaf(p, r, 1.0f / 6);
  p = fmaf(p, r, 0.5f);
  p = fmaf(p, r, 1.0f);
  p = fmaf(p, r, 1.0f);
  return bits_of<float>(bits_of<uint32_t>(p) + (bits_of<uint32_t>(scaled) << 23));
}

}  // namespace vyre::bench
