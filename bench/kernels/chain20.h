// The chain of 20 operators of bench/graphs.vyre as a person writes it, for both kinds of rivals.
#pragma once

#ifdef __CUDACC__
#define VYRE_ANYWHERE __device__
VYRE_ANYWHERE inline float greatest(float x, float y) { return fmaxf(x, y); }
VYRE_ANYWHERE inline float greater(float x, float number) { return fmaxf(x, number); }
VYRE_ANYWHERE inline float lesser(float x, float number) { return fminf(x, number); }
#else
#include <bit>
#include <cstdint>
#define VYRE_ANYWHERE
/// The one that is a number, and of zeros the positive one.
inline float greatest(float x, float y) {
  const auto both = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & std::bit_cast<uint32_t>(y));
  const float number = x == y ? both : x > y ? x : y;
  return y == y ? number : x;
}
inline float greater(float x, float number) { return x > number ? x : number; }
inline float lesser(float x, float number) { return x < number ? x : number; }
#endif

VYRE_ANYWHERE inline float chain20(float x) {
  const float a = x * 1.5f + 0.25f;
  const float b = a * a - x;
  const float c = greater(b, 0.125f) * 0.75f;
  const float d = lesser(c, 8.0f) + a;
  const float e = d * 0.5f - b;
  const float f = (e < 0 ? -e : e) + 1.0f;
  const float g = f * c - d;
  const float h = greatest(g, e) * 0.3f;
  const float i = h + a * 0.1f;
  return lesser(i - f, 100.0f);
}
