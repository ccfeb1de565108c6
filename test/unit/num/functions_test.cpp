// The elementary functions: all values of the short formats, the estimates' bounds, and what a thread may
// have set.
//
// Values at 32 bits are functions_sweep.cpp's, a program that counts as far as one likes.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "functions_opinions.h"
#include "opinions.h"
#include "oracle.h"

VYRE_ORACLE(CpuReference, "MPFR, on rows and on all pairs of cases.h's values");

namespace vyre::num::test {
namespace {

TEST(Functions, OfOneOperandAgreeWithMpfrOnAllValuesOfShortFormats) {
  for (const FloatFormat f : {FloatFormat{2, 3}, FloatFormat{3, 2}, FloatFormat{4, 3}, FloatFormat{5, 2},
                              FloatFormat{8, 1}, spec::kBinary16, spec::kBFloat16}) {
    Mpfr mpfr(f);
    Exact x;
    for (const UnaryFunction& function : kUnaryFunctions) {
      Differences differences(describe(f) + " " + function.name);
      for (uint32_t a = 0; a < 1u << f.width(); ++a) {
        x.set(f, a);
        differences.expect(function.num(f, a), mpfr.apply(function.mpfr, x), a);
      }
    }
  }
}

TEST(Functions, OfTwoOperandsAgreeWithMpfrOnAllPairsOfSmallFormats) {
  for (const FloatFormat f : kSmall) {
    Mpfr mpfr(f);
    Exact x, y;
    for (const BinaryFunction& function : kBinaryFunctions) {
      Differences differences(describe(f) + " " + function.name);
      for (uint32_t row = 0; row < 1u << (2 * f.width()); ++row) {
        const uint32_t a = row >> f.width(), b = row % (1u << f.width());
        x.set(f, a);
        y.set(f, b);
        differences.expect(function.num(f, a, b), mpfr.apply(function.mpfr, x, y), a, b);
      }
    }
  }
}

TEST(Functions, OfTwoOperandsAgreeWithMpfrOnAllPairsOfHardValues) {
  // MPFR, on all pairs of cases.h's values: zeros, infinities, NaNs, ends of ranges.
  for (const FloatFormat f :
       {FloatFormat{2, 23}, FloatFormat{8, 1}, spec::kBinary16, spec::kBFloat16, spec::kBinary32}) {
    Mpfr mpfr(f);
    Exact x, y;
    const auto values = directed(f);
    for (const BinaryFunction& function : kBinaryFunctions) {
      Differences differences(describe(f) + " " + function.name);
      for (const uint32_t a : values) {
        for (const uint32_t b : values) {
          x.set(f, a);
          y.set(f, b);
          differences.expect(function.num(f, a, b), mpfr.apply(function.mpfr, x, y), a, b);
        }
      }
    }
  }
}

/// What the estimates promise, over one function's operands: the balls contain their values, no radius is
/// greater than estimates.h says, and the greatest distance from a centre is at least a 16th of the radius.
class Bounds {
 public:
  Bounds(const char* name, int32_t greatest) : name_(name), greatest_(greatest) {}
  ~Bounds() {
    EXPECT_EQ(outside_, 0u) << name_;
    EXPECT_LE(radius_, greatest_) << name_;
    EXPECT_GT(farthest_, 1.0 / 16) << name_ << ": the radii are too generous for this test to see a lost one";
    EXPECT_GT(cases_, 15000u) << name_;
  }
  Bounds(const Bounds&) = delete;
  Bounds& operator=(const Bounds&) = delete;

  void expect(const Ball& ball, double distance, uint32_t a, uint32_t b = 0) {
    if (distance < 0) return;
    ++cases_;
    if (distance > 1 && ++outside_ <= 3)
      ADD_FAILURE() << fmt::format("{} {:x} {:x}: {}", name_, a, b, distance);
    farthest_ = std::max(farthest_, distance);
    radius_ = std::max(radius_, 1 + std::ilogb(double(ball.radius) - 0.5) - 63);  // the logarithm, rounded up
  }

