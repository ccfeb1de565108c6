// Cases of a subject: all that a certificate has a verdict on under one name.
//
// Subjects are operations and the parts of families. A plan falls into their units, which are judged in any
// order; the sum of a subject's verdicts is held to what its plan wanted; and an auditor has some of its
// leaves run again. These are the three things that a subject does, whatever its kind is: runs
// (suite/suite.h), checks of certificates and audits ask nothing else.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "ops/operation.h"
#include "suite/shard.h"
#include "verify/buffer_operation.h"
#include "verify/engine_check.h"
#include "verify/families.h"
#include "verify/monitor.h"
#include "verify/operation.h"
#include "verify/tensor_check.h"

namespace vyre::suite {

/// How many cases of each kind there are, and the seed that they are made of.
struct CasePlan {
  verify::OperationPlan operation;
  verify::FamilyPlan family;
  verify::BufferPlan buffers;
  verify::EnginePlan engines;
  verify::TensorPlan tensors;
  uint64_t seed = 1;
};
/// What certificates of a strength come from.
CasePlan case_plan(verify::Strength strength, uint64_t seed);

/// A unit of a subject's cases, and how to get the verdict on it.
struct CaseUnit {
  Unit unit;              // "primitive.math.add@1/cases.0", "ir.barriers/integer"
  uint64_t expected = 0;  // evaluations
  uint64_t cost = 0;      // the same with what compiling is as long as
  std::function<verify::Verdict(backend::Backend&, const verify::Monitor&)> judge;
};

/// Functions of values among the cases of a subject, by what came of them.
struct JudgedFunctions {
  std::vector<verify::Subject> passed;
  std::vector<verify::Subject> failed;  // but for operations, which fail with what they are made of
};

class Cases {
 public:
  Cases(verify::SubjectKind kind, std::string subject, verify::Track track)
      : kind_(kind), subject_(std::move(subject)), track_(track) {}
  virtual ~Cases() = default;
  verify::SubjectKind kind() const { return kind_; }
  const std::string& subject() const { return subject_; }
  verify::Track track() const { return track_; }

  /// All units of a plan, in the order of the certificate. What judges them refers to this and to the plan.
  virtual std::vector<CaseUnit> units(const CasePlan& plan) const = 0;
  /// What is not as a plan has it in a verdict without an error; empty: nothing.
  virtual std::string other_than_planned(const verify::Verdict& verdict, const CasePlan& plan) const = 0;
  /// The laws that a verdict has, as the specification writes them, and whether they are claimed.
  virtual std::vector<std::pair<std::string, bool>> laws(const CasePlan& plan) const = 0;
  /// Domain: a verdict on the subject, without an error.
  virtual JudgedFunctions functions(const verify::Verdict& verdict) const = 0;
  /// Whether what its cases are depends on the limits of the backend.
  virtual bool depends_on_limits() const { return false; }
  /// Runs the cases of some leaves again. Cost: of a leaf of an operation or a whole domain its cases; else
  /// all cases of the subject.
  virtual verify::Verdict again(backend::Backend& backend, std::span<const verify::Leaf> leaves,
                                const CasePlan& plan, const verify::Monitor& monitor) const = 0;

 private:
  const verify::SubjectKind kind_;
  const std::string subject_;
  const verify::Track track_;
};

std::unique_ptr<Cases> operation_cases(const ops::Operation& operation);
std::unique_ptr<Cases> buffer_cases(const verify::BufferSubject& operation);
std::unique_ptr<Cases> generated_engine_cases();
std::unique_ptr<Cases> tensor_cases(const verify::TensorSubject& subject);
std::unique_ptr<Cases> family_cases(const verify::Part& part);

/// The subjects of a certificate in their order: the operations of a selection, strict or approximate, those
/// over buffers, which are strict, generated engines, those on tensors, then the parts of families that judge
/// beside them. Errors: C004 where one of the patterns matches none.
Result<std::vector<std::unique_ptr<Cases>>> cases_of(std::string_view operations, bool approximate,
                                                     std::string_view families);
/// The cases of a verdict; null where this build does not have the subject.
std::unique_ptr<Cases> find_cases(const verify::Verdict& verdict);

}  // namespace vyre::suite
