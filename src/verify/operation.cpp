#include "verify/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "verify/algebraic.h"
#include "verify/device_laws.h"
#include "verify/device_values.h"
#include "verify/domain.h"
#include "verify/examine.h"
#include "verify/families.h"
#include "verify/leaves.h"
#include "verify/parity.h"
#include "verify/token.h"

namespace vyre::verify {
namespace {

/// The cases of a plan that are compared, range after range.
std::vector<CaseRange> cases_of(const Subject& subject, const OperationPlan& plan, uint64_t seed) {
  return plan_cases(subject, seed, plan.parity_cases, plan.strategy_cap, plan.whole);
}
uint64_t size_of(std::span<const CaseRange> ranges) {
  uint64_t sum = 0;
  for (const CaseRange& range : ranges) sum += range.count;
  return sum;
}

// Rows against the reference function, and the composition on the reference interpreter against it: if the
// definitions disagree there is nothing to certify a backend against.
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

/// Tasks, on a backend that is restarted before the first.
class TaskCheck {
 public:
  TaskCheck(backend::Backend& backend, const ops::Operation& operation, const OperationPlan& plan,
            uint64_t seed, const Monitor& monitor, Verdict& verdict)
      : backend_(backend),
        operation_(operation),
        plan_(plan),
        seed_(seed),
        monitor_(monitor),
        verdict_(verdict),
        subject_(subject_of(operation)) {}

  Result<void> run(std::span<const Task> tasks) {
    for (const Task& task : tasks) {
      if (monitor_.stopped()) break;
      if (task.kind == Task::Kind::Definition) {
        VYRE_CHECK(check_definition(operation_, subject_, plan_.definition_cases, seed_, verdict_));
        continue;
      }
      if (!examiner_) VYRE_CHECK(prepare());
      VYRE_CHECK(check(task));
      // Waiting takes as long as judging a task, so it is done once, behind the last of them.
      const bool more = &task != &tasks.back() && (&task + 1)->kind == Task::Kind::Cases;
      if (task.kind == Task::Kind::Cases && !more)
        VYRE_CHECK(settle_cases(subject_, *examiner_, monitor_, verdict_));
    }
    pipelines_.account(verdict_);
    return {};
  }

 private:
  Result<void> prepare() {
    VYRE_CHECK(backend_.restart());
    VYRE_TRY(made, make_pipelines(backend_, subject_, workgroups_of(backend_), seed_, verdict_));
    pipelines_ = std::move(made);
    const Digest digest = pipelines_.all[0]->digest();
    verdict_.pipeline = digest.hex().substr(0, kDigestDigits);
    device_ = fmt::format("device({}, {})", digest.short_hex(), backend_.identity().driver);
    examiner_.emplace(backend_, subject_, pipelines_.all, seed_, monitor_, verdict_);
    return {};
  }

  Result<void> check(const Task& task) {
    switch (task.kind) {
      case Task::Kind::Definition: break;
      case Task::Kind::Rows: {
        verdict_.boundaries = uint32_t(operation_.boundaries.size());
        LeafWriter leaves(verdict_, Oracle::SpecificationTable);
        return check_rows(subject_, *examiner_, seed_, verdict_, leaves);
      }
      case Task::Kind::Cases: {
        const auto ranges = cases_of(subject_, plan_, seed_);
        LeafWriter leaves(verdict_, subject_.oracle, task.first / kTaskCases);
        const std::vector<CaseRange> parts = part_of(ranges, task.first, task.count);
        const uint64_t slice = task.first / kLeafCases;
        if (ranges.front().strategy == "whole" && slice < subject_.slices.size()) {
          return check_domain(subject_, *examiner_, parts.front(), subject_.slices[slice], seed_, monitor_,
                              verdict_, leaves);
        }
        return check_cases(subject_, *examiner_, parts, seed_, monitor_, verdict_, leaves);
      }
      case Task::Kind::Determinism: {
        Repetition repetition = repetition_of(subject_, plan_.repeated_evaluations);
        repetition.first = task.first;
        repetition.slices = task.count;
        return check_determinism(subject_, *examiner_, uint32_t(pipelines_.all.size()), repetition, seed_,
                                 monitor_, verdict_);
      }
      case Task::Kind::Values:
        return check_values(backend_, operation_, plan_.values, seed_, monitor_, verdict_);
      case Task::Kind::Laws: return laws();
    }
    return {};
  }

  /// The last task: it takes the first pipeline, which applies the operation in its laws too and is counted
  /// then.
  Result<void> laws() {
    if (!plan_.laws) {
      // A law that was not looked at is in the verdict without evidence, so it is not verified.
      for (const spec::Law& law : operation_.laws) verdict_.laws.push_back({spec::to_string(law), true, {}});
      for (const spec::Denial& denial : operation_.denied)
        verdict_.laws.push_back({spec::to_string(denial.law), false, {}});
      return {};
    }
    DeviceEvaluator evaluator(backend_, ops::op_table(), seed_, monitor_, verdict_);
    evaluator.adopt(operation_, std::move(pipelines_.owned[0]));
    pipelines_.owned.erase(pipelines_.owned.begin());
    const auto lawful =
        check_laws(operation_, evaluator, device_, plan_.witnessed, seed_, monitor_, verdict_);
    evaluator.account();
    if (!lawful) return lawful;
    if (plan_.swept == 0 || monitor_.stopped()) return {};
    return sweep_laws(backend_, operation_, device_, plan_.swept, plan_.whole, seed_, monitor_, verdict_);
  }

