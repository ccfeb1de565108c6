// One operation on one backend, every check in turn: the definitions against each other, parity, determinism,
// laws.
#pragma once

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
  uint64_t swept = 0;  // instances of a law on the device
};
OperationPlan operation_plan(Strength strength);
/// What an operation gets of a plan: one of floats a fourth of the repetitions and of the instances on the
/// device.
OperationPlan plan_for(const ops::Operation& operation, OperationPlan plan);

/// How many evaluations the plan is expected to take: for progress.
uint64_t expected_evaluations(const ops::Operation& operation, const OperationPlan& plan);

Verdict check_operation(backend::Backend& backend, const ops::Operation& operation, const OperationPlan& plan,
                        uint64_t seed, const Monitor& monitor);

/// The odds that a fault which strikes once in `once_in` evaluations is missed by `evaluations`.
double odds_of_missing(double once_in, double evaluations);

}  // namespace vyre::verify
