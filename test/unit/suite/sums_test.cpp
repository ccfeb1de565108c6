// Backends whose approximate sums are wrong, or as far off as they may be: the first are refused with a token
// that replays, the others are certified.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/backend.h"
#include "num/exact_sum.h"
#include "num/float.h"
#include "operation_files.h"
#include "oracle.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "suite/minimise.h"
#include "suite/replay.h"
#include "suite/suite.h"
#include "verify/families.h"

VYRE_ORACLE(SpecificationTable,
            "docs/spec/floats.md, \"Approximate operators\", and certificate, \"Levels\"; what is wrong is "
            "planted here");

namespace vyre {
namespace {

using spec::DataType;
using verify::Family;
using Words = std::vector<uint32_t>;

enum class Plant : uint8_t { Nothing, DropsTheLast, AddsOneTwice, JustBeyond, JustWithin, WritesNothing };

/// What a program with one approximate sum over the whole of its first buffer adds, and within what.
struct Sum {
  DataType type{};
  uint32_t tolerance = 0;
};
std::optional<Sum> sum_of(const ir::Program& program) {
  if (program.name != "whole") return std::nullopt;
  for (const ir::Expr& e : program.code.exprs) {
    if (e.kind != ir::ExprKind::Apply || e.op != spec::Op::FReduceApprox) continue;
    if (spec::fold_of(e.op, e.immediate) != spec::Op::FAdd) return std::nullopt;
    return Sum{program.element(program.buffers[0]), spec::tolerance_of(e.immediate)};
  }
  return std::nullopt;
}

Words patterns(DataType type, std::span<const std::byte> bytes) {
  const uint32_t each = spec::info(type).bytes;
  Words out(bytes.size() / each);
  for (size_t k = 0; k < bytes.size(); ++k) out[k / each] |= uint32_t(bytes[k]) << 8 * (k % each);
  return out;
}

/// The reference, whose approximate sums of two finite elements or more are as planted.
class Planted final : public backend::Backend {
 public:
  explicit Planted(Plant plant) : plant_(plant) {}
  backend::Identity identity() const override { return {"planted", "none", "none", "0"}; }
  backend::Limits limits() const override { return inner_->limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    VYRE_TRY(pipeline, inner_->compile(program));
    const auto sum = sum_of(program.program());
    if (!sum || plant_ == Plant::Nothing) return std::move(pipeline);
    return std::make_unique<Summing>(std::move(pipeline), *sum, plant_);
  }

 private:
  class Summing final : public backend::Pipeline {
   public:
    Summing(std::unique_ptr<backend::Pipeline> inner, Sum sum, Plant plant)
        : inner_(std::move(inner)), sum_(sum), plant_(plant) {}

    Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
      const spec::FloatFormat f = spec::float_format(sum_.type);
      const Words elements = patterns(sum_.type, host[0]);
      const bool finite =
          std::ranges::none_of(elements, [&](uint32_t x) { return f.is_nan(x) || f.is_infinite(x); });
      if (!finite || elements.size() < 2) return inner_->dispatch(host, groups);
      const size_t each = spec::info(sum_.type).bytes;
      Bytes data(host[0].begin(), host[0].end());
      if (plant_ == Plant::DropsTheLast) data.resize(data.size() - each);
      if (plant_ == Plant::AddsOneTwice)
        data.insert(data.end(), host[0].begin(), host[0].begin() + ptrdiff_t(each));
      if (plant_ == Plant::WritesNothing) return {};
      std::vector<std::span<std::byte>> mine(host.begin(), host.end());
      mine[0] = data;
      VYRE_CHECK(inner_->dispatch(mine, groups));
      if (plant_ == Plant::JustBeyond || plant_ == Plant::JustWithin) go_off(elements, host[1]);
      return {};
    }

   private:
    /// The first number above the sum that is beyond the tolerance, or the last that is within.
    void go_off(const Words& elements, std::span<std::byte> out) const {
      const spec::FloatFormat f = spec::float_format(sum_.type);
      num::ExactSum sum(f);
      for (const uint32_t x : elements) sum.add(x);
      if (sum.overflows()) return;
      uint32_t within = sum.rounded(), beyond = within;
      // Where the sum cancelled, it is a long way in short steps: half of it each time.
      uint32_t steps = 1u << f.fraction_bits;
      const auto is_within = [&](uint32_t x) {
        return sum.ulps_off(x).value_or(UINT64_MAX) <= sum_.tolerance;
      };
      const auto up = [&](uint32_t x, uint32_t n) {
        const auto order = [&](uint32_t p) {
          return (p & f.sign_bit()) != 0 ? -int64_t(p & ~f.sign_bit()) : int64_t(p);
        };
        const int64_t at = std::min<int64_t>(order(x) + n, f.infinity());
        return at < 0 ? uint32_t(-at) | f.sign_bit() : uint32_t(at);
      };
      while (steps != 0) {
        if (is_within(up(within, steps)) && up(within, steps) != within && up(within, steps) != f.infinity())
          within = up(within, steps);
        else
          steps /= 2;
      }
      beyond = up(within, 1);
      if (plant_ == Plant::JustBeyond && is_within(beyond)) return;  // there is none, next to infinity
      const uint32_t result = plant_ == Plant::JustBeyond ? beyond : within;
      const size_t each = spec::info(sum_.type).bytes;
      for (size_t k = 0; k < out.size(); ++k) out[k] = std::byte(result >> 8 * (k % each));
    }

    std::unique_ptr<backend::Pipeline> inner_;
    Sum sum_;
    Plant plant_;
  };

