// The approximate track: what is right within a bound, how it is counted, and backends that break it.
#include "verify/deviation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/checked.h"
#include "mutant.h"
#include "ops/registry.h"
#include "oracle.h"
#include "verify/operation.h"
#include "verify/parity.h"

VYRE_ORACLE(SpecificationTable,
            "docs/spec/floats.md, \"Approximate operators\", by hand: operations give one NaN, which is "
            "quiet; the bound of FExpApprox on f32 is 4, and the native form is off by 1 at most");

namespace vyre::verify {
namespace {

using testing::ElementsAre;

TEST(Deviation, StepsAreNumbersOfTheFormat) {
  const spec::FloatFormat f = spec::kBinary32;
  EXPECT_EQ(steps_between(f, 0x3f800000, 0x3f800000), 0u);
  EXPECT_EQ(steps_between(f, 0x3f800000, 0x3f7fffff), 1u);  // over the end of a binade
  EXPECT_EQ(steps_between(f, 0xbf800003, 0xbf800000), 3u);
  EXPECT_EQ(steps_between(f, 0, 2), 2u);                     // zero, and the second subnormal
  EXPECT_EQ(steps_between(f, 0x007fffff, 0x00800000), 1u);   // the greatest subnormal, the least normal
  EXPECT_EQ(steps_between(f, 0x7f7fffff, 0x7f800000), 1u);   // the greatest number, infinity
  EXPECT_EQ(steps_between(f, 0, 0x80000000), std::nullopt);  // the zeros
  EXPECT_EQ(steps_between(f, 1, 0x80000001), std::nullopt);  // across zero
  EXPECT_EQ(steps_between(f, 0x7f800000, 0x7f800001), std::nullopt);  // to a NaN
  EXPECT_EQ(steps_between(f, 0x7fc00000, 0x7fc00000), 0u);
  EXPECT_EQ(steps_between(f, 0x7fc00000, 0x7fc00001), std::nullopt);
}

TEST(Deviation, NothingIsApproximatedAtZerosInfinitiesAndNans) {
  const spec::FloatFormat f = spec::kBFloat16;
  for (const uint32_t x : {0x0000, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0x7f81})
    EXPECT_TRUE(is_settled_at(f, x)) << x;
  for (const uint32_t x : {0x0001, 0x8001, 0x7f7f, 0xff7f, 0x3f80}) EXPECT_FALSE(is_settled_at(f, x)) << x;
}

TEST(Deviation, RightAnswersBecomeWhatTheyStandForAndAreCounted) {
  const Subject subject = subject_of(*ops::find_operation("float.f32.exp_approx"));
  ASSERT_EQ(subject.bound, 4u);
  const std::vector<uint32_t> x = {0x3f800000, 0x40000000, 0x40400000, 0,
                                   0x7f800000, 0xc2cf0000, 0x3f000000, 0x3e800000};
  const std::vector<uint32_t> wanted = {0x402df854, 0x40ec7326, 0x41a0af2e, 0x3f800000,
                                        0x7f800000, 1,          0x3fd3094c, 0x3fa45af2};
  const uint32_t poison = 0x7f800123;
  // right; 4 away; 5 away; 1 away of 0, where nothing is approximated; right; 1 away; NaN; not written
  std::vector<uint32_t> answers = {0x402df854, 0x40ec732a, 0x41a0af33, 0x3f800001,
                                   0x7f800000, 0,          0x7fc00000, poison};
  const uint32_t* const columns[] = {x.data()};
  Deviations counted;
  settle_approximate(subject, columns, wanted, answers, poison, &counted);
  EXPECT_THAT(answers, ElementsAre(wanted[0], wanted[1], 0x41a0af33, 0x3f800001, wanted[4], wanted[5],
                                   0x7fc00000, poison));
  EXPECT_EQ(counted.bound, 4u);
  EXPECT_THAT(counted.counts, ElementsAre(2u, 1u, 0u, 0u, 1u));
  EXPECT_EQ(counted.beyond, 4u);
  EXPECT_EQ(counted.greatest, 5u);
  // Of a strict subject nothing is touched.
  const Subject strict = subject_of(*ops::find_operation("float.f32.exp"));
  answers = {wanted[0] + 1};
  settle_approximate(strict, columns, std::span(wanted).first(1), answers, poison);
  EXPECT_EQ(answers[0], wanted[0] + 1);
}

TEST(Deviation, ThePoisonIsNoAnswer) {
  // docs/spec/floats.md: operations give one NaN, which is quiet, so that a signalling one is no result.
  for (const char* id : {"float.f16.sin_approx", "float.bf16.pow_approx", "float.f32.log_approx"}) {
    const Subject subject = subject_of(*ops::find_operation(id));
    const spec::FloatFormat f = spec::float_format(subject.application.output);
    for (uint64_t k = 0; k < 1000; ++k) {
      const uint32_t poison = poison_of(subject, {}, 1, k);
      EXPECT_TRUE(f.is_nan(poison)) << id;
      EXPECT_LT(poison, f.nan()) << id;
    }
  }
}

/// The native backend, which answers some cases of float.f32.exp_approx `steps` numbers too high.
class Off final : public WrongNative {
 public:
  explicit Off(uint32_t steps) : WrongNative("off", ops::op_table(), body_of(steps)) {}

