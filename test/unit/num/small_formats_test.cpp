// Formats of 6 and 8 bits, exhausted: what holds there is the code that runs at 16 and 32 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cases.h"
#include "definition.h"
#include "opinions.h"
#include "oracle.h"

VYRE_ORACLE(CpuReference, "MPFR, and what IEEE 754-2019 says, decided by MPFR's comparison");

namespace vyre::num::test {
namespace {

uint32_t patterns(FloatFormat f) { return 1u << f.width(); }

TEST(SmallFormats, BinaryOperatorsAgreeWithMpfrOnAllPairs) {
  for (const FloatFormat f : kSmall) {
    Mpfr mpfr(f);
    for (const Binary& op : kBinary) {
      Differences differences(describe(f) + " " + op.name);
      for (uint32_t a = 0; a < patterns(f); ++a) {
        for (uint32_t b = 0; b < patterns(f); ++b) {
          differences.expect(op.num(f, a, b), op.mpfr(mpfr, a, b), a, b);
        }
      }
    }
  }
}

TEST(SmallFormats, UnaryOperatorsAgreeWithMpfrOnAllValues) {
  // MPFR; of sign operations the definition: the sign bit and no other (IEEE 754-2019, 5.5.1).
  for (const FloatFormat f : kSmall) {
    Mpfr mpfr(f);
    Differences differences(describe(f));
    for (uint32_t a = 0; a < patterns(f); ++a) {
      for (const Unary& op : kUnary) differences.expect(op.num(f, a), op.mpfr(mpfr, a), a);
      for (const RoundingMode mode : kModes) {
        differences.expect(round_to_integral(f, mode, a), mpfr.round_to_integral(mode, a), uint32_t(mode), a);
        differences.expect(to_u32(f, mode, a), uint32_t(mpfr.to_integer(mode, a, 0, UINT32_MAX)),
                           uint32_t(mode), a);
        differences.expect(to_i32(f, mode, a), uint32_t(mpfr.to_integer(mode, a, INT32_MIN, INT32_MAX)),
                           uint32_t(mode), a);
      }
      const uint32_t half = patterns(f) / 2;
      differences.expect(negate(f, a), a < half ? a + half : a - half, a);
      differences.expect(abs(f, a), a % half, a);
    }
  }
}

TEST(SmallFormats, ConversionsAgreeWithMpfr) {
  std::vector<FloatFormat> all(std::begin(kSmall), std::end(kSmall));
  all.insert(all.end(), std::begin(kTypes), std::end(kTypes));
  for (const FloatFormat to : all) {
    Mpfr mpfr(to);
    for (const FloatFormat from : kSmall) {
      Differences differences(describe(from) + " to " + describe(to));
      for (uint32_t a = 0; a < patterns(from); ++a) {
        differences.expect(convert(from, to, a), mpfr.convert(from, a), a);
      }
    }
  }
}

TEST(SmallFormats, MulAddAgreesWithMpfrOnAllTriplesOfSixBits) {
  for (const FloatFormat f : {FloatFormat{2, 3}, FloatFormat{3, 2}}) {
    Mpfr mpfr(f);
    Differences differences(describe(f) + " mul_add");
    for (uint32_t row = 0; row < 1u << (3 * f.width()); ++row) {
      const uint32_t a = row % patterns(f);
      const uint32_t b = (row >> f.width()) % patterns(f);
      const uint32_t c = row >> (2 * f.width());
      differences.expect(mul_add(f, a, b, c), mpfr.mul_add(a, b, c), a, b, c);
    }
  }
}

TEST(SmallFormats, MulAddIsTheNearestNumberOnAllTriplesOfEightBits) {
  VYRE_ORACLE(SpecificationTable,
              "definition.h: the nearest of all numbers, by comparing with each half way");
  for (const FloatFormat f : {FloatFormat{4, 3}, FloatFormat{5, 2}}) {
    const Definition definition(f);
    Differences differences(describe(f) + " mul_add");
    for (uint32_t a = 0; a < patterns(f); ++a) {
      for (uint32_t b = 0; b < patterns(f); ++b) {
        for (uint32_t c = 0; c < patterns(f); ++c) {
          if (!definition.has_nonzero_sum(a, b, c)) continue;
          differences.expect(mul_add(f, a, b, c), definition.mul_add(a, b, c), a, b, c);
        }
      }
    }
    EXPECT_GT(differences.cases(), (patterns(f) - 16u) * (patterns(f) - 16u) * 128u);
  }
}

TEST(SmallFormats, NeighboursAreTheNextNumbers) {
  // IEEE 754-2019, 5.3.1: "the least floating-point number in the format that compares greater than x", found
  // among all numbers by MPFR's comparison; of zeros the least subnormal; the mirror image for nextDown.
  for (const FloatFormat f : kSmall) {
    Mpfr mpfr(f);
    Differences differences(describe(f));
    for (uint32_t a = 0; a < patterns(f); ++a) {
      uint32_t up = f.infinity();
      uint32_t down = f.infinity() | f.sign_bit();
      for (uint32_t b = 0; b < patterns(f); ++b) {
        if (mpfr.relation(mpfr_less_p, a, b) && mpfr.relation(mpfr_less_p, b, up)) up = b;
        if (mpfr.relation(mpfr_less_p, b, a) && mpfr.relation(mpfr_less_p, down, b)) down = b;
      }
      // Of two zeros the one on the side one comes from.
      if (up == 0) up = f.sign_bit();
      if (down == f.sign_bit()) down = 0;
      if (f.is_nan(a)) up = down = f.nan();
      for (const uint32_t above : {0u, ~f.mask()}) {  // bits above a pattern do not count
        differences.expect(next_up(f, a | above), up, a);
        differences.expect(next_down(f, a | above), down, a);
      }
    }
  }
}

TEST(SmallFormats, FlushMakesZerosOfSubnormals) {
  // By MPFR's comparison: what is smaller than the least normal number, 2 to 1 - bias, becomes a zero.
  for (const FloatFormat f : kSmall) {
    Mpfr mpfr(f);
    Differences differences(describe(f));
    for (uint32_t a = 0; a < patterns(f); ++a) {
      const uint32_t sign = a & (1u << (f.width() - 1));
      const bool small = mpfr.relation(mpfr_less_p, a ^ sign, 1u << f.fraction_bits) != 0;
      for (const uint32_t above : {0u, ~f.mask()})
        differences.expect(flush(f, a | above), small ? sign : a, a);
    }
  }
}

}  // namespace
}  // namespace vyre::num::test
