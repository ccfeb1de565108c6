// Powers in two steps: all pairs of small formats, the specification's rows, ties, results next to ties, and
// how good the digits are that both steps cut off. Expected values are num/'s and MPFR's.
#include <mpfr.h>

#include <bit>
#include <cmath>

#include "ops/float/soft_pow.h"
#include "oracle.h"
#include "soft_steps.h"
#include "spec/ops.h"
#include "spec/rows.h"

VYRE_ORACLE(CpuReference, "num/, and MPFR with 300 bits");

namespace vyre::test {
namespace {

/// Pairs to be compared.
struct Pairs {
  Words a, b;
  void add(uint32_t x, uint32_t y) {
    a.push_back(x);
    b.push_back(y);
  }
  size_t expect_right(FloatFormat f) const { return Steps(Op::FPow, f).expect_right(a, b); }
};

uint32_t bits(double x) { return std::bit_cast<uint32_t>(float(x)); }

TEST(SoftPowers, OfEveryPairOfSmallFormats) {
  for (const FloatFormat f : kSmall) {
    Pairs pairs;
    for (uint32_t x = 0; x <= f.mask(); ++x) {
      for (uint32_t y = 0; y <= f.mask(); ++y) pairs.add(x, y);
    }
    EXPECT_EQ(pairs.expect_right(f), 0u);
  }
}

TEST(SoftPowers, OfTheRowsOfTheSpecification) {
  VYRE_ORACLE(SpecificationTable, "spec/rows/float_functions.inc");
  for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32}) {
    const FloatFormat f = spec::float_format(type);
    Pairs pairs;
    for (const spec::OperatorRow& row : spec::operator_rows()) {
      if (row.op != Op::FPow || row.type != type) continue;
      const uint32_t x = row.values[0].words[0], y = row.values[1].words[0];
      EXPECT_EQ(oracle(Op::FPow, f, {x, y, 0}), row.expected.words[0]) << row.rationale;
      pairs.add(x, y);
    }
    EXPECT_GT(pairs.a.size(), 20u);
    pairs.expect_right(f);
  }
}

/// Any, bases and exponents around 1, and bases next to 1.
Pairs drawn(FloatFormat f, size_t count) {
  Draw draw(f, 12);
  Pairs out;
  const auto around_one = [&](uint32_t below, uint32_t above) {
    return f.one() - (below << f.fraction_bits) + draw.random().below((below + above) << f.fraction_bits);
  };
  for (size_t i = 0; i < count; ++i) {
    const uint32_t y = around_one(3, 7) | (draw.random().next() & f.sign_bit());
    switch (i % 4) {
      case 0: out.add(draw.any(), draw.any()); break;
      case 1: out.add(f.one() - 32 + draw.random().below(64), draw.any()); break;
      case 2: out.add(draw.any(), y); break;
      default: out.add(around_one(2, 2), y);
    }
  }
  return out;
}

