// Laws of floats: what equality and order mean, and what the engines say of operations that are known.
#include <gtest/gtest.h>

#include "algebra/engine.h"
#include "algebra/order.h"
#include "algebra/planted_law.h"
#include "oracle.h"

VYRE_ORACLE(
    SpecificationTable,
    "docs/spec/laws.md, \"Floats: equal as values\", and IEEE 754; counts by arithmetic on the format");

namespace vyre::algebra {
namespace {

using spec::DataType;
namespace laws = spec::laws;

struct Words {
  DataType type;
  uint32_t zero, minus_zero, tiny, one, two, minus_one, infinity, nan, payload;
};
// Patterns of IEEE 754's formats, written out.
constexpr Words kWords[] = {
    {DataType::F16, 0, 0x8000, 1, 0x3c00, 0x4000, 0xbc00, 0x7c00, 0x7e00, 0xfe01},
    {DataType::BF16, 0, 0x8000, 1, 0x3f80, 0x4000, 0xbf80, 0x7f80, 0x7fc0, 0xffc1},
    {DataType::F32, 0, 0x80000000, 1, 0x3f800000, 0x40000000, 0xbf800000, 0x7f800000, 0x7fc00000, 0xffc00001},
};

TEST(Order, IsThatOfNumbersAndEqualityThatOfBitsButForNaN) {
  for (const Words& w : kWords) {
    const DataType t = w.type;
    EXPECT_TRUE(equal_values(w.nan, w.payload, t));
    EXPECT_FALSE(equal_values(w.nan, w.infinity, t));
    EXPECT_FALSE(equal_values(w.zero, w.minus_zero, t));
    EXPECT_TRUE(equal_values(w.one, w.one, t));
    const uint32_t ascending[] = {w.minus_one, w.zero, w.tiny, w.one, w.two, w.infinity};
    for (size_t i = 0; i < std::size(ascending); ++i) {
      for (size_t k = 0; k < std::size(ascending); ++k) {
        EXPECT_EQ(is_below(ascending[i], ascending[k], t), i < k);
        EXPECT_EQ(is_at_most(ascending[i], ascending[k], t), i <= k);
      }
    }
    EXPECT_FALSE(is_below(w.minus_zero, w.zero, t));
    EXPECT_TRUE(is_at_most(w.zero, w.minus_zero, t));
    for (const uint32_t other : {w.nan, w.one, w.infinity}) {
      EXPECT_FALSE(is_below(w.payload, other, t) || is_below(other, w.payload, t));
      EXPECT_FALSE(is_at_most(w.payload, other, t) || is_at_most(other, w.payload, t));
    }
  }
  EXPECT_TRUE(is_below(0xffffffff, 0, DataType::I32));
  EXPECT_TRUE(is_below(0, 0xffffffff, DataType::U32));
  EXPECT_FALSE(equal_values(0x7fc00001, 0x7fc00002, DataType::U32));
}

LawVerdict check(const spec::Law& law, std::string_view id) {
  SpecEvaluator evaluator;
  auto verdict = check_law(law, *ops::find_operation(id), evaluator, {});
  EXPECT_TRUE(verdict.has_value());
  return std::move(*verdict);
}

TEST(FloatLaws, AreVerifiedOverTheSmallFormat) {
  for (const std::string type : {"f16", "bf16", "f32"}) {
    const std::string prefix = "float." + type;
    const LawVerdict commutes = check(laws::commutative(), prefix + ".add");
    EXPECT_TRUE(commutes.combined());
    EXPECT_EQ(commutes.grade, "exhausted(e5m2^2) exhausted(edge256^2) witnessed(1000000, seed 0)");
    EXPECT_EQ(check(laws::associative(), prefix + ".add").outcome, Outcome::Refuted);
    EXPECT_EQ(check(laws::distributive_over(prefix + ".add"), prefix + ".mul").outcome, Outcome::Refuted);
    EXPECT_TRUE(check(laws::idempotent(), prefix + ".min").holds());
    const LawVerdict plus_zero = check(laws::identity(0), prefix + ".add");
    ASSERT_EQ(plus_zero.outcome, Outcome::Refuted);
    EXPECT_FALSE(plus_zero.counterexample->smallest);
    // Types that do not fit, and a sum that would be rounded.
    EXPECT_EQ(check(laws::involution(), prefix + ".is_nan").outcome, Outcome::NotApplicable);
    EXPECT_EQ(check(laws::complement(prefix + ".sub", 0), prefix + ".add").outcome, Outcome::NotApplicable);
    EXPECT_EQ(check(laws::round_trip(prefix + ".is_nan"), prefix + ".neg").outcome, Outcome::NotApplicable);
  }
  EXPECT_TRUE(check(laws::round_trip("float.f32.to_f16"), "float.f16.to_f32").holds());
  EXPECT_EQ(check(laws::round_trip("float.f16.to_f32"), "float.f32.to_f16").outcome, Outcome::Refuted);
  EXPECT_EQ(check(laws::round_trip("float.f32.to_f16"), "float.bf16.to_f32").outcome, Outcome::NotApplicable);
}

TEST(FloatLaws, HoldOnTheCompositionToo) {
  VYRE_ORACLE(
      CpuReference,
      "the same composition and reference function, which ops' tests compare; here the packing of halves");
  CompositionEvaluator composition(ops::op_table());
  EngineOptions few;
  few.edge256 = false;
  few.witnessed = 1'000;
  for (const char* id : {"float.f16.mul", "float.bf16.add", "float.f32.max"}) {
    const auto verdict = check_law(laws::commutative(), *ops::find_operation(id), composition, few);
    ASSERT_TRUE(verdict.has_value()) << verdict.error().message;
    EXPECT_TRUE(verdict->holds()) << id << ": " << verdict->grade;
  }
  const auto refuted =
      check_law(laws::commutative(), *ops::find_operation("float.f16.sub"), composition, few);
  ASSERT_TRUE(refuted.has_value());
  EXPECT_EQ(refuted->outcome, Outcome::Refuted);
}

TEST(FloatPlantedLaw, HaveTheCountsOfMathematics) {
  // Arithmetic on the format: 6 NaNs, 2 infinities and 2 zeros among the values of e5m2.
  ASSERT_EQ(float_planted_laws().size(), 2u);
  EXPECT_EQ(float_planted_laws()[0].failures, 62'250u);
  EXPECT_EQ(float_planted_laws()[1].failures, 31'124u);
  EXPECT_EQ(integer_planted_laws().size(), spec::kLaws.size());
  SpecEvaluator evaluator;
  const auto verdicts = check_planted_laws(evaluator, float_planted_laws());
  ASSERT_TRUE(verdicts.has_value());
  for (const PlantedVerdict& v : *verdicts)
    EXPECT_TRUE(v.caught) << v.planted->proof << ": " << v.verdict.grade;
}

}  // namespace
}  // namespace vyre::algebra
