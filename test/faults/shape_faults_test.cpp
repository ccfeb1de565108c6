// Planted faults of shape: what certification runs at its quick strength refuses each, and a failure names
// the factor. What is expected stands in shape_faults.def and follows from what each fault does. Faults that
// want to deceive their judge need a judge in a process of its own: shape_test.py has them.
#include "shape_faults.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <map>

#include "backend/native/native.h"
#include "ops/operation.h"
#include "oracle.h"
#include "suite/replay.h"
#include "verify/families.h"
#include "verify/shape_run.h"
#include "wire/wire.h"

VYRE_ORACLE(SpecificationTable,
            "shape_faults.def: the fault that was planted, and the factor that it is of; native follows the "
            "specification");

namespace vyre::faults {
namespace {

using testing::HasSubstr;
using verify::Verdict;

/// Native, which compiles equal programs once: most faults leave most programs as they are.
class Honest final : public backend::Backend {
 public:
  explicit Honest(std::unique_ptr<backend::Backend> native) : native_(std::move(native)) {}
  backend::Identity identity() const override { return native_->identity(); }
  backend::Limits limits() const override { return native_->limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    std::shared_ptr<backend::Pipeline>& known = pipelines_[wire::digest(program.program()).hex()];
    if (!known) {
      VYRE_TRY(made, native_->compile(program));
      known = std::move(made);
    }
    return std::make_unique<Shared>(known);
  }

