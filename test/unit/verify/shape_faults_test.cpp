// Faults of shape: a backend that is wrong with one level of one factor is refused, and the level is named.
#include <gtest/gtest.h>

#include <functional>

#include "backend/backend.h"
#include "backend/native/native.h"
#include "ops/operation.h"
#include "oracle.h"
#include "text/text.h"
#include "verify/families.h"
#include "verify/shape_factors.h"

VYRE_ORACLE(Property, "each backend is wrong with one level of one factor, which stands beside it");

namespace vyre::verify {
namespace {

void replace(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

using Rewrite = std::function<void(std::string& program)>;
using Regroup = std::function<void(layout::Groups&)>;

class Regrouping final : public backend::Pipeline {
 public:
  Regrouping(std::unique_ptr<Pipeline> right, const Regroup& regroup)
      : right_(std::move(right)), regroup_(regroup) {}
  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    if (regroup_) regroup_(groups);
    return right_->dispatch(host, groups);
  }

 private:
  std::unique_ptr<Pipeline> right_;
  const Regroup& regroup_;
};

/// The native backend, but it compiles another program than it was given, or runs other groups.
class Rewriting final : public backend::Backend {
 public:
  Rewriting(backend::Backend& right, Rewrite rewrite, Regroup regroup)
      : right_(right), rewrite_(std::move(rewrite)), regroup_(std::move(regroup)) {}
  backend::Identity identity() const override { return right_.identity(); }
  backend::Limits limits() const override { return right_.limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    std::string text = text::print(program.program());
    if (rewrite_) rewrite_(text);
    VYRE_TRY(parsed, text::parse(text, &ops::op_table()));
    const auto checked = check::check(parsed, ops::op_table());
    if (!checked) return std::unexpected(checked.error().front());
    VYRE_TRY(pipeline, right_.compile(*checked));
    return std::make_unique<Regrouping>(std::move(pipeline), regroup_);
  }

 private:
  backend::Backend& right_;
  const Rewrite rewrite_;
  const Regroup regroup_;
};

struct ShapeFault {
  std::string_view name, culprit;
  Rewrite rewrite;
  Regroup regroup = {};
};

const ShapeFault kFaults[] = {
    {"the last, partial warp stores nothing", "factor workgroup = 97",
     [](std::string& text) {
       if (text.find("workgroup(97, 1, 1)") == std::string::npos) return;
       replace(text, "out[slot] = v;", "if (local_id.x < 96) { out[slot] = v; }");
     }},
    {"more than 4096 groups along x are left out",
     "factor groups = ",
     {},
     [](layout::Groups& groups) { groups.x = std::min(groups.x, 4096u); }},
    {"loads wrap at index 2^16", "factor index = around 2^16",
     [](std::string& text) { replace(text, "let x = a[p];", "let x = a[p & 65535];"); }},
    {"the ninth buffer reads as zero", "factor storage buffers = 9",
     [](std::string& text) {
       if (text.find("e4: u32") != std::string::npos) replace(text, "e4[i] *", "0 *");
     }},
    {"atomics far into a buffer go elsewhere", "factor word of the atomic = ",
     [](std::string& text) {
       replace(text, "(t[0x10003", "(t[3");  // 65,539
       replace(text, "(t[0xf4243", "(t[3");  // 1,000,003
     }},
    {"a loop's to comes before its from", "factor order of = bounds of loops",
     [](std::string& text) {
       replace(text, "for r in atomic_add(t[own + 0], 2)..atomic_add(t[own + 0], 3) + 5",
               "let to = atomic_add(t[own], 3) + 5; for r in atomic_add(t[own], 2)..to");
     }},
};

TEST(ShapeFaults, AreRefusedAndNamed) {
  auto native = backend::make_native({.optimisation = 0});  // programs run once
  ASSERT_TRUE(native.has_value());
  for (const ShapeFault& fault : kFaults) {
    SCOPED_TRACE(fault.name);
    Rewriting wrong(**native, fault.rewrite, fault.regroup);
    const Verdict verdict = check_family(wrong, Family::Shapes, {.shape_strength = 1}, 1, {});
    EXPECT_EQ(verdict.error, "");
    ASSERT_GT(verdict.failure_count, 0u);
    bool named = false;
    for (const Failure& failure : verdict.failures)
      named = named || failure.note.find(fault.culprit) != std::string::npos;
    EXPECT_TRUE(named) << verdict.failures[0].note;
    EXPECT_EQ(verdict.failures[0].minimality, Minimality::Shrunk);
  }
}

TEST(ShapeFaults, ARightBackendHasNone) {
  VYRE_ORACLE(SpecificationTable, "by hand: a right backend has no failure, and its coverage is whole");
  auto native = backend::make_native();
  ASSERT_TRUE(native.has_value());
  Verdict verdict = check_family(**native, Family::Shapes, {.shape_strength = 2}, 1, {});
  EXPECT_EQ(verdict.error, "");
  EXPECT_EQ(verdict.failure_count, 0u);
  EXPECT_TRUE(verdict.determinism.whole());
  EXPECT_EQ(wrong_coverage(verdict, 2, 1), "");
  for (const auto& [strength, seed] : {std::pair{2u, 2u}, {3u, 1u}, {1u, 1u}})
    EXPECT_NE(wrong_coverage(verdict, strength, seed), "") << strength << " of seed " << seed;
  // No count can be another, and every device has small workgroups.
  for (const uint64_t cases : {uint64_t{0}, uint64_t{1000}}) {
    Verdict other = verdict;
    other.coverage.factors[size_t(ShapeFactor::Workgroup)].levels[2].cases = cases;
    EXPECT_NE(wrong_coverage(other, 2, 1), "") << cases;
  }
}

}  // namespace
}  // namespace vyre::verify