 private:
  const char* name_;
  int32_t greatest_, radius_ = -99;
  double farthest_ = 0;
  uint64_t cases_ = 0, outside_ = 0;
};

TEST(Functions, EstimatesContainTheValue) {
  // MPFR with 200 bits.
  const FloatFormat f = spec::kBinary32;
  Truth truth;
  Exact x, y;
  RandomStream random(10, 1);
  for (const UnaryFunction& function : kUnaryFunctions) {
    Bounds bounds(function.name, function.radius);
    for (uint32_t i = 0; i < 60000; ++i) {
      const uint32_t a = random_operand(f, random);
      const bool edge = f.is_nan(a) || f.is_infinite(a) || a << 1 == 0 || f.is_nan(function.num(f, a));
      const bool end = (a & ~f.sign_bit()) == f.one();  // of logarithms and arcs
      if (edge || end) continue;
      x.set(f, a);
      const Ball ball = function.estimate(exact_ball(f, a));
      bounds.expect(ball, truth.distance(ball, function.mpfr, x), a);
    }
  }
  for (const BinaryFunction& function : kBinaryFunctions) {
    Bounds bounds(function.name, function.radius);
    for (uint32_t i = 0; i < 60000; ++i) {
      const auto [a, b] = random_pair(f, random);
      const auto ordinary = [&](uint32_t c) { return !f.is_nan(c) && !f.is_infinite(c) && c << 1 != 0; };
      if (!ordinary(a) || !ordinary(b) || a << 1 == f.one() << 1 || f.is_nan(function.num(f, a, b))) continue;
      x.set(f, a);
      y.set(f, b);
      const Ball ball = function.estimate(exact_ball(f, a), exact_ball(f, b));
      bounds.expect(ball, truth.distance(ball, function.mpfr, x, y), a, b);
    }
  }
}

TEST(Functions, ABallDecidesUnlessABoundaryIsInIt) {
  VYRE_ORACLE(
      SpecificationTable,
      "IEEE 754-2019, 4.3.1: the boundaries of 1-4-3, whose numbers near 1 are 1/8 apart, whose least is "
      "2^-9 and whose greatest is 240");
  const FloatFormat f{4, 3};
  struct Row {
    double centre;
    bool decided;
  };
  const Row rows[] = {{1, true},      {1.0625, false},  {1.125, true},    {0.96875, false}, {0.9375, true},
                      {0x1p-9, true}, {0x3p-10, false}, {0x1p-10, false}, {0x1p-11, true},  {0x7p-12, true},
                      {240, true},    {248, false},     {256, true},      {0x1p40, true},   {0x1p-40, true}};
  for (const Row& row : rows) {
    int exponent = 0;
    const auto significand = uint64_t(std::ldexp(std::frexp(row.centre, &exponent), 64));
    for (const int64_t off : {-20, -10, 0, 10, 20}) {
      // Below a power of two a ball's units are half as large.
      Ball ball{false, exponent - 1, significand + uint64_t(off), 15};
      if (ball.significand >> 63 == 0) ball = {false, exponent - 2, 0 - uint64_t(-2 * off), 30};
      EXPECT_EQ(is_decided(f, ball), row.decided || std::abs(off) > 15) << row.centre << " " << off;
      ball.radius = kWide;
      EXPECT_FALSE(is_decided(f, ball));
    }
  }
}

TEST(Functions, ColumnsAreTheCases) {
  for (const FloatFormat f : {spec::kBinary32, spec::kBinary16, spec::kBFloat16, FloatFormat{5, 2}}) {
    Mpfr mpfr(f);
    Exact x, y;
    RandomStream random(10, f.width());
    std::vector<uint32_t> a(1000), b(a.size()), out(a.size());
    for (size_t i = 0; i < a.size(); ++i) std::tie(a[i], b[i]) = random_pair(f, random);
    for (const UnaryFunction& function : kUnaryFunctions) {
      Differences differences(describe(f) + " " + function.name);
      out = a;
      function.columns(f, out, out);  // in place
      for (size_t i = 0; i < a.size(); ++i) {
        x.set(f, a[i]);
        differences.expect(out[i], mpfr.apply(function.mpfr, x), a[i]);
      }
    }
    for (const BinaryFunction& function : kBinaryFunctions) {
      Differences differences(describe(f) + " " + function.name);
      function.columns(f, a, b, out);
      for (size_t i = 0; i < a.size(); ++i) {
        x.set(f, a[i]);
        y.set(f, b[i]);
        differences.expect(out[i], mpfr.apply(function.mpfr, x, y), a[i], b[i]);
      }
    }
  }
}

TEST(Functions, IgnoreAndKeepWhatAThreadHasSetInMpfr) {
  VYRE_ORACLE(SpecificationTable,
              "by hand: 2^-149 = pow(2^-74.5, 2) and its neighbour in F32; the tie 2^-150 is even, so 0");
  const mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
  mpfr_set_emin(-3);
  mpfr_set_emax(3);
  mpfr_clear_flags();
  const FloatFormat f = spec::kBinary32;
  const auto power_of_two = [&](int32_t k) { return uint32_t(k + f.bias()) << f.fraction_bits; };
  EXPECT_EQ(pow(f, power_of_two(-75), power_of_two(1)), 0u);      // a tie: MPFR decides
  EXPECT_EQ(pow(f, power_of_two(-75) + 1, power_of_two(1)), 1u);  // above it
  EXPECT_EQ(pow(f, power_of_two(50), power_of_two(1)), power_of_two(100));
  EXPECT_EQ(mpfr_get_emin(), -3);
  EXPECT_EQ(mpfr_get_emax(), 3);
  EXPECT_EQ(mpfr_flags_save(), 0u);
  mpfr_set_emin(least);
  mpfr_set_emax(greatest);
}

TEST(Functions, AreOfAnyThread) {
  // MPFR, before there are threads.
  const FloatFormat f{4, 3};
  Mpfr mpfr(f);
  Exact x, y;
  std::vector<uint32_t> a, b, expected;
  for (uint32_t row = 0; row < 1u << 16; row += 7) {
    a.push_back(row >> 8);
    b.push_back(row & 255);
    x.set(f, a.back());
    y.set(f, b.back());
    expected.push_back(mpfr.apply(mpfr_pow, x, y));
  }
  std::vector<std::vector<uint32_t>> got(4, std::vector<uint32_t>(a.size()));
  std::vector<std::thread> threads;
  for (auto& out : got) threads.emplace_back([&] { pow(f, a, b, out); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& out : got) EXPECT_EQ(out, expected);
}

}  // namespace
}  // namespace vyre::num::test