 private:
  static ir::Function body_of(uint32_t steps) {
    const ops::Operation& operation = *ops::find_operation("float.f32.exp_approx");
    ir::FunctionBuilder f{std::string(operation.id)};
    const ir::Ex a = f.parameter("a", spec::DataType::F32);
    const ir::Ex right = f.let("right", f.bitcast(spec::DataType::U32, operation.compose(f, {{a}})));
    const ir::Ex some = f.let("some", (f.bitcast(spec::DataType::U32, a) & 0xff) == 7u);
    const ir::Ex number = (right - 0x00800000u) < 0x7e000000u;  // far from the ends
    const ir::Ex out = f.select(some & number, right + steps, right);
    return f.finish(f.bitcast(spec::DataType::F32, out), spec::DataType::F32);
  }
};

Verdict verdict_on(backend::Backend& backend) {
  OperationPlan plan = operation_plan(Strength::Quick);
  return check_operation(backend, *ops::find_operation("float.f32.exp_approx"), plan, 1, {});
}

// covers: LV-06
TEST(Approximate, ABackendThatBreaksTheBoundIsNoticed) {
  Off far(6);
  const Verdict broken = verdict_on(far);
  EXPECT_EQ(broken.track, Track::Approximate);
  EXPECT_GT(broken.deviations.beyond, 0u);
  EXPECT_GE(broken.deviations.greatest, 5u);
  EXPECT_GT(broken.failure_count, 0u);
  ASSERT_FALSE(broken.failures.empty());
  EXPECT_EQ(broken.failures[0].fault, Fault::WrongValue);
  EXPECT_EQ(broken.failures[0].input[0] & 0xff, 7u);
  EXPECT_THAT(broken.failures[0].note, testing::HasSubstr("at most 4 ULP"));
}

TEST(Approximate, ABackendWithinTheBoundIsRight) {
  for (const uint32_t steps : {0u, 3u}) {
    Off near(steps);
    const Verdict good = verdict_on(near);
    EXPECT_EQ(good.deviations.beyond, 0u);
    EXPECT_LE(good.deviations.greatest, 4u);
    EXPECT_GE(good.deviations.greatest, std::max(1u, steps - (steps != 0)));
    EXPECT_EQ(good.failure_count, 0u);
    EXPECT_TRUE(good.error.empty()) << good.error;
    uint64_t counted = 0;
    for (const uint64_t n : good.deviations.counts) counted += n;
    EXPECT_EQ(counted, good.parity.back().tally.completed);
  }
}

}  // namespace
}  // namespace vyre::verify