TEST(SoftPowers, OfDrawnPairs) {
  for (const FloatFormat f :
       {FloatFormat{3, 10}, FloatFormat{6, 15}, spec::kBinary16, spec::kBFloat16, spec::kBinary32}) {
    drawn(f, 200'000).expect_right(f);
  }
}

// w^n of an odd w, with the base w^(2^k) 2^E and the exponent n / 2^k: all of binary32 that have 25 digits,
// or fall between two subnormal numbers. Those next to them, too.
TEST(SoftPowers, OfAllTies) {
  Pairs ties, beside;
  for (uint32_t k = 0; k <= 3; ++k) {
    const uint32_t q = 1u << k;
    for (uint32_t w = 3; std::pow(w, q) < 0x1p24; w += 2) {
      for (uint32_t n = k == 0 ? 2 : 1; std::pow(w, n) < 0x1p25; n += k == 0 ? 1 : 2) {
        const double base = std::pow(w, q), power = std::pow(w, n);
        for (int32_t e = -149; e < 128; ++e) {  // of the base's root
          const double x = std::ldexp(base, e * int32_t(q)), exact = std::ldexp(power, e * int32_t(n));
          if (x != double(float(x)) || x == 0 || exact >= 0x1p128) continue;
          if ((power < 0x1p24 || exact < 0x1p-126) && e * int32_t(n) != -150) continue;
          ties.add(bits(x), bits(double(n) / q));
          if (k > 0 || e % 16 == 0) {
            beside.add(bits(x) + 1, bits(double(n) / q));
            beside.add(bits(x), bits(double(n) / q) - 1);
          }
        }
      }
    }
  }
  for (int32_t e = -149; e < 128; ++e) {  // 2^-150, if there is a y for it
    if (e != 0) beside.add(bits(std::ldexp(1, e)), bits(-150.0 / e));
  }
  EXPECT_GT(ties.a.size(), 100'000u);
  const size_t open = ties.expect_right(spec::kBinary32);
  EXPECT_GT(open, 0u) << "roots are not the first step's";
  EXPECT_LT(open, 20'000u);
  beside.expect_right(spec::kBinary32);
}

// Found among 2^28 pairs drawn by a program: from the middle between two numbers by less than 2^-46 of the
// leading digit's weight, where the first step errs most (bases next to 33/32 and 63/64), and anywhere.
constexpr uint32_t kNearTies[][2] = {
    {0x3f83f8d6, 0xc50e2c17}, {0x3f83fa66, 0xc52cbad3}, {0x3f83e6d0, 0x451082e8}, {0x3f83e58b, 0xc525a00e},
    {0x3f83d042, 0x4533e917}, {0x3f83c0e0, 0xc529f680}, {0x3f83cb9a, 0xc50a90a0}, {0x3f83c12c, 0x450c680a},
    {0x3f83f83a, 0xc4ffb08d}, {0x3f83c226, 0x451a7508}, {0x3f83ff37, 0xc50a9bb7}, {0x3f83faa6, 0xc52af9c0},
    {0x3f83f2e1, 0xc5092327}, {0x3f83f5fb, 0xc50d2186}, {0x3f83fa7b, 0xc509c55f}, {0x3f83ce31, 0x45312e67},
    {0x3f83f01b, 0x4522d43f}, {0x3f83f359, 0xc5217cf9}, {0x3f83f3d3, 0xc522e163}, {0x3f83c30b, 0xc509e112},
    {0x3f83f2eb, 0xc52314d2}, {0x3f83da84, 0xc50a2690}, {0x3f83d79f, 0x45368242}, {0x3f83f481, 0xc5237c03},
    {0x3f83d5c0, 0x4505bbe4}, {0x3f83c6a0, 0x4525ac58}, {0x3f7c1842, 0xc50afdb6}, {0x3f7c3a07, 0x45b075e6},
    {0x3f7c0b99, 0xc303c912}, {0x3f7c15f1, 0x448fabf1}, {0x3f7c346f, 0x4203cc8d}, {0x3f7c2d31, 0x43605295},
    {0x3f7c1ff6, 0xc56886ef}, {0x3f7c24d0, 0x4563f103}, {0x3f7c0163, 0x459a22a1}, {0x3f7c3328, 0x4590f30c},
    {0x3f7c18b0, 0xc5220ea1}, {0x3f7c090b, 0x45610b25}, {0x3f7c1ea7, 0xc4a86d52}, {0x3f7c08af, 0x45aa26c1},
    {0x3f7c3724, 0xc56be4ab}, {0x3f7c1abf, 0x44f23c44}, {0x3fa7fdd9, 0xc34d88e8}, {0x3fa3ce1c, 0xc3241062},
    {0x3f4cd322, 0xc34c6930}, {0x3fc2fde3, 0x41fb175a}, {0x3f7e1f31, 0xc6187a72}, {0x3f4b165f, 0x43ac12d1},
    {0x3f05af9b, 0x4283f9b6}, {0x3fe83c0e, 0xc26b2d3d}, {0x3f805fdd, 0xc6aa0fca}, {0x3f0aa5d7, 0x421a5aa0},
    {0x3f404d24, 0x42fe3b08}, {0x3f87972f, 0x440f6b5e}, {0x3f30bcf4, 0xc3408157}, {0x3f6bb8ef, 0xc4790b6f},
    {0x3f67e1ca, 0xc433e890}, {0x3f4390e7, 0xc1d6c804},
};

TEST(SoftPowers, OfPairsNextToTies) {
  Pairs pairs;
  for (const auto& [x, y] : kNearTies) pairs.add(x, y);
  EXPECT_EQ(pairs.expect_right(spec::kBinary32), pairs.a.size());
}

/// Which of the words, from the whole exponent on, a function is to give.
ir::Function digits_function(bool second, uint32_t which) {
  ir::FunctionBuilder f("soft.digits");
  const ir::Ex x = f.parameter("a", DataType::U32), y = f.parameter("b", DataType::U32);
  ops::Composer c(f, spec::kBinary32);
  const ops::PowerDigits digits = ops::power_digits(c, x, y, second);
  return f.finish(which == 0 ? digits.whole : digits.words[which - 1], DataType::U32);
}
/// As many as a step has, and what it says of them.
std::pair<uint32_t, uint32_t> words_and_bound(bool second) {
  ir::FunctionBuilder f("soft.digits");
  const ir::Ex x = f.parameter("a", DataType::U32);
  ops::Composer c(f, spec::kBinary32);
  const ops::PowerDigits digits = ops::power_digits(c, x, x, second);
  return {uint32_t(digits.words.size()), digits.good};
}

class Mpfr {
 public:
  Mpfr() { mpfr_init2(value_, 300); }
  ~Mpfr() { mpfr_clear(value_); }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;
  operator mpfr_ptr() { return value_; }  // NOLINT: it is one

 private:
  mpfr_t value_;
};

/// Of bases around 1, mostly near enough for the greatest errors, and exponents that lead anywhere in range.
Pairs within_range(size_t count) {
  RandomStream random(0x736f6674, 13);
  Pairs out;
  while (out.a.size() < count) {
    const uint32_t x = 0x3f800000 + random.below(0x110000) - 0x90000;
    const double binades = double(random.below(278'000)) / 1000 - 150;
    const double log = std::log2(double(std::bit_cast<float>(x)));
    if (log != 0 && binades != 0) out.add(x, bits(binades / log));
  }
  return out;
}

TEST(SoftPowers, HaveDigitsAsGoodAsTheySay) {
  const Pairs pairs = within_range(20'000);
  const size_t count = pairs.a.size();
  for (const bool second : {false, true}) {
    const auto [words, good] = words_and_bound(second);
    std::vector<Words> columns;
    for (uint32_t k = 0; k <= words; ++k) {
      columns.push_back(Columns(digits_function(second, k)).apply({pairs.a, pairs.b}, count));
    }
    Mpfr x, y, power, word, sum;
    double greatest = 0;
    for (size_t i = 0; i < count; ++i) {
      mpfr_set_flt(x, std::bit_cast<float>(pairs.a[i]), MPFR_RNDN);
      mpfr_set_flt(y, std::bit_cast<float>(pairs.b[i]), MPFR_RNDN);
      mpfr_pow(power, x, y, MPFR_RNDN);
      mpfr_div_2si(power, power, int32_t(columns[0][i]) + 1, MPFR_RNDN);
      mpfr_set_zero(sum, 1);
      for (uint32_t k = 1; k <= words; ++k) {
        mpfr_set_ui_2exp(word, columns[k][i], -32 * int32_t(k), MPFR_RNDN);
        mpfr_add(sum, sum, word, MPFR_RNDN);
      }
      mpfr_sub(sum, sum, power, MPFR_RNDN);
      greatest = std::max(greatest, std::abs(mpfr_get_d(sum, MPFR_RNDN)));
    }
    EXPECT_LT(greatest, std::ldexp(1, -int32_t(good)));
    EXPECT_GT(greatest, std::ldexp(1, -int32_t(good) - 8)) << "the bound is not one that is needed";
  }
}

}  // namespace
}  // namespace vyre::test