 private:
  struct Shared final : backend::Pipeline {
    explicit Shared(std::shared_ptr<backend::Pipeline> all) : pipeline(std::move(all)) {}
    Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
      return pipeline->dispatch(host, groups);
    }
    std::shared_ptr<backend::Pipeline> pipeline;
  };
  const std::unique_ptr<backend::Backend> native_;
  std::map<std::string, std::shared_ptr<backend::Pipeline>> pipelines_;
};

backend::Backend& honest() {
  static Honest all([] {
    auto made = backend::make_native({.optimisation = 0, .threads = 1});
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }());
  return all;
}

/// The failure that names a factor among those kept, or null.
const verify::Failure* naming(const Verdict& verdict, std::string_view factor) {
  const auto found = std::ranges::find_if(verdict.failures, [&](const verify::Failure& f) {
    return f.note.find(fmt::format("factor {} = ", factor)) != f.note.npos;
  });
  return found == verdict.failures.end() ? nullptr : &*found;
}

/// The rows of ir.shapes as a certification at its quick strength has them: the smallest grid, the largest
/// one, the second smallest, and so on, since a fault of grids shows at one end or at the other.
struct Row {
  verify::Row row;
  check::Checked program;
};
std::vector<Row> rows_of(verify::Strength strength) {
  verify::ShapePlan plan = *verify::shape_plan(verify::shape_strength(strength), 1);
  const auto invocations = [](const verify::Row& row) {
    if (verify::kind_of(row) != verify::ShapeKind::Grid) return uint64_t{0};
    uint64_t out = 1;
    for (const uint32_t n : verify::groups_of(row)) out *= n;
    for (const uint32_t n : verify::workgroup_of(row)) out *= n;
    return out;
  };
  std::ranges::sort(plan.rows, {}, [&](const verify::Row& row) {
    return std::pair(invocations(row), verify::number_of(row));
  });
  std::vector<Row> out;
  for (size_t k = 0; k < plan.rows.size(); ++k) {
    const verify::Row& row = plan.rows[k % 2 == 0 ? k / 2 : plan.rows.size() - 1 - k / 2];
    auto checked = check::check(verify::shape_case(row, 1, honest().limits()).program, ops::op_table());
    EXPECT_TRUE(checked);
    out.push_back({row, std::move(*checked)});
  }
  return out;
}
const std::vector<Row>& rows(verify::Strength strength) {
  static const std::vector<Row> quick = rows_of(verify::Strength::Quick);
  if (strength == verify::Strength::Quick) return quick;
  static const std::vector<Row> standard = rows_of(verify::Strength::Standard);
  return standard;
}

/// ir.shapes by the rows where the fault may show, until a failure names the factor.
Verdict judge(backend::Backend& backend, ShapeFault fault, std::string_view factor,
              verify::Strength strength) {
  Verdict verdict;
  verdict.kind = verify::SubjectKind::Family;
  verdict.subject = verify::info(verify::Family::Shapes).text;
  const auto is_named = [&](const verify::ShapeFactorInfo& info) { return info.text == factor; };
  const auto of = std::ranges::find_if(verify::shape_factors(), is_named);
  if (of == verify::shape_factors().end()) {
    verdict.error = fmt::format("there is no factor {}", factor);
    return verdict;
  }
  std::vector<verify::Row> where;
  for (const Row& row : rows(strength)) {
    const bool has_factor = verify::level_of(row.row, of->factor) < generate::kAbsent;
    if (has_factor && may_strike(fault, row.program)) where.push_back(row.row);
  }
  std::atomic<bool> stop = false;
  const verify::Monitor monitor{.stop = &stop,
                                .progress = [&](uint64_t) { stop = naming(verdict, factor) != nullptr; }};
  const auto done = verify::check_rows(backend, where, {}, 0, 1, monitor, verdict);
  if (!done) verdict.error = done.error().message;
  return verdict;
}

std::vector<ShapeFaultInfo> faults_of_shape() {
  std::vector<ShapeFaultInfo> out;
  for (const ShapeFaultInfo& fault : kShapeFaults) {
    if (!fault.factor.empty()) out.push_back(fault);
  }
  return out;
}

class AShapeFault : public testing::TestWithParam<ShapeFaultInfo> {};

TEST_P(AShapeFault, IsRefusedAndItsFactorNamed) {
  const ShapeFaultInfo& fault = GetParam();
  const auto wrong = make_misshapen(honest(), fault.fault);
  rows(verify::Strength::Quick);  // once, for all faults: no part of the seconds of one
  const std::clock_t begin = std::clock();
  // What takes three levels at once is for the strength that covers them.
  auto strength = verify::Strength::Quick;
  Verdict verdict = judge(*wrong, fault.fault, fault.factor, strength);
  if (verdict.failure_count == 0) {
    strength = verify::Strength::Standard;
    verdict = judge(*wrong, fault.fault, fault.factor, strength);
  }
  const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(verdict.error, "") << "refused for another reason than its answers";
  ASSERT_GT(verdict.failure_count, 0u) << fault.meaning;
  const verify::Failure* const named = naming(verdict, fault.factor);
  ASSERT_NE(named, nullptr) << "no failure names " << fault.factor << ", the first says\n"
                            << verdict.failures.front().note;
  // For docs/shape-faults.md (shape_test.py --table).
  RecordProperty("fault", std::string(fault.text));
  RecordProperty("strength", strength == verify::Strength::Quick ? "quick" : "standard");
  RecordProperty("seconds", fmt::format("{:.1f}", seconds));
  RecordProperty("note", named->note.substr(0, named->note.find("\nprogram")));
  const auto again = suite::replay(named->token, *wrong);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->fails) << again->report;
  const auto right = suite::replay(named->token, honest());
  ASSERT_TRUE(right) << right.error().message;
  EXPECT_FALSE(right->fails) << right->report;
}

INSTANTIATE_TEST_SUITE_P(Ledger, AShapeFault, testing::ValuesIn(faults_of_shape()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(NoShapeFault, IsCertified) {
  // Native follows the specification; a judge that refused it would find faults in anything.
  const auto right = make_misshapen(honest(), ShapeFault::None);
  const verify::FamilyPlan plan = verify::family_plan(verify::Strength::Quick);
  const Verdict verdict = verify::check_family(*right, verify::Family::Shapes, plan, 1, {});
  EXPECT_EQ(verdict.error, "");
  EXPECT_EQ(verdict.failure_count, 0u) << verdict.failures.front().note;
  ASSERT_FALSE(verdict.parity.empty());
  EXPECT_TRUE(verdict.parity.front().tally.whole());
}

}  // namespace
}  // namespace vyre::faults