  backend::Backend& backend_;
  const ops::Operation& operation_;
  const OperationPlan& plan_;
  const uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  const Subject subject_;
  Pipelines pipelines_;
  std::string device_;
  std::optional<Examiner> examiner_;
};

/// Parts of at most `most`, added to the tasks.
void divide(Task::Kind kind, uint64_t all, uint64_t most, std::vector<Task>& tasks) {
  for (uint64_t first = 0; first < all; first += most)
    tasks.push_back({kind, first, std::min(most, all - first)});
}

uint64_t slices_a_task(const Repetition& repetition) {
  return std::max<uint64_t>(1, kTaskEvaluations / (repetition.cases * Repetition::kTimes));
}

}  // namespace

std::string text(const Task& task) {
  const std::string_view name = kTaskNames[size_t(task.kind)];
  const bool numbered = task.kind == Task::Kind::Cases || task.kind == Task::Kind::Determinism;
  return numbered ? fmt::format("{}.{}", name, task.first) : std::string(name);
}

std::vector<Task> tasks_of(const ops::Operation& operation, const OperationPlan& whole_plan, uint64_t seed) {
  const OperationPlan plan = plan_for(operation, whole_plan);
  const Subject subject = subject_of(operation);
  std::vector<Task> out = {{.kind = Task::Kind::Definition}, {.kind = Task::Kind::Rows}};
  divide(Task::Kind::Cases, size_of(cases_of(subject, plan, seed)), kTaskCases, out);
  const Repetition repetition = repetition_of(subject, plan.repeated_evaluations);
  divide(Task::Kind::Determinism, repetition.slices, slices_a_task(repetition), out);
  if (plan.values != 0 && value_law(operation)) out.push_back({.kind = Task::Kind::Values});
  out.push_back({.kind = Task::Kind::Laws});
  return out;
}

std::vector<Unit> units_of(const ops::Operation& operation, const OperationPlan& plan, uint64_t seed) {
  std::vector<Unit> out;
  for (const Task& task : tasks_of(operation, plan, seed)) {
    const uint64_t evaluations = expected_evaluations(operation, plan, task);
    if (out.empty() || out.back().evaluations + evaluations > kUnitEvaluations) out.emplace_back();
    out.back().tasks.push_back(task);
    out.back().evaluations += evaluations;
  }
  return out;
}

Verdict check_tasks(backend::Backend& backend, const ops::Operation& operation, const OperationPlan& plan,
                    std::span<const Task> tasks, uint64_t seed, const Monitor& monitor) {
  Verdict verdict;
  verdict.kind = SubjectKind::Operation;
  verdict.subject = subject_of(operation.id, operation.version);
  verdict.track = track_of(operation);
  const OperationPlan mine = plan_for(operation, plan);
  const auto result = TaskCheck(backend, operation, mine, seed, monitor, verdict).run(tasks);
  if (!result) {
    verdict.error = fmt::format("{}: {}", diag_info(result.error().code).name, result.error().message);
  }
  return verdict;
}

OperationPlan operation_plan(Strength strength) {
  constexpr uint64_t kEveryTuple = uint64_t{1} << 32;
  constexpr uint64_t kStandardValues = uint64_t{1} << 22, kFullValues = uint64_t{1} << 34;
  switch (strength) {
    case Strength::Quick:
      return {1'000, 10'000, 2'048, false, 100'000, 1'000'000, true, swept_instances(strength)};
    case Strength::Standard:
      return {4'096,     1'000'000, uint64_t{1} << 20,         false,          10'000'000,
              1'000'000, true,      swept_instances(strength), kStandardValues};
    case Strength::Full:
      return {65'536,      4'000'000,  kEveryTuple, true,
              100'000'000, 10'000'000, true,        swept_instances(strength),
              kFullValues};
  }
  return {};
}

OperationPlan plan_for(const ops::Operation& operation, OperationPlan plan) {
  // Of each operator on floats there are three, which go through the same units.
  if (track_of(operation) != Track::Integer) {
    plan.repeated_evaluations = (plan.repeated_evaluations + 3) / 4;
    plan.swept = (plan.swept + 3) / 4;
  }
  return plan;
}

uint64_t expected_evaluations(const ops::Operation& operation, const OperationPlan& whole_plan,
                              const Task& task) {
  const OperationPlan plan = plan_for(operation, whole_plan);
  switch (task.kind) {
    case Task::Kind::Definition: return plan.definition_cases;
    case Task::Kind::Rows: return operation.rows.size();
    case Task::Kind::Cases: return task.count;
    case Task::Kind::Determinism:
      return task.count * Repetition::kTimes *
             repetition_of(subject_of(operation), plan.repeated_evaluations).cases;
    case Task::Kind::Values: return plan.values;
    case Task::Kind::Laws: break;
  }
  uint64_t n = 0;
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
  std::optional<Verdict> sum;
  for (const Unit& unit : units_of(operation, plan, seed)) {
    Verdict part = check_tasks(backend, operation, plan, unit.tasks, seed, monitor);
    if (sum) {
      add(*sum, std::move(part));
    } else {
      sum = std::move(part);
    }
    // What ends a subject would end its other tasks as well.
    if (!sum->error.empty() || monitor.stopped()) break;
  }
  return std::move(*sum);
}

double odds_of_missing(double once_in, double evaluations) {
  return std::exp(evaluations * std::log1p(-1.0 / once_in));
}

}  // namespace vyre::verify
