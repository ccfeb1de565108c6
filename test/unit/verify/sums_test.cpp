// Approximate reductions: what the judge allows, by hand; what the programs of ir.sums are made of.
#include "verify/sums.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "backend/backend.h"
#include "num/exact_sum.h"
#include "num/float.h"
#include "oracle.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "verify/families.h"
#include "verify/program_parity.h"

VYRE_ORACLE(SpecificationTable, "docs/spec/floats.md, \"Approximate operators\", and semantics, by hand");

namespace vyre::verify {
namespace {

using spec::DataType;
using spec::FloatFormat;
using spec::Op;
using Words = std::vector<uint32_t>;

ReductionJudgement judged(Op fold, const Words& elements, uint32_t result, uint32_t tolerance = 40) {
  return judge_reduction(DataType::F16, fold, tolerance, elements, result);
}

// f16: 0x3c00 is 1, 0x4000 2, and between 2 and 4 numbers are 2^-9 apart.
// covers: FL-27
TEST(Sums, AreRightUpToTheirTolerance) {
  const Words ones = {0x3c00, 0x3c00};
  EXPECT_EQ(judged(Op::FAdd, ones, 0x4000).wanted, 0x4000u);
  EXPECT_EQ(judged(Op::FAdd, ones, 0x4000).off, 0u);
  EXPECT_TRUE(judged(Op::FAdd, ones, 0x4000 + 40).right);
  EXPECT_EQ(judged(Op::FAdd, ones, 0x4000 + 40).off, 40u);
  EXPECT_FALSE(judged(Op::FAdd, ones, 0x4000 + 41).right);
  EXPECT_TRUE(judged(Op::FAdd, ones, 0x4000 + 41, 64).right);
  EXPECT_FALSE(judged(Op::FAdd, ones, 0x4000 + 65, 64).right);
  EXPECT_TRUE(judged(Op::FAdd, ones, 0x4000 - 80).right);  // below 2 steps are half as long
  EXPECT_FALSE(judged(Op::FAdd, ones, 0x4000 - 81).right);
  EXPECT_EQ(judged(Op::FAdd, ones, 0x4000 - 81).off, 41u);  // 40 and a half
  EXPECT_FALSE(judged(Op::FAdd, ones, 0xc000).right);
  EXPECT_FALSE(judged(Op::FAdd, ones, 0x7e00).right);
  EXPECT_EQ(judged(Op::FAdd, ones, 0x7e00).off, std::nullopt);
  // 1 - 1: nothing is left, and 40 ULP of 2 are 40 * 2^-9 = 0x2d00.
  const Words cancelling = {0x3c00, 0xbc00};
  for (const uint32_t right : {0x0000, 0x8000, 0x2d00, 0xad00})
    EXPECT_TRUE(judged(Op::FAdd, cancelling, right).right) << right;
  EXPECT_FALSE(judged(Op::FAdd, cancelling, 0x2d01).right);
}

// covers: FL-27
TEST(Sums, LeaveNothingToApproximateAtTheEdges) {
  struct Row {
    Op fold;
    Words elements;
    uint32_t only;
  };
  const uint32_t inf = 0x7c00, down = 0xfc00, nan = 0x7e00;
  const Row rows[] = {
      {Op::FAdd, {}, 0},
      {Op::FMin, {}, inf},
      {Op::FMax, {}, down},
      {Op::FAdd, {0x8000}, 0x8000},  // one element is itself
      {Op::FAdd, {0x3c01}, 0x3c01},
      {Op::FAdd, {0x7d55}, nan},  // or the one NaN
      {Op::FMin, {0xfe01}, nan},
      {Op::FAdd, {inf, 0x3c00}, inf},
      {Op::FAdd, {0x7bff, down, 0x7bff}, down},
      {Op::FAdd, {inf, down}, nan},
      {Op::FAdd, {inf, 0x7c01}, nan},
      {Op::FMin, {0x3c00, 0xbc00, 0x4000}, 0xbc00},
      {Op::FMax, {0x3c00, 0xbc00, 0x4000}, 0x4000},
      {Op::FMin, {0, 0x8000}, 0x8000},  // -0 is less
      {Op::FMax, {0x8000, 0}, 0},
      {Op::FMax, {nan, 0xbc00}, 0xbc00},  // a number wins
      {Op::FMin, {nan, nan}, nan},
  };
  for (const Row& row : rows) {
    const auto good = judged(row.fold, row.elements, row.only, 0xffff);
    EXPECT_EQ(good.wanted, row.only);
    EXPECT_TRUE(good.right) << std::hex << row.only;
    EXPECT_EQ(good.off, 0u);
    for (const uint32_t other : {row.only + 1, row.only ^ 0x8000u, 0x7d01u, 0x4400u}) {
      const auto bad = judged(row.fold, row.elements, other, 0xffff);
      EXPECT_FALSE(bad.right) << std::hex << other << " for " << row.only;
      EXPECT_EQ(bad.off, std::nullopt);
    }
  }
}

// covers: FL-27
TEST(Sums, ProductsAreRightUpToTheirToleranceAndKeepTheirSign) {
  const auto product = [](const Words& elements, uint32_t result, uint32_t tolerance) {
    return judged(Op::FMul, elements, result, tolerance);
  };
  const Words three = {0x3e00, 0xc000, 0x3c00};  // 1.5 * -2 * 1 = -3
  EXPECT_EQ(product(three, 0xc200, 1).wanted, 0xc200u);
  EXPECT_EQ(product(three, 0xc200, 1).off, 0u);
  EXPECT_TRUE(product(three, 0xc201, 1).right);
  EXPECT_FALSE(product(three, 0xc202, 1).right);
  EXPECT_EQ(product(three, 0xc202, 1).off, 2u);
  EXPECT_FALSE(product(three, 0x4200, 64).right) << "the other sign";
  EXPECT_FALSE(product(three, unwritten_of(DataType::F16), 64).right);
  // 2^15 * 2^15 * 2^-15 * 2^-15: what overflows on the way is no excuse.
  const Words far = {0x7800, 0x7800, 0x0200, 0x0200};
  EXPECT_TRUE(product(far, 0x3c00, 1).right);
  EXPECT_FALSE(product(far, 0x7c00, 64).right);
  const uint32_t inf = 0x7c00, down = 0xfc00, nan = 0x7e00;
  const std::pair<Words, uint32_t> only[] = {
      {{}, 0x3c00},          {{0x8000}, 0x8000},         {{0x7d55}, nan},
      {{inf, 0xc000}, down}, {{inf, 0x0000}, nan},       {{0x8000, 0x4000, 0x7bff, 0x7bff}, 0x8000},
      {{down, down}, inf},   {{0x8000, 0xbc00}, 0x0000}, {{0x0000, nan}, nan},
  };
  for (const auto& [elements, result] : only) {
    EXPECT_TRUE(product(elements, result, 64).right) << std::hex << result;
    for (const uint32_t other : {result + 1, result ^ 0x8000u, 0x4400u}) {
      EXPECT_FALSE(product(elements, other, 64).right) << std::hex << other << " for " << result;
      EXPECT_EQ(product(elements, other, 64).off, std::nullopt);
    }
  }
}

// What products go wrong with is there: most are near 1 while partial ones overflow and vanish.
TEST(Sums, FactorsAreWhatGoesWrong) {
  VYRE_ORACLE(Property, "what each kind says of itself (verify/sums.cpp)");
  for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32}) {
    const FloatFormat f = spec::float_format(type);
    uint32_t normal = 0, infinite = 0, vanished = 0, overflows = 0, specials = 0;
    for (uint32_t trial = 0; trial < 40; ++trial) {
      for (uint32_t kind = 0; kind < kElementKinds; ++kind) {
        RandomStream random(trial, kind);
        const Words all = factors(type, trial < 3 ? trial : 1 + random.below(2000), kind, random);
        EXPECT_TRUE(std::ranges::none_of(all, [&](uint32_t x) { return (x & ~f.mask()) != 0; }));
        const auto result = judge_reduction(type, Op::FMul, 1, all, f.nan());
        const uint32_t magnitude = result.wanted & ~f.sign_bit();
        if (kind == 7) specials += magnitude == 0 || magnitude >= f.infinity();
        if (kind == 7) continue;
        infinite += magnitude == f.infinity();
        vanished += magnitude < f.least_normal();
        normal += magnitude >= f.least_normal() && magnitude < f.infinity();
        uint32_t partial = f.one();
        bool lost = false;
        for (const uint32_t x : all) {
          partial = num::mul(f, partial, x & ~f.sign_bit());
          lost = lost || partial == f.infinity() || partial == 0;
        }
        overflows += lost && magnitude >= f.least_normal() && magnitude < f.infinity();
      }
    }
    EXPECT_GT(normal, 140u);
    EXPECT_GT(infinite, 3u);
    EXPECT_GT(vanished, 3u);
    EXPECT_GT(overflows, 20u) << "a product in order is wrong, and the product is none";
    EXPECT_GT(specials, 20u);
  }
}

