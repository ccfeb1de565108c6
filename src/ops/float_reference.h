// What the reference function of an operation on floats may see: this machine's own arithmetic, and Arb's.
//
// The host's FPU answers, not vyre: f32 arithmetic is `float`, as the compiler and the standard library have
// it. The formats of 16 bits compute in `double`, where products of theirs are exact; of every other result
// the part that `double` could not hold is found out exactly, and its last bit then says that there is more
// (it is rounded to odd). So the one rounding to 16 bits, which is done over integers, sees what it needs.
// The FPU must be as a process finds it: to nearest, subnormals kept. Nothing of vyre stands here, as in
// reference.h.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>

#include "ops/reference.h"

namespace host_float {

/// The exact value rounded + rest, as a double whose last bit is 1 where it is between two doubles.
inline double to_odd(double rounded, double rest) {
  const bool exact = !(rest < 0 || rest > 0) || !std::isfinite(rounded);
  const auto bits = std::bit_cast<uint64_t>(rounded);
  if (exact || (bits & 1) != 0) return rounded;
  const bool away_from_zero = (rest > 0) == (rounded > 0);
  return std::bit_cast<double>(away_from_zero ? bits + 1 : bits - 1);
}

inline double sum(double x, double y) {
  const double s = x + y, of_y = s - x;
  return to_odd(s, (x - (s - of_y)) + (y - of_y));
}
inline double product(double x, double y) { return x * y; }  // exact: 22 bits at most
inline double quotient(double x, double y) {
  const double q = x / y, rest = std::fma(-q, y, x);
  return to_odd(q, y < 0 ? -rest : rest);
}
inline double fused(double x, double y, double z) { return sum(x * y, z); }
inline double root(double x) {
  const double r = std::sqrt(x);
  return to_odd(r, std::fma(-r, r, x));
}

inline float sum(float x, float y) { return x + y; }
inline float product(float x, float y) { return x * y; }
inline float quotient(float x, float y) { return x / y; }
inline float fused(float x, float y, float z) { return std::fma(x, y, z); }
inline float root(float x) { return std::sqrt(x); }

/// A double in a narrower format, to nearest, ties to even.
template <int exponent_bits, int fraction_bits>
uint32_t narrowed(double x) {
  constexpr uint32_t kInfinity = ((1u << exponent_bits) - 1) << fraction_bits;
  constexpr int kBias = (1 << (exponent_bits - 1)) - 1;
  if (std::isnan(x)) return kInfinity | 1u << (fraction_bits - 1);
  const auto bits = std::bit_cast<uint64_t>(x);
  const uint32_t sign = uint32_t(bits >> 63) << (exponent_bits + fraction_bits);
  if (std::isinf(x)) return sign | kInfinity;
  if (x == 0) return sign;
  const int exponent = int(bits >> 52 & 0x7ff) - 1023;
  const uint64_t significand = (bits & 0xfffffffffffff) | uint64_t{1} << 52;
  const int below_normal = exponent < 1 - kBias ? 1 - kBias - exponent : 0;
  const int dropped = 52 - fraction_bits + below_normal;
  if (dropped > 53) return sign;  // less than half of the least subnormal
  const uint64_t kept = significand >> dropped, rest = significand - (kept << dropped),
                 half = uint64_t{1} << (dropped - 1);
  const uint64_t rounded = kept + (rest > half || (rest == half && kept % 2 == 1) ? 1 : 0);
  // The leading bit of a normal number counts as one exponent more, and so does a carry out of the fraction.
  const uint64_t below = below_normal > 0 ? 0 : uint64_t(exponent + kBias - 1) << fraction_bits;
  const uint64_t pattern = below + rounded;
  return sign | (pattern < kInfinity ? uint32_t(pattern) : kInfinity);
}

struct F16 {
  static constexpr int exponent_bits = 5, fraction_bits = 10;
  static double value(uint32_t pattern) {
    const uint64_t sign = uint64_t{pattern >> 15 & 1} << 63, exponent = pattern >> 10 & 31,
                   fraction = pattern & 0x3ff;
    if (exponent == 0) {
      const double magnitude = double(fraction) * 0x1p-24;
      return sign != 0 ? -magnitude : magnitude;
    }
    const uint64_t wide = exponent == 31 ? 0x7ff : exponent + 1023 - 15;
    return std::bit_cast<double>(sign | wide << 52 | fraction << 42);
  }
  static uint32_t pattern(double x) { return narrowed<exponent_bits, fraction_bits>(x); }
};

struct BF16 {
  static constexpr int exponent_bits = 8, fraction_bits = 7;
  static double value(uint32_t pattern) { return std::bit_cast<float>(pattern << 16); }
  static uint32_t pattern(double x) { return narrowed<exponent_bits, fraction_bits>(x); }
};

struct F32 {
  static constexpr int exponent_bits = 8, fraction_bits = 23;
  static float value(uint32_t pattern) { return std::bit_cast<float>(pattern); }
  static uint32_t pattern(float x) { return std::isnan(x) ? 0x7fc00000 : std::bit_cast<uint32_t>(x); }
};

/// A function of one operand of 16 bits that is worth remembering: Arb takes half a microsecond. Any thread.
template <typename Float, uint32_t (*function)(uint32_t)>
uint32_t remembered(uint32_t a) {
  if constexpr (Float::exponent_bits + Float::fraction_bits + 1 > 16) {
    return function(a);
  } else {
    static std::array<std::atomic<uint32_t>, 1 << 16> values;  // one more than each; 0: not asked for yet
    std::atomic<uint32_t>& value = values[a];
    const uint32_t known = value.load(std::memory_order_relaxed);
    if (known != 0) return known - 1;
    const uint32_t result = function(a);
    value.store(result + 1, std::memory_order_relaxed);
    return result;
  }
}

}  // namespace host_float

/// The elementary functions by Arb, a library of ball arithmetic: a number and a bound of its error, which
/// every step keeps. The precision is doubled until the ball has no two answers left; Ziv's strategy, but for
/// arguments that this never decides, which are known by algebra (float_reference.cpp). Before it, the C
/// library's function of doubles answers where it is so far from every place at which a rounding turns that
/// its error, at most 2 units by glibc's manual, could be 128 times as large: one value in 2^19 needs Arb.
/// MPFR is the interpreter's oracle and stays out of here.
///
/// Operands are numbers of at most 24 bits with exponents of at most 8 bits, infinities or NaN. A result is
/// a double that a format's pattern() rounds as the exact value; a value beyond all formats is
/// any number beyond them. Any thread. Cost: some 30 ns; where Arb decides 0.3 to 0.8 us.
namespace big_float {

double sin(double a);
double cos(double a);
double tan(double a);
double asin(double a);
double acos(double a);
double atan(double a);
double atan2(double y, double x);
double exp(double a);
double log(double a);
double exp2(double a);
double log2(double a);
double exp10(double a);
double log10(double a);
double pow(double a, double b);

}  // namespace big_float
