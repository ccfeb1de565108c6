// Exact products, against MPFR with so many bits that nothing is rounded, and by hand where formats end.
#include "num/exact_product.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <vector>

#include "base/random.h"
#include "exactly.h"
#include "num/float.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "binary16, by hand: 0x7bff is 65504, 0x0001 is 2^-24, 0x3c00 is 1");

namespace vyre::num {
namespace {

using Words = std::vector<uint32_t>;

TEST(ExactProduct, AgreesWithMpfr) {
  VYRE_ORACLE(ExternalCorpus, "MPFR, at 2048 bits, where these products are exact");
  uint64_t near = 0, large = 0, small = 0;
  for (const spec::FloatFormat f : kFormats) {
    RandomStream random(3, f.fraction_bits);
    const uint32_t one = f.one() >> f.fraction_bits;
    for (uint32_t trial = 0; trial < 4000; ++trial) {
      Words all(1 + random.below(60));
      Exactly product(2048, 1), factor(2048, 1), distance(2048, 1);
      for (uint32_t& x : all) {
        const uint32_t field = one - 4 + random.below(8);
        x = (trial % 4 == 0 ? random.below(2 * one) : field) << f.fraction_bits |
            (random.next() & (f.sign_bit() | f.fraction_mask()));
        if ((x & ~f.sign_bit()) == 0) x |= 1;
        set(*factor, f, x);
        ASSERT_EQ(mpfr_mul(*product, *product, *factor, MPFR_RNDN), 0) << "exact";
      }
      const ExactProduct ours(f, all);
      const uint32_t rounded = ours.rounded();
      const bool negative = mpfr_signbit(*product) != 0;
      // What one ULP is, and how far a number is in these.
      const mpfr_exp_t leading = mpfr_get_exp(*product) - 1;
      const auto ulp =
          int(std::clamp<mpfr_exp_t>(leading, f.min_exponent(), f.max_exponent())) - int(f.fraction_bits);
      const auto off = [&](uint32_t x) {
        set(*distance, f, x);
        if (f.is_infinite(x) && leading > f.max_exponent()) return 0.0;
        mpfr_sub(*distance, *distance, *product, MPFR_RNDN);
        mpfr_abs(*distance, *distance, MPFR_RNDN);
        mpfr_mul_2si(*distance, *distance, -ulp, MPFR_RNDN);
        mpfr_ceil(*distance, *distance);
        return mpfr_get_d(*distance, MPFR_RNDN);
      };
      EXPECT_EQ((rounded & f.sign_bit()) != 0, negative);
      const uint32_t magnitude = rounded & ~f.sign_bit();
      for (const int step : {-3, -1, 0, 1, 2, 40}) {
        if (step < 0 && magnitude < uint32_t(-step)) continue;
        const uint32_t there = magnitude + uint32_t(step);
        if (there > f.infinity()) continue;
        const uint32_t x = there | (rounded & f.sign_bit());
        const double expected = off(x);
        // Beyond 53 bits the expected number is not exact.
        if (expected < 0x1p53) EXPECT_EQ(ours.ulps_off(x), uint64_t(expected)) << trial << " " << step;
        if (step == 0) EXPECT_LE(expected, 1);
        EXPECT_EQ(ours.ulps_off(x ^ f.sign_bit()), std::nullopt);
      }
      // Nothing is nearer than what it is rounded to.
      set(*factor, f, rounded);
      mpfr_sub(*distance, *factor, *product, MPFR_RNDN);
      mpfr_abs(*distance, *distance, MPFR_RNDN);
      mpfr_mul_2si(*distance, *distance, 1 - ulp, MPFR_RNDN);
      if (!f.is_infinite(rounded)) EXPECT_LE(mpfr_cmp_ui(*distance, 1), 0) << trial;
      near += magnitude > f.least_normal() && !f.is_infinite(rounded);
      large += f.is_infinite(rounded);
      small += magnitude < f.least_normal();
    }
  }
  EXPECT_GT(near, 3000u);
  EXPECT_GT(large, 300u);
  EXPECT_GT(small, 300u);
}

TEST(ExactProduct, KnowsTheEndsOfAFormat) {
  const auto f = spec::kBinary16;
  // 2^15 * 2 is the number after the greatest, which an infinity stands for; 65504 is 32, one ULP, away.
  const Words next = {0x7800, 0x4000};
  EXPECT_EQ(ExactProduct(f, next).rounded(), 0x7c00u);
  EXPECT_EQ(ExactProduct(f, next).ulps_off(0x7c00), 0u);
  EXPECT_EQ(ExactProduct(f, next).ulps_off(0x7bff), 1u);
  EXPECT_EQ(ExactProduct(f, next).ulps_off(0xfc00), std::nullopt);
  // 2^30: only an infinity is near.
  const Words beyond = {0x7800, 0x7800};
  EXPECT_EQ(ExactProduct(f, beyond).ulps_off(0x7c00), 0u);
  EXPECT_EQ(ExactProduct(f, beyond).ulps_off(0x7bff), ((1u << 30) - 65504) / 32);
  // Half of the least: a tie, to zero; both are less than one of it away.
  const Words half = {0x0001, 0x3800};
  EXPECT_EQ(ExactProduct(f, half).rounded(), 0u);
  EXPECT_EQ(ExactProduct(f, half).ulps_off(0), 1u);
  EXPECT_EQ(ExactProduct(f, half).ulps_off(1), 1u);
  EXPECT_EQ(ExactProduct(f, half).ulps_off(2), 2u);
  // Of very small factors, minus.
  const Words tiny(101, 0x8001);
  EXPECT_EQ(ExactProduct(f, tiny).rounded(), 0x8000u);
  EXPECT_EQ(ExactProduct(f, tiny).ulps_off(0x8000), 1u);
  EXPECT_EQ(ExactProduct(f, tiny).ulps_off(0x8005), 5u);
  EXPECT_EQ(ExactProduct(f, tiny).ulps_off(0x7e00), std::nullopt);
  // 1.0009765625^2 = 1 + 2^-9 + 2^-20: rounded down; a tie goes to the even one: (1 + 2^-10) * 1.5
  // = 1.5014...
  const Words squared = {0x3c01, 0x3c01};
  EXPECT_EQ(ExactProduct(f, squared).rounded(), 0x3c02u);
  EXPECT_EQ(ExactProduct(f, squared).ulps_off(0x3c02), 1u);
  const Words tie = {0x3c01, 0x3e00};
  EXPECT_EQ(ExactProduct(f, tie).rounded(), 0x3e02u);
}

}  // namespace
}  // namespace vyre::num