// covers: FL-27
TEST(Sums, AreAnythingWhereMagnitudesAreTooLarge) {
  const Words large = {0x7bff, 0xfbff};  // 65504 - 65504
  for (const uint32_t any : {0x0000, 0x7c00, 0xfc00, 0x7e00, 0x1234})
    EXPECT_TRUE(judged(Op::FAdd, large, any).right) << any;
  EXPECT_EQ(judged(Op::FAdd, large, 0).wanted, 0u);
  EXPECT_FALSE(judged(Op::FAdd, large, unwritten_of(DataType::F16)).right) << "but something";
  const Words just = {0x7bfe, 0x5000};  // 65472 + 32 is the greatest number
  EXPECT_TRUE(judged(Op::FAdd, just, 0x7bff).right);
  EXPECT_TRUE(judged(Op::FAdd, just, 0x7c00).right);  // the number after it
  EXPECT_FALSE(judged(Op::FAdd, just, 0xfc00).right);
}

TEST(Sums, RightResultsBecomeWhatTheyStandForAndAreCounted) {
  // The shape of 64 ranges of f16, within 40: its first results are made here, the others are left.
  size_t shape = 0;
  while (shape_name(Family::Sums, shape) != "ranges fadd f16 within 40, workgroup 64,1,1") ++shape;
  generate::ProgramCase c = family_case(Family::Sums, 1, shape);
  ASSERT_TRUE(c.approximate);
  const auto halves = [](const Words& patterns) {
    Bytes out;
    for (const uint32_t p : patterns) out.push_back(std::byte(p)), out.push_back(std::byte(p >> 8));
    return out;
  };
  c.buffers = {halves({0x3c00, 0x3c00, 0xbc00}), to_bytes(Words{0, 1, 0, 2, 7}),
               to_bytes(Words{2, 99, 2, 1, 9}), halves(Words(5, 0x7c01))};
  // 1 + 1 right; 1 - 1 within; 1 + 1 beyond; none, which is +0; none, not written
  std::vector<Bytes> after = c.buffers;
  after[3] = halves({0x4000, 0x1001, 0x4029, 0, 0x7c01});
  Deviations counted;
  const std::string why = settle_sums(c, after, counted);
  EXPECT_EQ(why, "result 2 is 0x4029, 41 ULP of the sum of magnitudes from 0x4000, and 40 are allowed");
  EXPECT_EQ(after[3], halves({0x4000, 0, 0x4029, 0, 0x7c01}));
  EXPECT_EQ(wanted_sums(c)[3], halves({0x4000, 0, 0x4000, 0, 0}));
  EXPECT_EQ(counted.bound, 64u);
  ASSERT_EQ(counted.counts.size(), 65u);
  EXPECT_EQ(counted.counts[0], 2u);
  EXPECT_EQ(counted.counts[1], 1u);
  EXPECT_EQ(counted.beyond, 2u);
  EXPECT_EQ(counted.greatest, 41u);
  // What was only read is compared as it is.
  after[0][0] ^= std::byte{1};
  EXPECT_NE(after[0], wanted_sums(c)[0]);
}

