#include "verify/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verify/algebraic.h"
#include "verify/device_laws.h"
#include "verify/examine.h"
#include "verify/families.h"
#include "verify/parity.h"
#include "verify/token.h"

namespace vyre::verify {
namespace {

// Rows against the reference function, and the composition on the reference interpreter against it: if the
// definitions disagree there is nothing to certify anybody against.
Result<void> check_definition(const ops::Operation& operation, const Subject& subject, uint64_t wanted,
                              uint64_t seed, Verdict& verdict) {
  Tally& tally = verdict.definition;
  for (size_t i = 0; i < operation.rows.size(); ++i) {
    const ops::SpecRow& row = operation.rows[i];
    ++tally.planned;
    ++tally.completed;
    const uint32_t actual = operation.reference(row.operands.data());
    if (actual == row.expected) continue;
    ++tally.failed;
    add_failure(verdict, {Check::Definition,
                          fmt::format("specification table, {}", row.source),
                          Minimality::Found,
                          row.operands,
                          {row.expected},
                          {actual},
                          "the CPU reference function contradicts this row",
                          print(Token{subject.name, "rows", seed, i, {}})});
  }
  algebra::CompositionEvaluator composition(ops::op_table());
  const size_t arity = operation.signature.inputs.size();
  for (const CaseRange& range : plan_cases(subject, seed, wanted, wanted / 4, false)) {
    std::vector<std::vector<uint32_t>> words(arity, std::vector<uint32_t>(range.count));
    std::vector<uint32_t*> out;
    std::vector<const uint32_t*> in;
    for (auto& w : words) {
      out.push_back(w.data());
      in.push_back(w.data());
    }
    const CaseSource source(subject, range, seed);
    source.fill(0, range.count, out);
    std::vector<uint32_t> expected(range.count), actual(range.count);
    subject.expected(in, expected);
    VYRE_CHECK(composition.apply(operation, in, actual.data(), range.count));
    tally.planned += range.count;
    tally.completed += range.count;
    for (size_t i = 0; i < range.count; ++i) {
      if (actual[i] == expected[i]) continue;
      ++tally.failed;
      std::vector<uint32_t> input;
      for (const auto& w : words) input.push_back(w[i]);
      add_failure(verdict, {Check::Definition,
                            std::string(text(Oracle::CpuReference)),
                            Minimality::Found,
                            input,
                            {expected[i]},
                            {actual[i]},
                            "the composition on the reference interpreter disagrees",
                            print(Token{subject.name, range.strategy, seed, source.number(i), {}})});
    }
  }
  return {};
}

Result<void> check_all(backend::Backend& backend, const ops::Operation& operation, const OperationPlan& plan,
                       uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  VYRE_CHECK(backend.renew());
  const Subject subject = subject_of(operation);
  VYRE_CHECK(check_definition(operation, subject, plan.definition_cases, seed, verdict));

  VYRE_TRY(pipelines, make_pipelines(backend, subject, workgroups_of(backend), seed, verdict));
  verdict.pipeline = pipelines.all[0]->digest().hex();

  Examiner examiner(backend, subject, pipelines.all, seed, monitor, verdict);
  const auto ranges = plan_cases(subject, seed, plan.parity_cases, plan.strategy_cap, plan.whole);
  VYRE_CHECK(check_parity(subject, examiner, ranges, seed, monitor, verdict));
  verdict.boundaries = uint32_t(operation.boundaries.size());
  VYRE_CHECK(check_determinism(subject, examiner, uint32_t(pipelines.all.size()), plan.repeated_evaluations,
                               seed, monitor, verdict));
  if (monitor.stopped() || !plan.laws) pipelines.account(verdict);
  if (monitor.stopped()) return {};
  if (!plan.laws) {
    // A law that nobody looked at is in the verdict without evidence, so it is not verified.
    for (const spec::Law& law : operation.laws) verdict.laws.push_back({spec::to_string(law), true, {}});
    for (const spec::Denial& denial : operation.denied)
      verdict.laws.push_back({spec::to_string(denial.law), false, {}});
    return {};
  }

  // The first pipeline applies the operation in its laws too, and is counted then.
  DeviceEvaluator evaluator(backend, ops::op_table(), seed, monitor, verdict);
  const std::string device =
      fmt::format("device({}, {})", pipelines.all[0]->digest().short_hex(), backend.identity().driver);
  evaluator.adopt(operation, std::move(pipelines.owned[0]));
  pipelines.owned.erase(pipelines.owned.begin());
  pipelines.account(verdict);
  const auto lawful = check_laws(operation, evaluator, device, plan.witnessed, seed, monitor, verdict);
  evaluator.account();
  if (!lawful) return lawful;
  if (plan.swept == 0 || monitor.stopped()) return {};
  return sweep_laws(backend, operation, device, plan.swept, plan.whole, seed, monitor, verdict);
}

}  // namespace

OperationPlan operation_plan(Strength strength) {
  constexpr uint64_t kWhole = uint64_t{1} << 32;
  switch (strength) {
    case Strength::Quick:
      return {1'000, 10'000, 2'048, false, 100'000, 1'000'000, true, swept_instances(strength)};
    case Strength::Standard:
      return {4'096,     1'000'000, uint64_t{1} << 20,        false, 10'000'000,
              1'000'000, true,      swept_instances(strength)};
    case Strength::Full:
      return {65'536, 4'000'000, kWhole, true, 100'000'000, 10'000'000, true, swept_instances(strength)};
  }
  return {};
}

OperationPlan plan_for(const ops::Operation& operation, OperationPlan plan) {
  // Of each operator on floats there are three, which go through the same units.
  if (track_of(operation) == Track::Float) {
    plan.repeated_evaluations = (plan.repeated_evaluations + 3) / 4;
    plan.swept = (plan.swept + 3) / 4;
  }
  return plan;
}

uint64_t expected_evaluations(const ops::Operation& operation, const OperationPlan& whole_plan) {
  const OperationPlan plan = plan_for(operation, whole_plan);
  uint64_t n = plan.repeated_evaluations;
  for (const CaseRange& range :
       plan_cases(subject_of(operation), 0, plan.parity_cases, plan.strategy_cap, plan.whole)) {
    n += range.count;
  }
  if (!plan.laws) return n;
  for (const spec::Law& law : operation.laws) {
    const spec::LawInfo& info = spec::info(law.kind);
    const uint32_t variables =
        info.variables == 0 ? uint32_t(operation.signature.inputs.size()) : info.variables;
    n += 2 * (2 * (uint64_t{1} << (8 * variables)) + plan.witnessed) + plan.swept;
    if (variables == 1) n += 2 << 16;
    if (variables == 2 && plan.whole) n += uint64_t{1} << 32;
  }
  return n;
}

Verdict check_operation(backend::Backend& backend, const ops::Operation& operation, const OperationPlan& plan,
                        uint64_t seed, const Monitor& monitor) {
  Verdict verdict;
  verdict.kind = SubjectKind::Operation;
  verdict.subject = subject_of(operation.id, operation.version);
  verdict.track = track_of(operation);
  const auto result = check_all(backend, operation, plan_for(operation, plan), seed, monitor, verdict);
  if (!result) {
    verdict.error = fmt::format("{}: {}", diag_info(result.error().code).name, result.error().message);
  }
  return verdict;
}

double odds_of_missing(double once_in, double evaluations) {
  return std::exp(evaluations * std::log1p(-1.0 / once_in));
}

}  // namespace vyre::verify
