// F32 and F16 against the host's arithmetic: a third opinion, of silicon.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cases.h"
#include "host.h"
#include "opinions.h"
#include "oracle.h"

VYRE_ORACLE(CpuReference, "the host's float, double, comparisons, conversions and nextafter");

namespace vyre::num::test {
namespace {

constexpr FloatFormat kF32 = spec::kBinary32;
constexpr FloatFormat kF16 = spec::kBinary16;

struct HostBinary {
  const char* name;
  uint32_t (*num)(FloatFormat, uint32_t, uint32_t);
  float (*host)(float, float);
};
constexpr HostBinary kHost[] = {
    {"add", add, [](float a, float b) { return a + b; }},
    {"sub", sub, [](float a, float b) { return a - b; }},
    {"mul", mul, [](float a, float b) { return a * b; }},
    {"div", div, [](float a, float b) { return a / b; }},
};

/// Every pair of directed values and a million at random: fn(a, b, c).
template <class Function>
void for_each_row(FloatFormat f, Function fn) {
  const auto values = directed(f);
  for (const uint32_t a : values) {
    for (const uint32_t b : values) fn(a, b, values[(a ^ b) % values.size()]);
  }
  RandomStream random(6, f.width());
  for (uint32_t i = 0; i < 1'000'000; ++i) {
    const auto [a, b, c] = random_row(f, random);
    fn(a, b, c);
  }
}

TEST(Host, ArithmeticOfF32) {
  ASSERT_EQ(std::fegetround(), FE_TONEAREST);
  for (const HostBinary& op : kHost) {
    Differences differences(op.name);
    for_each_row(kF32, [&](uint32_t a, uint32_t b, uint32_t) {
      differences.expect(op.num(kF32, a, b), of_float(op.host(as_float(a), as_float(b))), a, b);
    });
  }
  Differences fma("mul_add");
  Differences root("sqrt");
  for_each_row(kF32, [&](uint32_t a, uint32_t b, uint32_t c) {
    fma.expect(mul_add(kF32, a, b, c), of_float(std::fma(as_float(a), as_float(b), as_float(c))), a, b, c);
    root.expect(sqrt(kF32, a), of_float(std::sqrt(as_float(a))), a);
  });
}

TEST(Host, ArithmeticOfF16) {
  // The host: in float, rounded once more (host.h).
  for (const HostBinary& op : kHost) {
    Differences differences(op.name);
    for_each_row(kF16, [&](uint32_t a, uint32_t b, uint32_t) {
      const float wide = op.host(half_as_float(a), half_as_float(b));
      differences.expect(op.num(kF16, a, b), half_of_float(wide), a, b);
    });
  }
  Differences root("sqrt");
  for (uint32_t a = 0; a < 1u << 16; ++a) {
    root.expect(sqrt(kF16, a), half_of_float(std::sqrt(half_as_float(a))), a);
  }
}

TEST(Host, OrderOfF32) {
  // The host's comparisons; a number wins over NaN and -0 < +0 (semantics, "Floats"), said with them.
  Differences relations("relations");
  Differences extremes("min and max");
  for_each_row(kF32, [&](uint32_t a, uint32_t b, uint32_t) {
    const float x = as_float(a);
    const float y = as_float(b);
    relations.expect(equal(kF32, a, b), x == y, a, b);
    relations.expect(less(kF32, a, b), x < y, a, b);
    relations.expect(less_equal(kF32, a, b), x <= y, a, b);
    const bool below = x < y || (x == y && std::signbit(x));
    const float least = std::isnan(y) || below ? x : y;
    const float greatest = std::isnan(x) || below ? y : x;
    extremes.expect(min(kF32, a, b), of_float(std::isnan(x) ? y : least), a, b);
    extremes.expect(max(kF32, a, b), of_float(std::isnan(y) ? x : greatest), a, b);
  });
}

double rounded(RoundingMode mode, double x) {
  switch (mode) {
    case RoundingMode::None: break;
    case RoundingMode::Trunc: return std::trunc(x);
    case RoundingMode::Nearest: return std::nearbyint(x);
    case RoundingMode::Floor: return std::floor(x);
    case RoundingMode::Ceil: return std::ceil(x);
  }
  return x;
}

TEST(Host, RoundingOfF32) {
  // The host's double, which holds all integers of 32 bits.
  for (const RoundingMode mode : kModes) {
    Differences differences(std::string(text(mode)));
    for_each_row(kF32, [&](uint32_t a, uint32_t b, uint32_t) {
      // The first operand as it is, the second brought to where integers are.
      for (const uint32_t x : {a, (b & 0x807fffffu) | (125 + (b >> 23) % 36) << 23}) {
        const double whole = rounded(mode, as_float(x));
        differences.expect(round_to_integral(kF32, mode, x), of_float(float(whole)), x);
        const double u32 = std::isnan(whole) ? 0 : std::fmin(std::fmax(whole, 0.0), 4294967295.0);
        const double i32 = std::isnan(whole) ? 0 : std::fmin(std::fmax(whole, -2147483648.0), 2147483647.0);
        differences.expect(to_u32(kF32, mode, x), uint32_t(u32), x);
        differences.expect(to_i32(kF32, mode, x), uint32_t(int32_t(i32)), x);
      }
    });
  }
}

TEST(Host, Conversions) {
  Differences narrow("F32 to F16");
  for_each_row(kF32, [&](uint32_t a, uint32_t b, uint32_t) {
    // The second operand brought to where F16 has its numbers.
    for (const uint32_t x : {a, (b & 0x807fffffu) | (100 + (b >> 23) % 46) << 23}) {
      narrow.expect(convert(kF32, kF16, x), half_of_float(as_float(x)), x);
    }
  });
  Differences widen("F16 and BF16 to F32");
  for (uint32_t a = 0; a < 1u << 16; ++a) {
    widen.expect(convert(kF16, kF32, a), of_float(half_as_float(a)), a);
    widen.expect(convert(spec::kBFloat16, kF32, a), of_float(as_float(a << 16)), a);
  }
  Differences integers("integers to F32");
  RandomStream random(7, 0);
  for (uint32_t i = 0; i < 1'000'000; ++i) {
    const uint64_t x = random.next64() >> random.below(64);
    integers.expect(from_integer(kF32, false, x), of_float(float(x)), x);
    if (x <= INT64_MAX) integers.expect(from_integer(kF32, true, x), of_float(float(-int64_t(x))), x);
  }
}

TEST(Host, NeighboursOfF32) {
  // The host's nextafter; of the largest finite numbers' neighbours too.
  Differences differences("neighbours");
  for_each_row(kF32, [&](uint32_t a, uint32_t, uint32_t) {
    differences.expect(next_up(kF32, a), of_float(std::nextafter(as_float(a), INFINITY)), a);
    differences.expect(next_down(kF32, a), of_float(std::nextafter(as_float(a), -INFINITY)), a);
  });
}

}  // namespace
}  // namespace vyre::num::test
