// A wrong backend is never certified: many ways of being wrong, each refused with an input that shows it,
// by the run that the right backend passes.
#include "sabotage.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "backend/native/native.h"
#include "oracle.h"
#include "suite/replay.h"
#include "suite/suite.h"
#include "verify/elementwise.h"

VYRE_ORACLE(SpecificationTable,
            "the specification, which native follows and each planted fault contradicts by construction");

namespace vyre {
namespace {

using sabotage::Fault;
using verify::Family;

struct Case {
  Fault fault;
  const char* name;
  const char* operations;
  std::vector<Family> families;
  bool standard;  // as many parity cases and repeated evaluations as the standard strength, else as the quick
                  // one
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// The operations are those where the fault can show, so that the test is short; where it shows in few or in
// one, the others would pass rightly.
const Case kCases[] = {
    {Fault::ReturnsZero, "returns_zero", "primitive.math.add", {}, false},
    {Fault::DropsLowestBit, "drops_the_lowest_bit", "primitive.bitwise.x*", {}, false},
    {Fault::DropsHighestBit, "drops_the_highest_bit", "primitive.math.max", {}, false},
    {Fault::SwapsOperands, "swaps_operands", "primitive.math.sub", {}, false},
    {Fault::OffByOne, "off_by_one", "primitive.compare.lt", {}, false},
    {Fault::UnmaskedShift, "unmasked_shift", "primitive.bitwise.sh?", {}, false},
    {Fault::DivisionByZeroGivesOnes, "division_by_zero_gives_ones", "primitive.math.div", {}, false},
    {Fault::UnsignedWhereSigned, "unsigned_where_signed", "primitive.math.add", {Family::Operators}, false},
    {Fault::OutOfBoundsIndexWraps,
     "out_of_bounds_index_wraps",
     "primitive.math.add",
     {Family::Memory},
     false},
    {Fault::OutOfBoundsStoreLands,
     "out_of_bounds_store_lands",
     "primitive.math.add",
     {Family::Memory},
     false},
    {Fault::WrongOnceInAMillion, "wrong_once_in_a_million", "primitive.math.add", {}, true},
    {Fault::KnowsThePublishedRows, "knows_the_published_rows", "primitive.math.add_sat", {}, false},
};

suite::Plan plan_of(const Case& c) {
  suite::Plan plan;
  plan.strength = c.standard ? verify::Strength::Standard : verify::Strength::Quick;
  plan.selection = c.operations;
  plan.families = c.families;
  plan.operation_plan = verify::operation_plan(plan.strength);
  plan.operation_plan->laws = false;  // parity alone must refuse; laws have a test of their own below
  plan.family_plan = verify::FamilyPlan{1'000, 2, 0};
  return plan;
}

certify::Level level_of(const suite::Run& run, const suite::Plan& plan) {
  return certify::level_of(verify::Track::Integer, run.certificate.verdicts, plan.strength,
                           uint32_t(plan.families->size()));
}

std::unique_ptr<backend::Backend> native() {
  auto backend = backend::make_native({.optimisation = 0});
  EXPECT_TRUE(backend.has_value());
  return std::move(*backend);
}

const ops::Operation* operation_named(const std::string& subject) {
  for (const ops::Operation& op : ops::all_operations()) {
    if (verify::subject_of(op.id, op.version) == subject) return &op;
  }
  return nullptr;
}

TEST(FailFast, EndsAtTheFirstUnitThatFails) {
  // A backend that gives zero fails in the first unit of cases, whichever that is, and two threads may be in
  // one each.
  suite::Plan plan = plan_of({Fault::ReturnsZero, "", "primitive.math.*", {}, false});
  plan.fail_fast = true;
  const auto honest = native();
  sabotage::Saboteur wrong(*honest, Fault::ReturnsZero);
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_arena arena(2);
  const auto run = arena.execute([&] { return suite::run(wrong, plan, {}, nullptr); });
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_TRUE(run->partial);
  EXPECT_TRUE(run->certificate.verdicts.empty()) << "no level follows";
  EXPECT_EQ(run->units + run->not_run, suite::units_of(plan)->size());
  EXPECT_GE(run->failed.size(), 1u);
  EXPECT_LE(run->failed.size(), 2u);
  EXPECT_GT(run->not_run, 10u);
  EXPECT_NE(run->failed[0].failure_count, 0u);
  // Where nothing fails, the certificate is that of a run without it.
  suite::Plan right = plan;
  right.selection = "primitive.math.min";
  std::string texts[2];
  for (const bool fast : {false, true}) {
    right.fail_fast = fast;
    const auto done = suite::run(*honest, right, {}, nullptr);
    ASSERT_TRUE(done.has_value());
    EXPECT_EQ(done->not_run, 0u);
    texts[size_t(fast)] = certify::print(done->certificate);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

class AWrongBackend : public testing::TestWithParam<Case> {};

// The expected word of a reported failure is checked against the operation's CPU reference function, the
// actual one against the wrong backend itself.
// covers: LV-02
TEST_P(AWrongBackend, IsRefusedWithItsFailingInput) {
  const Case& c = GetParam();
  const suite::Plan plan = plan_of(c);
  const auto honest = native();
  sabotage::Saboteur wrong(*honest, c.fault);

  const auto run = suite::run(wrong, plan, {}, nullptr);
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_EQ(level_of(*run, plan), certify::Level::None);

  size_t shown = 0;
  for (const verify::Verdict& v : run->certificate.verdicts) {
    EXPECT_EQ(v.error, "") << "refused for another reason than its answers";
    for (const verify::Failure& f : v.failures) {
      if (f.check == verify::Check::Definition)
        ADD_FAILURE() << "the definitions do not depend on the backend";
      ASSERT_FALSE(f.expected.empty());
      ASSERT_EQ(f.actual.size(), f.expected.size());
      EXPECT_NE(f.expected, f.actual);
      EXPECT_LE(f.token.size(), 120u);
      ++shown;
    }
    const ops::Operation* op = operation_named(v.subject);
    if (op == nullptr || v.failures.empty()) continue;
    const verify::Failure& f = v.failures.front();
    EXPECT_EQ(f.expected[0], op->reference(f.input.data()));
    if (c.fault == Fault::WrongOnceInAMillion) continue;  // does not give the same wrong answer again
    auto pipeline = verify::Elementwise::make(wrong, verify::application_of(*op));
    ASSERT_TRUE(pipeline.has_value());
    std::vector<const uint32_t*> columns;
    for (const uint32_t& x : f.input) columns.push_back(&x);
    uint32_t answer = 0;
    ASSERT_TRUE(
        (*pipeline)
            ->apply(columns, {&answer, 1}, verify::poison_for(spec::DataType::U32, {&f.actual[0], 1}, 1, 1))
            .has_value());
    EXPECT_EQ(answer, f.actual[0]);
  }
  ASSERT_GT(shown, 0u) << "no failing input was reported";

  // The token of the first failure fails again here, and passes on the right backend.
  for (const verify::Verdict& v : run->certificate.verdicts) {
    if (v.failures.empty()) continue;
    const auto again = suite::replay(v.failures.front().token, wrong);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_TRUE(again->fails) << again->report;
    const auto refused = suite::require_passed(*again, v.failures.front().token, "sabotaged");
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, DiagCode::C005);
    const auto right = suite::replay(v.failures.front().token, *honest);
    ASSERT_TRUE(right.has_value()) << right.error().message;
    EXPECT_FALSE(right->fails) << right->report;
    EXPECT_TRUE(suite::require_passed(*right, v.failures.front().token, "native").has_value());
  }
}

TEST_P(AWrongBackend, IsRefusedByARunThatTheRightOnePasses) {
  const suite::Plan plan = plan_of(GetParam());
  const auto honest = native();
  const auto run = suite::run(*honest, plan, {}, nullptr);
  ASSERT_TRUE(run.has_value()) << run.error().message;
  for (const verify::Verdict& v : run->certificate.verdicts) {
    EXPECT_EQ(certify::missing_for_parity(v, plan.strength), std::vector<std::string>{}) << v.subject;
    EXPECT_EQ(v.failure_count, 0u) << v.subject;
  }
  EXPECT_GE(level_of(*run, plan), certify::Level::L1);
}

INSTANTIATE_TEST_SUITE_P(Planted, AWrongBackend, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// A backend that is wrong about floats keeps what it is worth for integers.
// covers: LV-04
TEST(AWrongBackend, LosesTheFloatTrackAlone) {
  // The specification; both faults are forbidden patterns of its "Float semantics", and neither touches an
  // integer.
  using verify::Track;
  const auto honest = native();
  suite::Plan plan;
  plan.strength = verify::Strength::Quick;
  plan.selection = "*.sub";  // primitive.math.sub, and float.<type>.sub
  plan.families = {Family::Operators, Family::Casts};
  plan.family_plan = verify::FamilyPlan{1'000, 2, 0, false, 10'000};  // with the laws of operators
  for (const Fault fault : {Fault::FlushesSubnormals, Fault::ContractsProducts}) {
    SCOPED_TRACE(int(fault));
    sabotage::Saboteur wrong(*honest, fault);
    const auto run = suite::run(wrong, plan, {}, nullptr);
    ASSERT_TRUE(run.has_value()) << run.error().message;
    const std::vector<verify::Verdict>& verdicts = run->certificate.verdicts;
    // As if there were no other families than those of the plan; both have a part of floats.
    EXPECT_EQ(certify::level_of(Track::Integer, verdicts, plan.strength, 2), certify::Level::L2);
    EXPECT_EQ(certify::level_of(Track::Float, verdicts, plan.strength, 2), certify::Level::None);
    for (const verify::Verdict& v : verdicts) {
      // A sum of a product is no operation; operators beside others are a family's.
      const bool operators = v.subject == verify::info(Family::Operators).text;
      const bool operation = v.kind == verify::SubjectKind::Operation;
      const bool can_show = operators || (operation && fault == Fault::FlushesSubnormals);
      EXPECT_EQ(v.failure_count != 0, v.track == Track::Float && can_show)
          << v.subject << (v.failures.empty() ? "" : " " + v.failures[0].token);
      EXPECT_EQ(v.error, "") << v.subject;
    }
  }
  const auto run = suite::run(*honest, plan, {}, nullptr);
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_EQ(certify::level_of(Track::Float, run->certificate.verdicts, plan.strength, 2), certify::Level::L2);
}

TEST(AWrongBackend, DoesNotGetPastThePlantedLaw) {
  // The planted-false laws' counts, which are known from mathematics: constant zero satisfies many true laws
  // and cannot satisfy these.
  const auto honest = native();
  sabotage::Saboteur wrong(*honest, Fault::ReturnsZero);
  const verify::Verdict refused = verify::check_family(wrong, Family::PlantedLaws, {}, 1, {});
  EXPECT_FALSE(certify::missing_for_parity(refused, verify::Strength::Quick).empty());
  EXPECT_EQ(refused.error, "");
  EXPECT_GT(refused.failure_count, 0u);
}

// covers: LV-03
TEST(AWrongBackend, FailsLawsToo) {
  VYRE_ORACLE(
      Law, "algebra. max(a, 0) = a for every a, and a maximum without its highest bit is not a for a = 2^31");
  const auto honest = native();
  sabotage::Saboteur wrong(*honest, Fault::DropsHighestBit);
  verify::OperationPlan plan = verify::operation_plan(verify::Strength::Quick);
  plan.parity_cases = 1;
  plan.repeated_evaluations = 1;
  const verify::Verdict verdict =
      verify::check_operation(wrong, *ops::find_operation("primitive.math.max"), plan, 1, {});
  EXPECT_FALSE(certify::missing_for_laws(verdict, verify::Strength::Quick).empty());
  bool identity_refuted = false;
  for (const verify::LawVerdict& law : verdict.laws) {
    if (law.law != "Identity(0)") continue;
    for (const verify::Evidence& e : law.evidence)
      identity_refuted |= e.subject.starts_with("device(") && !e.holds;
  }
  EXPECT_TRUE(identity_refuted);
}

}  // namespace
}  // namespace vyre
