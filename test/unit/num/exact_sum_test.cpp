// Exact sums, against MPFR with so many bits that nothing is rounded, and by hand where formats end.
#include "num/exact_sum.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "exactly.h"
#include "num/float.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "docs/spec/floats.md, \"Approximate operators\", by hand");

namespace vyre::num {
namespace {

std::vector<uint32_t> numbers(spec::FloatFormat f, RandomStream& random, uint32_t style) {
  std::vector<uint32_t> out(random.below(40));
  const uint32_t fields = (1u << f.exponent_bits) - 1;
  for (uint32_t& x : out) {
    const uint32_t field = style == 0   ? random.below(fields)
                           : style == 1 ? 0
                           : style == 2 ? fields - 6 - random.below(8)
                                        : fields / 2 + random.below(4);
    x = field << f.fraction_bits | (random.next() & (f.sign_bit() | f.fraction_mask()));
  }
  return out;
}

TEST(ExactSum, AgreesWithMpfr) {
  VYRE_ORACLE(ExternalCorpus, "MPFR, at 1024 bits, where these sums are exact");
  uint64_t measured = 0;
  for (const spec::FloatFormat f : kFormats) {
    RandomStream random(1, f.fraction_bits);
    const int least = f.min_exponent() - int(f.fraction_bits);
    for (uint32_t trial = 0; trial < 4000; ++trial) {
      ExactSum mine(f);
      Exactly sum(1024, 0), magnitudes(1024, 0), one(1024, 0), size(1024, 0);
      for (const uint32_t x : numbers(f, random, trial % 4)) {
        mine.add(x);
        set(*one, f, x);
        mpfr_add(*sum, *sum, *one, MPFR_RNDN);
        mpfr_abs(*size, *one, MPFR_RNDN);
        mpfr_add(*magnitudes, *magnitudes, *size, MPFR_RNDN);
      }
      // Rounded: in units of the last place that a result of this size has, ties to even.
      Exactly scaled(1024, 0);
      const int top = mpfr_zero_p(*sum) != 0 ? least : int(mpfr_get_exp(*sum)) - 1;
      const int place = std::max(top - int(f.fraction_bits), least);
      mpfr_mul_2si(*scaled, *sum, -place, MPFR_RNDN);
      mpfr_rint(*scaled, *scaled, MPFR_RNDN);
      mpfr_mul_2si(*scaled, *scaled, place, MPFR_RNDN);
      const uint32_t rounded = mine.rounded();
      set(*one, f, rounded);
      if (f.is_infinite(rounded)) {
        EXPECT_GE(mpfr_cmpabs(*scaled, *one), 0);
        EXPECT_EQ(mpfr_signbit(*scaled) != 0, (rounded & f.sign_bit()) != 0);
      } else {
        EXPECT_EQ(mpfr_cmp(*scaled, *one), 0) << std::hex << rounded;
      }
      set(*one, f, f.greatest());
      EXPECT_EQ(mine.overflows(), mpfr_cmp(*magnitudes, *one) > 0);
      if (mine.overflows()) continue;
      const int top_of = mpfr_zero_p(*magnitudes) != 0 ? least : int(mpfr_get_exp(*magnitudes)) - 1;
      const int ulp = std::max(top_of - int(f.fraction_bits), least);
      const uint32_t anything = random.next() & f.mask();
      for (const uint32_t result :
           {rounded, rounded + 1, rounded + 41, f.sign_bit(), f.infinity(), anything}) {
        if (f.is_nan(result)) continue;
        set(*one, f, result);
        mpfr_sub(*one, *one, *sum, MPFR_RNDN);
        mpfr_abs(*one, *one, MPFR_RNDN);
        mpfr_mul_2si(*one, *one, -ulp, MPFR_RNDN);
        mpfr_ceil(*one, *one);
        const uint64_t wanted =
            mpfr_fits_ulong_p(*one, MPFR_RNDN) != 0 ? mpfr_get_ui(*one, MPFR_RNDN) : UINT64_MAX;
        EXPECT_EQ(mine.ulps_off(result), wanted) << std::hex << result;
        ++measured;
      }
    }
  }
  EXPECT_GT(measured, 10'000u);
}

TEST(ExactSum, KnowsWhereFormatsEnd) {
  const spec::FloatFormat f = spec::kBinary16;
  ExactSum none(f);
  EXPECT_EQ(none.rounded(), 0u);
  EXPECT_FALSE(none.overflows());
  EXPECT_EQ(none.ulps_off(0x8000), 0u);  // a zero has no sign here
  EXPECT_EQ(none.ulps_off(0x0003), 3u);  // of M = 0: the least subnormal number
  ExactSum top(f);
  top.add(f.greatest());
  EXPECT_FALSE(top.overflows());  // M is the greatest number, and not beyond it
  EXPECT_EQ(top.ulps_off(f.greatest()), 0u);
  EXPECT_EQ(top.ulps_off(f.infinity()), 1u);  // the number after it
  EXPECT_EQ(top.ulps_off(f.nan()), std::nullopt);
  top.add(0x8001);  // -2^-24
  EXPECT_TRUE(top.overflows());
  EXPECT_EQ(top.rounded(), f.greatest());
  // 1 - 1 + 2^-10: M is 2 and a bit, so its last place is 2^-9.
  ExactSum cancelling(f);
  for (const uint32_t x : {0x3c00, 0xbc00, 0x1400}) cancelling.add(x);
  EXPECT_EQ(cancelling.rounded(), 0x1400u);
  EXPECT_EQ(cancelling.ulps_off(0x1400), 0u);
  EXPECT_EQ(cancelling.ulps_off(0), 1u);       // half of one, rounded up
  EXPECT_EQ(cancelling.ulps_off(0x9400), 1u);  // 2^-9: just one
  EXPECT_EQ(cancelling.ulps_off(0x9401), 2u);  // just more
}

TEST(ExactSum, HoldsManyOfTheGreatest) {
  // As many up as down leave nothing.
  const spec::FloatFormat f = spec::kBinary32;
  ExactSum sum(f);
  for (uint32_t k = 0; k < 100'000; ++k) sum.add(f.greatest());
  EXPECT_EQ(sum.rounded(), f.infinity());
  for (uint32_t k = 0; k < 100'000; ++k) sum.add(f.greatest() | f.sign_bit());
  sum.add(1);
  EXPECT_EQ(sum.rounded(), 1u);
}

}  // namespace
}  // namespace vyre::num