  Plant plant_;
  std::unique_ptr<backend::Backend> inner_ = backend::make_reference();
};

suite::Plan plan() {
  suite::Plan out;
  out.approximate = true;
  out.strength = verify::Strength::Quick;
  out.selection = "float.f16.exp2_approx";
  out.families = {Family::Sums};
  return out;
}

// covers: FL-27 LV-06
TEST(ApproximateSums, OfAWrongBackendAreRefusedWithATokenThatReplays) {
  Planted honest(Plant::Nothing);
  for (const Plant plant :
       {Plant::DropsTheLast, Plant::AddsOneTwice, Plant::JustBeyond, Plant::WritesNothing}) {
    SCOPED_TRACE(int(plant));
    Planted wrong(plant);
    const auto run = suite::run(wrong, plan(), {}, nullptr);
    ASSERT_TRUE(run.has_value()) << run.error().message;
    const certify::Certificate& certificate = run->certificate;
    EXPECT_EQ(certificate.level_line(), "approximate=none");
    const verify::Verdict& v = certificate.verdicts.back();
    ASSERT_EQ(v.subject, "ir.sums");
    EXPECT_EQ(v.track, verify::Track::Approximate);
    EXPECT_GT(v.deviations.beyond, 0u);
    EXPECT_GT(v.failure_count, 0u);
    EXPECT_EQ(v.error, "");
    ASSERT_FALSE(v.failures.empty());
    const verify::Failure& failure = v.failures[0];
    EXPECT_EQ(failure.fault, verify::Fault::WrongValue);
    EXPECT_EQ(failure.oracle, "cpu reference function");
    EXPECT_THAT(failure.token, testing::StartsWith("ir.sums:program:1:"));
    EXPECT_THAT(failure.note, testing::HasSubstr("freduce_approx(fadd, "));
    EXPECT_THAT(failure.note,
                testing::HasSubstr(plant == Plant::WritesNothing ? "was not written"
                                                                 : "ULP of the sum of magnitudes"));
    if (plant == Plant::JustBeyond) {
      // "41 ULP of the sum of magnitudes from 0x4000, and 40 are allowed"
      const std::string& note = failure.note;
      const size_t ulp = note.find(" ULP of"), allowed = note.find(" are allowed");
      ASSERT_TRUE(ulp != std::string::npos && allowed != std::string::npos) << note;
      const auto number_before = [&](size_t end) {
        return std::stoull(note.substr(note.rfind(' ', end - 1) + 1));
      };
      EXPECT_EQ(number_before(ulp), number_before(allowed) + 1) << note;
    }
    const auto again = suite::replay(failure.token, wrong);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_TRUE(again->fails) << again->report;
    const auto right = suite::replay(failure.token, honest);
    ASSERT_TRUE(right.has_value()) << right.error().message;
    EXPECT_FALSE(right->fails) << right->report;
    // What is kept of it is its token: no bytes stand for what may differ.
    const auto found = suite::write_down(certificate.verdicts, wrong, suite::by_token(wrong));
    ASSERT_TRUE(found.has_value()) << found.error().message;
    ASSERT_EQ(found->size(), v.failures.size());
    EXPECT_FALSE(found->front().failing.program.has_value());
    EXPECT_EQ(found->front().failing.story.token, failure.token);
    // A certificate says so and can be read.
    const auto read = certify::parse(certify::print(certificate));
    ASSERT_TRUE(read.has_value()) << read.error().message;
  }
}

// covers: FL-27
TEST(ApproximateSums, OfABackendWithinItsToleranceAreCertified) {
  Planted honest(Plant::Nothing), far(Plant::JustWithin);
  const auto right = suite::run(honest, plan(), {}, nullptr), off = suite::run(far, plan(), {}, nullptr);
  ASSERT_TRUE(right.has_value() && off.has_value());
  const verify::Verdict &near = right->certificate.verdicts.back(), &edge = off->certificate.verdicts.back();
  for (const verify::Verdict* v : {&near, &edge}) {
    EXPECT_EQ(v->failure_count, 0u) << v->failures[0].note;
    EXPECT_EQ(v->deviations.beyond, 0u);
  }
  const std::string only_one =
      fmt::format("approximate=L1a(1 of {})", operation_files::approximate_operations());
  EXPECT_EQ(right->certificate.level_line(), only_one);
  EXPECT_EQ(off->certificate.level_line(), only_one);
  EXPECT_LT(near.deviations.greatest, 20u);
  EXPECT_EQ(edge.deviations.greatest, 64u);
  EXPECT_GT(edge.deviations.counts[40], 0u);
  // What the digests are of does not depend on who was how far off.
  ASSERT_EQ(near.leaves.size(), edge.leaves.size());
  for (size_t k = 0; k < near.leaves.size(); ++k) {
    EXPECT_FALSE(near.leaves[k].digest.empty());
    EXPECT_EQ(near.leaves[k].digest, edge.leaves[k].digest);
  }
}

TEST(ApproximateSums, AreRequiredOfACertificate) {
  Planted honest(Plant::Nothing);
  const auto run = suite::run(honest, plan(), {}, nullptr);
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_TRUE(suite::expect_complete(run->certificate).has_value());
  certify::Certificate less = run->certificate;
  less.verdicts.pop_back();
  EXPECT_EQ(less.level_line(), "approximate=none");
  EXPECT_FALSE(suite::expect_complete(less).has_value());
  suite::Plan strict = plan();
  strict.approximate = false;
  strict.selection = "float.f16.add";
  const auto units = suite::units_of(strict);
  ASSERT_TRUE(units.has_value());
  for (const suite::Unit& unit : *units) EXPECT_THAT(unit.id, testing::Not(testing::HasSubstr("ir.sums")));
}

}  // namespace
}  // namespace vyre