TEST(Sums, ElementsAreWhatGoesWrong) {
  VYRE_ORACLE(Property, "what each kind says of itself (verify/sums.cpp)");
  for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32}) {
    const FloatFormat f = spec::float_format(type);
    const auto any = [](const Words& all, auto is) { return std::ranges::any_of(all, is); };
    uint32_t specials = 0, nans = 0, zeros = 0;
    for (uint32_t trial = 0; trial < 60; ++trial) {
      for (uint32_t kind = 0; kind < kElementKinds; ++kind) {
        RandomStream random(trial, kind);
        const uint32_t count = trial < 3 ? trial : 1 + random.below(4000);
        const Words all = sum_elements(type, count, kind, random);
        ASSERT_EQ(all.size(), count);
        const bool nan = any(all, [&](uint32_t x) { return f.is_nan(x); });
        const bool special = nan || any(all, [&](uint32_t x) { return f.is_infinite(x); });
        EXPECT_TRUE(!special || kind == 7);
        nans += nan, specials += special;
        zeros += count > 2 && std::ranges::all_of(all, [&](uint32_t x) { return x == f.sign_bit(); });
        EXPECT_TRUE(std::ranges::none_of(all, [&](uint32_t x) { return (x & ~f.mask()) != 0; }));
        if (special) continue;
        num::ExactSum sum(f);
        for (const uint32_t x : all) sum.add(x);
        const uint32_t size = sum.rounded() & ~f.sign_bit();
        if (count < 100) continue;
        switch (kind) {
          case 1: EXPECT_GT(size, f.one()); break;
          case 2: EXPECT_LT(size, f.one() + 3 * f.least_normal()); break;
          case 4: EXPECT_TRUE(any(all, [&](uint32_t x) { return f.is_subnormal(x); })); break;
          case 5:
            EXPECT_FALSE(sum.overflows());
            EXPECT_TRUE(any(all, [&](uint32_t x) { return (x & ~f.sign_bit()) > f.one(); }));
            break;
          case 6: EXPECT_TRUE(sum.overflows()); break;
          default: break;
        }
      }
    }
    EXPECT_GT(specials, 20u);
    EXPECT_GT(nans, 5u);
    EXPECT_LT(nans, specials);
    EXPECT_GT(zeros, 2u);
  }
}

