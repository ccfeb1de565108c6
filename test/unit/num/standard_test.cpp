// Rows worked out by hand from IEEE 754-2019 and the semantics' section "Floats", each with its reason.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>

#include "num/float.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "IEEE 754-2019, and semantics, \"Floats\" and \"Casts\", by hand");

namespace vyre::num {
namespace {

constexpr FloatFormat kF32 = spec::kBinary32;
constexpr FloatFormat kF16 = spec::kBinary16;
constexpr FloatFormat kBF16 = spec::kBFloat16;
constexpr uint32_t kNaN = 0x7fc00000;

struct Row {
  uint32_t a, b, wanted;
  const char* why;
};
using Binary = uint32_t (*)(FloatFormat, uint32_t, uint32_t);
void expect_rows(std::span<const Row> rows, Binary f) {
  for (const Row& row : rows) EXPECT_EQ(f(kF32, row.a, row.b), row.wanted) << row.why;
}
void expect_rows_either_way(std::span<const Row> rows, Binary f) {
  expect_rows(rows, f);
  for (const Row& row : rows) EXPECT_EQ(f(kF32, row.b, row.a), row.wanted) << row.why;
}

TEST(Standard, Add) {
  // IEEE 754-2019, 4.3.1, 6.1 to 6.3, 7.2, 7.4.
  const Row rows[] = {
      {0x3f800000, 0x33800000, 0x3f800000, "1 + 2^-24 is a tie: even"},
      {0x3f800001, 0x33800000, 0x3f800002, "1 + 2^-23 + 2^-24 is a tie: even"},
      {0x3f800000, 0x33800001, 0x3f800001, "just above the tie"},
      {0x3f800000, 0xb3000000, 0x3f800000, "1 - 2^-25 is a tie of the binade below"},
      {0x3f800000, 0xb3000001, 0x3f7fffff, "just below it"},
      {0x3f800000, 0x00000001, 0x3f800000, "what is far below does not count"},
      {0x3f800000, 0x80000001, 0x3f800000, "nor from the other side"},
      {0x3f800000, 0xbf800000, 0x00000000, "x - x is +0"},
      {0x80000000, 0x80000000, 0x80000000, "the sum of two -0"},
      {0x80000000, 0x00000000, 0x00000000, "zeros of two signs"},
      {0x80000001, 0x00000000, 0x80000001, "zero added to a subnormal number"},
      {0x00800000, 0x80000001, 0x007fffff, "from normal to subnormal, exact"},
      {0x007fffff, 0x00000001, 0x00800000, "and back"},
      {0x7f7fffff, 0x73000000, 0x7f800000, "half a unit above the greatest number"},
      {0x7f7fffff, 0x72ffffff, 0x7f7fffff, "just below it"},
      {0x7f800000, 0x3f800000, 0x7f800000, "infinity"},
      {0x7f800000, 0xff800000, kNaN, "invalid"},
      {0xff800000, 0xff800000, 0xff800000, "infinities of one sign"},
      {0x7f800001, 0x3f800000, kNaN, "a signalling NaN"},
      {0x3f800000, 0xffc12345, kNaN, "sign and payload of a NaN are gone"},
  };
  expect_rows_either_way(rows, add);
  for (const Row& row : rows) EXPECT_EQ(sub(kF32, row.a, row.b ^ 0x80000000), row.wanted) << row.why;
}

TEST(Standard, Mul) {
  const Row rows[] = {
      {0x3fc00000, 0x3fc00000, 0x40100000, "1.5 * 1.5 = 2.25"},
      {0x00000001, 0x3f000000, 0x00000000, "half of the least number is a tie: even"},
      {0x00000001, 0x3f000001, 0x00000001, "just above it"},
      {0x00000003, 0x3f000000, 0x00000002, "one and a half of it: even"},
      {0x80000001, 0x00000001, 0x80000000, "underflow keeps the sign"},
      {0x80000000, 0x3f800000, 0x80000000, "-0 * 1"},
      {0x5f800000, 0x5f800000, 0x7f800000, "2^64 * 2^64"},
      {0x5f7fffff, 0x5f800000, 0x7f7fffff, "just below 2^64, times it, is the greatest number"},
      {0x00ffffff, 0x3f000000, 0x00800000, "a tie between the greatest subnormal and the least normal: even"},
      {0x7f800000, 0xc0000000, 0xff800000, "infinity * -2"},
      {0x7f800000, 0x80000000, kNaN, "infinity * 0 is invalid"},
      {0x7fc00000, 0x00000000, kNaN, "NaN"},
  };
  expect_rows_either_way(rows, mul);
}

TEST(Standard, Div) {
  // IEEE 754-2019, 7.3.
  const Row rows[] = {
      {0x3f800000, 0x40400000, 0x3eaaaaab, "1 / 3, rounded up"},
      {0x41200000, 0x40a00000, 0x40000000, "10 / 5"},
      {0x00000001, 0x40000000, 0x00000000, "half of the least number: even"},
      {0x00000003, 0x40000000, 0x00000002, "one and a half of it: even"},
      {0x3f800000, 0x80000000, 0xff800000, "1 / -0"},
      {0x00000000, 0x80000000, kNaN, "0 / 0 is invalid"},
      {0xff800000, 0x7f800000, kNaN, "infinity / infinity is invalid"},
      {0xbf800000, 0x7f800000, 0x80000000, "-1 / infinity"},
      {0x7f800000, 0x80000000, 0xff800000, "infinity / -0"},
      {0x80000000, 0x40000000, 0x80000000, "-0 / 2"},
      {0x7f7fffff, 0x00000001, 0x7f800000, "overflow"},
      {0x7f7fffff, 0x7f7fffff, 0x3f800000, "x / x"},
  };
  expect_rows(rows, div);
}

TEST(Standard, MulAdd) {
  // IEEE 754-2019, 5.4.1 (fusedMultiplyAdd).
  // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24; rounded twice it would be 0.
  EXPECT_EQ(mul_add(kF32, 0x3f800800, 0x3f800800, 0xbf801000), 0x33800000u);
  // No overflow on the way: greatest * 2 - greatest.
  EXPECT_EQ(mul_add(kF32, 0x7f7fffff, 0x40000000, 0xff7fffff), 0x7f7fffffu);
  // Nor underflow: 2^-75 * 2^-75 is half of the least number, and makes a tie of the sum.
  EXPECT_EQ(mul_add(kF32, 0x1a000000, 0x1a000000, 0x00000001), 0x00000002u);
  EXPECT_EQ(mul_add(kF32, 0x1a000000, 0x1a000000, 0x00000002), 0x00000002u);
  // 1 + 2^-10 + (1 + 2^-10)(1 - 2^-10) 2^-11 is 2^-31 below a tie of F16; F32 on the way would make it the
  // tie.
  EXPECT_EQ(mul_add(kF16, 0x3c01, 0x0ffe, 0x3c01), 0x3c01u);
  EXPECT_EQ(mul_add(kF32, 0x00000000, 0xbf800000, 0x80000000), 0x80000000u) << "-0 + -0";
  EXPECT_EQ(mul_add(kF32, 0x00000000, 0x3f800000, 0x80000000), 0x00000000u) << "+0 + -0";
  EXPECT_EQ(mul_add(kF32, 0x3f800000, 0x3f800000, 0xbf800000), 0x00000000u) << "1 - 1";
  EXPECT_EQ(mul_add(kF32, 0x80000001, 0x00000001, 0x00000000), 0x80000000u) << "a sum just below zero";
  EXPECT_EQ(mul_add(kF32, 0x7f800000, 0x00000000, 0x3f800000), kNaN) << "infinity * 0";
  EXPECT_EQ(mul_add(kF32, 0x7f800000, 0x3f800000, 0xff800000), kNaN) << "infinity - infinity";
  EXPECT_EQ(mul_add(kF32, 0x7f7fffff, 0x7f7fffff, 0xff800000), 0xff800000u)
      << "a product is finite before rounding";
  EXPECT_EQ(mul_add(kF32, 0x3f800000, 0x3f800000, 0x7f800001), kNaN);
}

TEST(Standard, Sqrt) {
  // IEEE 754-2019, 5.4.1, 6.3.
  EXPECT_EQ(sqrt(kF32, 0x40800000), 0x40000000u) << "of 4";
  EXPECT_EQ(sqrt(kF32, 0x40000000), 0x3fb504f3u) << "of 2: 1.41421356";
  EXPECT_EQ(sqrt(kF32, 0x00000001), 0x1a3504f3u) << "of 2^-149: 1.41421356 * 2^-75";
  EXPECT_EQ(sqrt(kF32, 0x80000000), 0x80000000u) << "of -0";
  EXPECT_EQ(sqrt(kF32, 0x80000001), kNaN) << "below zero";
  EXPECT_EQ(sqrt(kF32, 0x7f800000), 0x7f800000u);
  EXPECT_EQ(sqrt(kF32, 0xff800000), kNaN);
  EXPECT_EQ(sqrt(kF32, 0xffc00000), kNaN) << "the one NaN has no sign";
}

TEST(Standard, MinMaxAndSigns) {
  // Semantics, "Floats": a number wins over NaN, -0 < +0; negation and magnitude keep a NaN's bits.
  const Row rows[] = {
      {0x80000000, 0x00000000, 0x80000000, "-0 < +0"},
      {0x7fc00000, 0x3f800000, 0x3f800000, "NaN and 1"},
      {0x7f800001, 0x40000000, 0x40000000, "a signalling NaN and 2"},
      {0xbf800000, 0x3f800000, 0xbf800000, "-1 and 1"},
      {0xff800000, 0xff7fffff, 0xff800000, "-infinity"},
      {0xffc12345, 0x7fc00001, kNaN, "two NaNs give the one"},
  };
  expect_rows_either_way(rows, min);
  EXPECT_EQ(max(kF32, 0x80000000, 0x00000000), 0u);
  EXPECT_EQ(max(kF32, 0x00000000, 0x80000000), 0u);
  EXPECT_EQ(max(kF32, 0xff800000, 0x7fc00000), 0xff800000u);
  EXPECT_EQ(max(kF32, 0xffc12345, 0x7fc00001), kNaN);
  EXPECT_EQ(negate(kF32, 0x7f812345), 0xff812345u);
  EXPECT_EQ(abs(kF32, 0xff812345), 0x7f812345u);
  EXPECT_EQ(negate(kF32, 0x00000000), 0x80000000u);
  EXPECT_EQ(negate(kF16, 0xfe01), 0x7e01u);
}

TEST(Standard, Comparisons) {
  // IEEE 754-2019, 5.11.
  EXPECT_TRUE(equal(kF32, 0x80000000, 0x00000000));
  EXPECT_FALSE(less(kF32, 0x80000000, 0x00000000));
  EXPECT_TRUE(less_equal(kF32, 0x00000000, 0x80000000));
  EXPECT_FALSE(equal(kF32, kNaN, kNaN));
  EXPECT_FALSE(less_equal(kF32, kNaN, kNaN));
  EXPECT_FALSE(less(kF32, 0xff800000, 0xffc00000));
  EXPECT_TRUE(less(kF32, 0xff800000, 0xff7fffff));
  EXPECT_TRUE(less(kF32, 0x80000001, 0x00000000));
}

TEST(Standard, RoundToIntegral) {
  // IEEE 754-2019, 5.9, and semantics, "Floats": a zero keeps the sign.
  constexpr auto kNearest = RoundingMode::Nearest;
  EXPECT_EQ(round_to_integral(kF32, kNearest, 0x3f000000), 0x00000000u) << "0.5";
  EXPECT_EQ(round_to_integral(kF32, kNearest, 0x3fc00000), 0x40000000u) << "1.5";
  EXPECT_EQ(round_to_integral(kF32, kNearest, 0x40200000), 0x40000000u) << "2.5";
  EXPECT_EQ(round_to_integral(kF32, kNearest, 0x3f000001), 0x3f800000u) << "just above 0.5";
  EXPECT_EQ(round_to_integral(kF32, kNearest, 0xbe99999a), 0x80000000u) << "-0.3";
  EXPECT_EQ(round_to_integral(kF32, kNearest, 0x4affffff), 0x4b000000u) << "2^23 - 0.5";
  EXPECT_EQ(round_to_integral(kF32, RoundingMode::Floor, 0xbf000000), 0xbf800000u) << "-0.5";
  EXPECT_EQ(round_to_integral(kF32, RoundingMode::Floor, 0x80000001), 0xbf800000u) << "-2^-149";
  EXPECT_EQ(round_to_integral(kF32, RoundingMode::Ceil, 0xbf000000), 0x80000000u) << "-0.5";
  EXPECT_EQ(round_to_integral(kF32, RoundingMode::Ceil, 0x00000001), 0x3f800000u) << "2^-149";
  EXPECT_EQ(round_to_integral(kF32, RoundingMode::Trunc, 0xbff33333), 0xbf800000u) << "-1.9";
  EXPECT_EQ(round_to_integral(kF32, RoundingMode::Trunc, 0xff800000), 0xff800000u) << "-infinity";
  EXPECT_EQ(round_to_integral(kF32, RoundingMode::Trunc, 0xff800001), kNaN);
  // The greatest number of 1-2-3 is 3.75: above it there is only infinity.
  EXPECT_EQ(round_to_integral({2, 3}, RoundingMode::Ceil, 0x17), 0x18u);
  EXPECT_EQ(round_to_integral({2, 3}, kNearest, 0x16), 0x18u) << "3.5: 4 is even";
  EXPECT_EQ(round_to_integral({2, 3}, RoundingMode::Floor, 0x17), 0x14u);
}

TEST(Standard, Conversions) {
  // IEEE 754-2019, 5.4.2, 6.2 (NaN), 7.4.
  EXPECT_EQ(convert(kF32, kF16, 0x477fefff), 0x7bffu) << "just below 65520";
  EXPECT_EQ(convert(kF32, kF16, 0x477ff000), 0x7c00u) << "65520, half a unit above the greatest number";
  EXPECT_EQ(convert(kF32, kF16, 0x33000000), 0x0000u) << "2^-25: even";
  EXPECT_EQ(convert(kF32, kF16, 0xb3000001), 0x8001u) << "just beyond -2^-25";
  EXPECT_EQ(convert(kF32, kF16, 0x387fe000), 0x0400u) << "a tie at the least normal number: even";
  EXPECT_EQ(convert(kF32, kBF16, 0x3f808000), 0x3f80u) << "a tie: even";
  EXPECT_EQ(convert(kF32, kBF16, 0x3f818000), 0x3f82u) << "a tie: even";
  EXPECT_EQ(convert(kF32, kBF16, 0x7f7fffff), 0x7f80u) << "overflow";
  EXPECT_EQ(convert(kF32, kBF16, 0xff800001), 0x7fc0u) << "NaN";
  EXPECT_EQ(convert(kF16, kF32, 0x0001), 0x33800000u) << "2^-24";
  EXPECT_EQ(convert(kF16, kF32, 0xfc01), kNaN);
  EXPECT_EQ(convert(kF16, kF32, 0xfc00), 0xff800000u);
  EXPECT_EQ(convert(kBF16, kF16, 0x3f81), 0x3c08u) << "1 + 2^-7";
}

TEST(Standard, FromInteger) {
  // IEEE 754-2019, 5.4.1 (convertFromInt).
  EXPECT_EQ(from_integer(kF32, false, 16777217), 0x4b800000u) << "2^24 + 1: even";
  EXPECT_EQ(from_integer(kF32, true, 16777219), 0xcb800002u) << "-(2^24 + 3): even";
  EXPECT_EQ(from_integer(kF32, false, UINT32_MAX), 0x4f800000u);
  EXPECT_EQ(from_integer(kF32, false, UINT64_MAX), 0x5f800000u);
  EXPECT_EQ(from_integer(kF32, false, 0x10000010001), 0x53800001u) << "2^40 + 2^16 + 1 is above a tie";
  EXPECT_EQ(from_integer(kF32, false, 0x10000010000), 0x53800000u) << "2^40 + 2^16 is one";
  EXPECT_EQ(from_integer(kF16, false, 65519), 0x7bffu);
  EXPECT_EQ(from_integer(kF16, true, 65520), 0xfc00u);
  EXPECT_EQ(from_integer(kF32, true, 0), 0u) << "the integer zero has no sign";
}

TEST(Standard, ToInteger) {
  // Semantics, "Casts": rounded as the mode says, saturated, NaN gives 0.
  constexpr auto kTrunc = RoundingMode::Trunc;
  EXPECT_EQ(to_u32(kF32, kTrunc, 0x4f7fffff), 0xffffff00u) << "2^32 - 2^8";
  EXPECT_EQ(to_u32(kF32, kTrunc, 0x4f800000), 0xffffffffu) << "2^32";
  EXPECT_EQ(to_u32(kF32, kTrunc, 0x7f800000), 0xffffffffu);
  EXPECT_EQ(to_u32(kF32, kTrunc, 0xbf800000), 0u) << "-1";
  EXPECT_EQ(to_u32(kF32, RoundingMode::Floor, 0xbf000000), 0u) << "-0.5";
  EXPECT_EQ(to_u32(kF32, kTrunc, 0xff800000), 0u);
  EXPECT_EQ(to_u32(kF32, kTrunc, kNaN), 0u);
  EXPECT_EQ(to_u32(kF32, RoundingMode::Nearest, 0x3f000000), 0u) << "0.5";
  EXPECT_EQ(to_u32(kF32, RoundingMode::Nearest, 0x3fc00000), 2u) << "1.5";
  EXPECT_EQ(to_u32(kF32, RoundingMode::Ceil, 0x00000001), 1u) << "2^-149";
  EXPECT_EQ(to_i32(kF32, kTrunc, 0x4f000000), 0x7fffffffu) << "2^31";
  EXPECT_EQ(to_i32(kF32, kTrunc, 0xcf000000), 0x80000000u) << "-2^31";
  EXPECT_EQ(to_i32(kF32, kTrunc, 0xcf000001), 0x80000000u) << "below it";
  EXPECT_EQ(to_i32(kF32, kTrunc, 0xff800000), 0x80000000u);
  EXPECT_EQ(to_i32(kF32, kTrunc, 0xffc00000), 0u) << "NaN";
  EXPECT_EQ(to_i32(kF32, RoundingMode::Floor, 0xbf000000), 0xffffffffu) << "-0.5";
  EXPECT_EQ(to_i32(kF32, RoundingMode::Nearest, 0xc0200000), 0xfffffffeu) << "-2.5";
  EXPECT_EQ(to_i32(kF32, RoundingMode::Ceil, 0xbff33333), 0xffffffffu) << "-1.9";
  EXPECT_EQ(to_u32(kF16, kTrunc, 0x7bff), 65504u);
}

TEST(Standard, Neighbours) {
  // IEEE 754-2019, 5.3.1.
  EXPECT_EQ(next_up(kF32, 0x80000000), 1u);
  EXPECT_EQ(next_down(kF32, 0x00000000), 0x80000001u);
  EXPECT_EQ(next_up(kF32, 0x80000001), 0x80000000u);
  EXPECT_EQ(next_up(kF32, 0x7f7fffff), 0x7f800000u);
  EXPECT_EQ(next_up(kF32, 0x7f800000), 0x7f800000u);
  EXPECT_EQ(next_up(kF32, 0xff800000), 0xff7fffffu);
  EXPECT_EQ(next_down(kF32, 0xff812345), kNaN);
  EXPECT_EQ(flush(kF32, 0x807fffff), 0x80000000u);
  EXPECT_EQ(flush(kF32, 0x00800000), 0x00800000u);
  EXPECT_EQ(flush(kF32, 0xff800001), 0xff800001u) << "not a number's business";
}

}  // namespace
}  // namespace vyre::num
