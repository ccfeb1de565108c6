// The cases of an operation: tasks of its plan, in units.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "suite/cases.h"

namespace vyre::suite {
namespace {

using verify::Leaf;
using verify::Task;
using verify::Verdict;

/// The task of an operation that a leaf is of.
std::optional<Task> task_of(const ops::Operation& operation, const CasePlan& plan, const Leaf& leaf) {
  for (const Task& task : verify::tasks_of(operation, plan.operation, plan.seed)) {
    const bool rows = task.kind == Task::Kind::Rows && leaf.slice == 0;
    const bool cases = task.kind == Task::Kind::Cases && task.first / verify::kTaskCases == leaf.slice;
    if (leaf.oracle == verify::Oracle::SpecificationTable ? rows : cases) return task;
  }
  return std::nullopt;
}

class OperationCases final : public Cases {
 public:
  explicit OperationCases(const ops::Operation& operation)
      : Cases(verify::SubjectKind::Operation, verify::subject_of(operation.id, operation.version),
              verify::track_of(operation)),
        operation_(operation) {}

  std::vector<CaseUnit> units(const CasePlan& plan) const override {
    std::vector<CaseUnit> out;
    for (const verify::Unit& unit : verify::units_of(operation_, plan.operation, plan.seed)) {
      out.push_back(
          {{fmt::format("{}/{}", subject(), text(unit.tasks[0]))},
           unit.evaluations,
           unit.evaluations,
           [this, &plan, tasks = unit.tasks](backend::Backend& backend, const verify::Monitor& monitor) {
             return check(backend, tasks, plan, monitor);
           }});
    }
    return out;
  }

  std::string other_than_planned(const Verdict& verdict, const CasePlan& plan) const override {
    if (verdict.classes.size() != operation_.classes.size() ||
        verdict.boundaries != operation_.boundaries.size())
      return fmt::format("the classes or boundary values are not those of {}", subject());
    uint64_t cases = 0;
    for (const Task& task : verify::tasks_of(operation_, plan.operation, plan.seed)) {
      if (task.kind == Task::Kind::Cases) cases += task.count;
    }
    if (verify::planned_by(verdict, verify::Oracle::SpecificationTable) == operation_.rows.size() &&
        verify::planned_by(verdict, verify::Oracle::CpuReference) == cases)
      return {};
    return fmt::format("the cases are not those that {} has at this strength", subject());
  }

  std::vector<std::pair<std::string, bool>> laws(const CasePlan&) const override {
    std::vector<std::pair<std::string, bool>> out;
    for (const spec::Law& law : operation_.laws) out.emplace_back(spec::to_string(law), true);
    for (const spec::Denial& d : operation_.denied) out.emplace_back(spec::to_string(d.law), false);
    return out;
  }

  JudgedFunctions functions(const Verdict& verdict) const override {
    JudgedFunctions out;
    if (verdict.failure_count == 0) out.passed.push_back(verify::subject_of(operation_));
    return out;
  }

  Verdict again(backend::Backend& backend, std::span<const Leaf> leaves, const CasePlan& plan,
                const verify::Monitor& monitor) const override {
    std::vector<Task> tasks;
    for (const Leaf& leaf : leaves) {
      if (const auto task = task_of(operation_, plan, leaf)) tasks.push_back(*task);
    }
    return check(backend, tasks, plan, monitor);
  }

 private:
  Verdict check(backend::Backend& backend, std::span<const Task> tasks, const CasePlan& plan,
                const verify::Monitor& monitor) const {
    return verify::check_tasks(backend, operation_, plan.operation, tasks, plan.seed, monitor);
  }

  const ops::Operation& operation_;
};

}  // namespace

std::unique_ptr<Cases> operation_cases(const ops::Operation& operation) {
  return std::make_unique<OperationCases>(operation);
}

}  // namespace vyre::suite
