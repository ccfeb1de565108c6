// Tokens of laws that fail in a sweep alone: certification finds them, replay shows them again.
#include <gtest/gtest.h>

#include "backend/native/native.h"
#include "oracle.h"
#include "suite/replay.h"
#include "verify/operation.h"

VYRE_ORACLE(SpecificationTable, "algebra");

namespace vyre::suite {
namespace {

/// Native, but in programs of laws an addition subtracts; in applications alone it is right.
class WrongInLaws final : public backend::Backend {
 public:
  explicit WrongInLaws(backend::Backend& honest) : honest_(honest) {
    const spec::OpDef* sub = nullptr;
    for (const spec::OpDef* def : ops::op_table().all()) {
      if (def->id == "primitive.math.sub") sub = def;
    }
    for (const spec::OpDef* def : ops::op_table().all()) {
      spec::OpDef wrong = *def;
      if (def->id == "primitive.math.add") wrong.body = sub->body;
      table_.add(wrong);
    }
  }
  backend::Identity identity() const override { return honest_.identity(); }
  backend::Limits limits() const override { return honest_.limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    if (program.program().name != "law") return honest_.compile(program);
    auto wrong = check::check(ir::Program(program.program()), table_);
    if (!wrong) return std::unexpected(wrong.error().front());
    return honest_.compile(*wrong);
  }

 private:
  backend::Backend& honest_;
  spec::OpTable table_;
};

// Subtraction does not commute, does not associate and has no identity; it is not addition.
TEST(LawReplay, ShowsAgainWhatASweepFound) {
  const auto native = *backend::make_native();
  WrongInLaws wrong(*native);
  verify::OperationPlan plan = verify::operation_plan(verify::Strength::Quick);
  plan.parity_cases = 100;
  plan.strategy_cap = 10;
  plan.repeated_evaluations = 100;
  plan.witnessed = 100;
  plan.swept = 1 << 18;
  const ops::Operation& add = *ops::find_operation("primitive.math.add");
  const verify::Verdict verdict = verify::check_operation(wrong, add, plan, 1, {});
  EXPECT_EQ(verdict.error, "");
  ASSERT_EQ(verdict.failures.size(), add.laws.size());
  for (const verify::Failure& failure : verdict.failures) {
    EXPECT_EQ(failure.check, verify::Check::Law);
    EXPECT_EQ(failure.fault, verify::Fault::Law);
    const auto again = replay(failure.token, wrong);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->fails) << failure.token << "\n" << again->report;
    const auto right = replay(failure.token, *native);
    ASSERT_TRUE(right) << right.error().message;
    EXPECT_FALSE(right->fails) << right->report;
    EXPECT_NE(right->report.find("holds, as one program"), std::string::npos);
  }
  for (const verify::LawVerdict& law : verdict.laws) {
    const bool is_swept = law.evidence.back().grade.starts_with("swept(");
    EXPECT_EQ(is_swept, law.claimed);
    EXPECT_NE(law.evidence.back().holds, is_swept) << law.law;
  }
}

}  // namespace
}  // namespace vyre::suite
