// Floats worth trying: what the lists hold, and that directed tuples get where they are aimed.
#include "generate/float_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/digest.h"
#include "base/random.h"
#include "generate/cases.h"
#include "oracle.h"
#include "spec/float_format.h"

VYRE_ORACLE(SpecificationTable, "IEEE 754's definition of a format's values, applied to both formats");

namespace vyre::generate {
namespace {

using spec::DataType;
using spec::FloatFormat;

constexpr DataType kTypes[] = {DataType::F16, DataType::BF16, DataType::F32};

/// The number that a pattern of a format stands for, by the definition of the interchange formats.
double number(FloatFormat f, uint32_t word) {
  const int exponent = int((word & f.infinity()) >> f.fraction_bits),
            fraction = int(word & f.fraction_mask());
  const double sign = (word & f.sign_bit()) != 0 ? -1 : 1;
  if (exponent == (1 << f.exponent_bits) - 1) return fraction != 0 ? NAN : sign * INFINITY;
  const double scaled = exponent == 0 ? fraction : fraction + double(f.least_normal());
  return sign * std::ldexp(scaled, std::max(exponent, 1) - f.bias() - int(f.fraction_bits));
}

TEST(SmallFloats, AreThoseOfTheSmallFormatExactly) {
  constexpr FloatFormat small{5, 2};
  for (const DataType type : kTypes) {
    const FloatFormat f = spec::float_format(type);
    const auto list = small_floats(type);
    EXPECT_EQ(std::set(list.begin(), list.end()).size(), 256u);
    size_t nans = 0;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const double want = number(small, byte), have = number(f, list[byte]);
      nans += std::isnan(want);
      EXPECT_EQ(std::isnan(want), std::isnan(have));
      if (!std::isnan(want)) EXPECT_EQ(want, have) << byte;
      EXPECT_EQ(std::signbit(want), std::signbit(have)) << byte;
      EXPECT_EQ(list[byte] & ~f.mask(), 0u);
    }
    EXPECT_EQ(nans, 6u);
  }
}

TEST(EdgeFloats, AreDistinctAndHaveTheEnds) {
  VYRE_ORACLE(Property, "the header: unique, ascending, of both signs; what arithmetic turns at");
  for (const DataType type : kTypes) {
    const FloatFormat f = spec::float_format(type);
    const auto edges = edge_floats(type);
    EXPECT_TRUE(std::ranges::is_sorted(edges));
    EXPECT_EQ(std::ranges::adjacent_find(edges), edges.end());
    EXPECT_LE(edges.back(), f.mask());
    const auto adversarial = adversarial_floats(type);
    EXPECT_EQ(std::set(adversarial.begin(), adversarial.end()).size(), adversarial.size());
    EXPECT_GE(adversarial.size(), 50u);
    for (const uint32_t word : adversarial) {
      EXPECT_TRUE(std::ranges::binary_search(edges, word)) << word;
      EXPECT_NE(std::ranges::find(adversarial, word ^ f.sign_bit()), adversarial.end()) << word;
    }
    for (const uint32_t word : {0u, 1u, f.least_normal() - 1, f.least_normal(), f.one(), f.greatest(),
                                f.infinity(), f.infinity() | 1, f.nan(), f.nan() | 1}) {
      EXPECT_NE(std::ranges::find(adversarial, word), adversarial.end()) << word;
    }
  }
}

/// Whether x is halfway between two neighbours of the format, its exponents unbounded above.
bool is_tie(FloatFormat f, double x) {
  if (x == 0 || !std::isfinite(x)) return false;
  const int unit = std::max(std::ilogb(x), f.min_exponent()) - int(f.fraction_bits);
  return std::fabs(std::remainder(x, std::ldexp(1.0, unit))) == std::ldexp(0.5, unit);
}

TEST(DirectedFloats, GetWhereTheyAreAimed) {
  VYRE_ORACLE(CpuReference,
              "exact sums and products in double, which has room for all of F16's and for BF16's products");
  constexpr uint32_t kCases = 50'000;
  for (const DataType type : {DataType::F16, DataType::BF16}) {
    const FloatFormat f = spec::float_format(type);
    uint32_t ties = 0, subnormal = 0, overflows = 0, cancels = 0, fused = 0;
    const Cases cases("directed", std::vector<DataType>(3, type), Strategy::Random, 5);
    for (uint32_t k = 0; k < kCases; ++k) {
      const auto x = cases.at(k);
      for (const uint32_t word : x) EXPECT_EQ(word & ~f.mask(), 0u);
      const double a = number(f, x[0]), b = number(f, x[1]), c = number(f, x[2]);
      if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) continue;
      ties += is_tie(f, a * b) || is_tie(f, a + b);
      subnormal += std::fabs(a * b) < std::ldexp(1.0, f.min_exponent());
      overflows += std::fabs(a * b) > number(f, f.greatest());
      cancels += a + b != 0 && std::fabs(a + b) < std::fabs(a) / 16;
      // A product and a sum that are not the product's rounding alone, and nearly cancel.
      fused += std::isfinite(c) && a * b + c != 0 && std::fabs(a * b + c) < std::fabs(a * b) / 64;
    }
    EXPECT_GT(ties, kCases / 50) << spec::text(type);
    EXPECT_GT(subnormal, kCases / 50) << spec::text(type);
    EXPECT_GT(overflows, kCases / 50) << spec::text(type);
    EXPECT_GT(cancels, kCases / 50) << spec::text(type);
    EXPECT_GT(fused, kCases / 20) << spec::text(type);
  }
}

// What a number stands for is permanent: tokens and certificates name it.
TEST(DirectedFloats, StayWhatTheyAre) {
  VYRE_ORACLE(Regression, "the digest of the first release that had it");
  Hasher h;
  for (const DataType type : kTypes) {
    for (const uint32_t word : edge_floats(type)) h.update_u32(word);
    for (const uint32_t word : adversarial_floats(type)) h.update_u32(word);
    for (size_t n = 1; n <= 3; ++n) {
      const Cases cases("permanent", std::vector<DataType>(n, type), Strategy::Random, 7);
      for (uint64_t k = 0; k < 1000; ++k) {
        for (const uint32_t word : cases.at(k * 1'000'003)) h.update_u32(word);
      }
    }
  }
  EXPECT_EQ(h.finish().hex(), "84fa77c3ba689acf0b5a892c68cab85e955ee1b052fe4fdf9c77e5893d6defb7");
}

}  // namespace
}  // namespace vyre::generate
