// One operation on one backend, every check in turn: the definitions against each other, parity, determinism,
// laws.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "ops/operation.h"
#include "verify/monitor.h"
#include "verify/verdict.h"

namespace vyre::verify {

struct OperationPlan {
  uint64_t definition_cases;  // composition against reference function, on the reference interpreter
  uint64_t parity_cases;
  uint64_t strategy_cap;  // cases of one strategy
  bool whole;             // all tuples of operands, where they have 32 bits together
  uint64_t repeated_evaluations;
  uint64_t witnessed;  // instances of a law
  bool laws = true;
  uint64_t swept = 0;   // instances of a law on the device
  uint64_t values = 0;  // cases that are made and judged on the device
};
OperationPlan operation_plan(Strength strength);
/// What an operation gets of a plan: one of floats a fourth of the repetitions and of the instances on the
/// device.
OperationPlan plan_for(const ops::Operation& operation, OperationPlan plan);

/// What can be checked by itself, anywhere and in any order: its verdict is a summand of the operation's.
struct Task {
  enum class Kind : uint8_t {
    Definition,   // the definitions against each other
    Rows,         // the specification table, and the least that needs the device
    Cases,        // first, count: of the plan's cases, range after range
    Determinism,  // first, count: of the slices that are repeated
    Values,       // the operation against its formula, on the device
    Laws,
  };
  Kind kind{};
  uint64_t first = 0, count = 0;
  bool operator==(const Task&) const = default;
};
inline constexpr std::array<std::string_view, 6> kTaskNames = {"definition",  "rows",   "cases",
                                                               "determinism", "values", "laws"};
/// "definition", "cases.1048576": unique among the tasks of an operation.
std::string text(const Task& task);
/// The fixed number of cases, or repeated evaluations, that one task has at most.
inline constexpr uint64_t kTaskCases = kLeafCases;
inline constexpr uint64_t kTaskEvaluations = uint64_t{1} << 24;
/// All of an operation; a function of the plan alone.
std::vector<Task> tasks_of(const ops::Operation& operation, const OperationPlan& plan, uint64_t seed);
/// How many evaluations a task is expected to take: for progress.
uint64_t expected_evaluations(const ops::Operation& operation, const OperationPlan& plan, const Task& task);

/// Tasks that are checked together, on one fresh backend with one set of pipelines: what is quick is not
/// worth a process and a compilation of its own.
struct Unit {
  std::vector<Task> tasks;
  uint64_t evaluations = 0;  // expected
};
inline constexpr uint64_t kUnitEvaluations = uint64_t{1} << 28;
/// All tasks in order, in as few units as have kUnitEvaluations each or one task. A function of the plan
/// alone, so that any two runs of it agree on what a unit is.
std::vector<Unit> units_of(const ops::Operation& operation, const OperationPlan& plan, uint64_t seed);
/// The verdict on some tasks.
Verdict check_tasks(backend::Backend& backend, const ops::Operation& operation, const OperationPlan& plan,
                    std::span<const Task> tasks, uint64_t seed, const Monitor& monitor);

/// All units one after the other.
Verdict check_operation(backend::Backend& backend, const ops::Operation& operation, const OperationPlan& plan,
                        uint64_t seed, const Monitor& monitor);

/// The odds that a fault which strikes once in `once_in` evaluations is missed by `evaluations`.
double odds_of_missing(double once_in, double evaluations);

}  // namespace vyre::verify