TEST(Sums, EveryApproximateReductionIsFoldedOverEverySize) {
  VYRE_ORACLE(Property, "the ledger: three types, and the folds that V041 admits");
  std::set<std::string> seen;
  std::set<size_t> counts;
  const FamilyPlan plan = family_plan(Strength::Quick);
  const size_t n = shapes(Family::Sums);
  ASSERT_GE(inputs_a_shape(Family::Sums, plan), kElementKinds) << "each shape meets every kind of elements";
  for (uint64_t k = 0; k < n * inputs_a_shape(Family::Sums, plan); ++k) {
    const std::string name = shape_name(Family::Sums, size_t(k % n));
    seen.insert(name.substr(0, name.find(',')));
    const generate::ProgramCase c = family_case(Family::Sums, 1, k);
    const size_t each = name.find(" f32 ") != std::string::npos ? 4 : 2;
    counts.insert(c.buffers[0].size() / each);
  }
  for (const char* type : {"f16", "bf16", "f32"}) {
    for (const char* form : {"whole", "ranges"}) {
      for (const char* fold : {"fadd", "fmin", "fmax"}) {
        const std::string most = fold == std::string_view("fadd") ? "64" : "65535";
        for (const std::string& within : {std::string("40"), most})
          EXPECT_TRUE(seen.contains(fmt::format("{} {} {} within {}", form, fold, type, within)));
      }
    }
    EXPECT_TRUE(seen.contains(fmt::format("shared fadd {} within 40", type)));
    for (const char* fold : {"fadd", "fmul"}) {
      for (const char* form : {"whole", "ranges", "shared"}) {
        for (const uint32_t within : {1, 2, 64})
          EXPECT_TRUE(seen.contains(fmt::format("{} {} {} within {}", form, fold, type, within)));
      }
    }
  }
  for (const size_t count : {0, 1, 2, 3}) EXPECT_TRUE(counts.contains(count)) << count;
  EXPECT_GT(*counts.rbegin(), 3000u);
  EXPECT_GT(std::ranges::count_if(counts, [](size_t c) { return c % 2 == 1; }), 50);
}

TEST(Sums, AreOfTheApproximateTrackAlone) {
  EXPECT_TRUE(is_of(Family::Sums, Track::Approximate));
  EXPECT_FALSE(is_of(Family::Sums, Track::Float));
  EXPECT_FALSE(is_of(Family::Sums, Track::Integer));
  EXPECT_EQ(parts_of(Track::Approximate), 1u);
  for (const FamilyInfo& family : kFamilies)
    EXPECT_EQ(is_of(family.family, Track::Approximate), family.family == Family::Sums) << family.text;
}

}  // namespace
}  // namespace vyre::verify
