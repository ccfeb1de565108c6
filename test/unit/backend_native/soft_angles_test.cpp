// Trigonometric compositions where they are hard: next to multiples of a quarter turn, and angles of points.
#include <bit>
#include <cmath>

#include "oracle.h"
#include "soft.h"
#include "soft_steps.h"
#include "spec/ops.h"

VYRE_ORACLE(CpuReference, "num/");

namespace vyre::test {
namespace {

// What the reduction leaves of these is small, and of 16367173 * 2^72 smallest.
TEST(SoftAngles, NumbersNextToMultiplesOfAQuarterTurn) {
  RandomStream random(0x736f6674, 60);
  Words operand = {std::bit_cast<uint32_t>(std::ldexp(16367173.0f, 72))};
  for (uint32_t i = 0; i < 1u << 16; ++i) {
    const double quarters = i < 1u << 15 ? i : std::ldexp(double(random.next() | 1), int(random.below(64)));
    const uint32_t nearest = std::bit_cast<uint32_t>(float(quarters * 1.5707963267948966));
    operand.push_back((nearest + random.below(5) - 2) ^ (random.next() & spec::kBinary32.sign_bit()));
  }
  for (const Op op : {Op::FSin, Op::FCos, Op::FTan}) {
    Columns composition(ops::soft_operator(op, spec::kBinary32));
    expect_columns(composition, {operand}, [&](const Operands& x) { return oracle(op, spec::kBinary32, x); });
  }
}

// Near 1 both are roots, near 1/8, 3/8 ... the known angle changes.
TEST(SoftAngles, SinesNextToOneAndBetweenEighths) {
  Words operand;
  for (uint32_t k = 1; k <= 16; ++k) {
    const uint32_t at = std::bit_cast<uint32_t>(float(k) / 16);
    for (uint32_t i = 0; i < 1u << 12; ++i) {
      const uint32_t x = at + i - (1u << 11);
      operand.push_back(x);
      operand.push_back(x ^ spec::kBinary32.sign_bit());
    }
  }
  for (const Op op : {Op::FASin, Op::FACos, Op::FATan}) {
    Columns composition(ops::soft_operator(op, spec::kBinary32));
    expect_columns(composition, {operand}, [&](const Operands& x) { return oracle(op, spec::kBinary32, x); });
  }
}

class SmallPoints : public testing::TestWithParam<FloatFormat> {};
INSTANTIATE_TEST_SUITE_P(Soft, SmallPoints, testing::ValuesIn(kSmall), name_format);

TEST_P(SmallPoints, AnglesOfAll) {
  const FloatFormat f = GetParam();
  Words y, x;
  for (uint32_t a = 0; a <= f.mask(); ++a) {
    for (uint32_t b = 0; b <= f.mask(); ++b) {
      y.push_back(a);
      x.push_back(b);
    }
  }
  EXPECT_EQ(Steps(Op::FATan2, f).expect_right(y, x), 0u);
}

/// A pattern whose exponent is up to 40 more or less than a has: quotients that are neither tiny nor great.
uint32_t some_binades_from(uint32_t a, FloatFormat f, RandomStream& random) {
  const int32_t exponent = int32_t((a & f.infinity()) >> f.fraction_bits) + int32_t(random.below(81)) - 40;
  const int32_t greatest = int32_t(f.infinity() >> f.fraction_bits) - 1;
  const uint32_t rest = random.next() & (f.sign_bit() | f.fraction_mask());
  return uint32_t(std::clamp(exponent, 0, greatest)) << f.fraction_bits | rest;
}

class Points : public testing::TestWithParam<FloatFormat> {};
INSTANTIATE_TEST_SUITE_P(Soft, Points, testing::ValuesIn(kLanguage), name_format);

TEST_P(Points, AnglesOfDrawnOnes) {
  const FloatFormat f = GetParam();
  constexpr size_t kAngleRows = size_t{1} << 17;
  Draw draw(f, 61);
  Words y(kAngleRows), x(kAngleRows);
  for (size_t i = 0; i < kAngleRows; ++i) {
    y[i] = draw.any();
    x[i] = i % 3 == 0 ? draw.any() : i % 3 == 1 ? draw.near(y[i]) : some_binades_from(y[i], f, draw.random());
  }
  EXPECT_LE(Steps(Op::FATan2, f).expect_right(y, x), 1u);
}

// Subnormal quotients that are a middle between two numbers, above which their angle is not.
TEST(SoftAngles, OfQuotientsThatAreMiddles) {
  for (const FloatFormat f : kLanguage) {
    Words y, x;
    for (uint32_t odd = 1; odd < 1u << 8; odd += 2) {
      for (uint32_t halvings = 1; halvings <= 4; ++halvings) {
        y.push_back(odd);
        x.push_back(f.one() + (halvings << f.fraction_bits));
      }
    }
    Steps(Op::FATan2, f).expect_right(y, x);
  }
}

// These are nearer to the middle between two numbers than 2^-63 of themselves: quotients that are one but for
// the third of their cube (docs/evidence/functions/hard_angles.cpp).
TEST(SoftAngles, NextToMiddles) {
  const Words y = {0x4479c5a9, 0x435130fb, 0x42da2438, 0x4272752e,
                   0x41fba655, 0x415739de, 0x40bf9b74, 0x4018b7e0};
  const Words x = {0x4b286c77, 0x4b05359f, 0x4b467363, 0x4b302e55,
                   0x4b1fe7d3, 0x4b03e7f7, 0x4b135931, 0x4b0833e4};
  EXPECT_EQ(Steps(Op::FATan2, spec::kBinary32).expect_right(y, x), y.size());
}

}  // namespace
}  // namespace vyre::test
