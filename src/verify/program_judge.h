// The judge of families whose cases are programs.
//
// A family says what its cases are: a source makes each from its number, and a case knows how it is run once
// and what must come of it. All else is the same for any family and stands here once: compiling in batches,
// running again to see the same, stopping at the first difference, the search for the culprit
// (verify/culprit.h), reports with a token to replay, leaves and counts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "check/checked.h"
#include "generate/programs.h"
#include "verify/culprit.h"
#include "verify/monitor.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// What one run of a case showed.
struct CaseRun {
  uint64_t dispatches = 0;
  uint64_t canaries = 0, broken = 0;  // guard words: looked at, overwritten
  std::optional<Wrong> wrong;         // the first word that is not as expected
  Bytes answer;                       // what the digest of a leaf takes of it
  Deviations deviations;              // of an approximate case: how far its results were off
};

/// A case with its input and what must come of it.
struct FamilyProgram {
  std::shared_ptr<const ir::Program> program;
  std::string digested;  // what the digest of a family's programs takes of it
  /// Runs and compares it. Domain: the pipeline is of the program, or of one that is equal.
  /// Errors: of the backend, and of the reference.
  std::function<Result<CaseRun>(backend::Backend&, backend::Pipeline&, const check::Checked&)> run;
};

/// With what a source looks for a smaller case that fails as well.
struct Trials {
  backend::Backend& backend;
  const Monitor& monitor;
  CulpritSearch& culprit_search;
  Bench& bench;
  size_t failures;  // kept so far

  /// Whether an answer is a fault of the case, and does not end the family.
  bool is_attributed(const Diag& diag) const;
};

/// The smallest case found that fails as the culprit does.
struct SmallestCase {
  uint64_t number = 0;  // of the case that stands for it in the token
  Seen seen;
  Minimality minimality = Minimality::Found;
  std::string note;  // lines about the failure: the factors that it takes
  std::string text;  // the program, and what it is dispatched with
};

/// Where the cases of a family come from, by their numbers.
class ProgramSource {
 public:
  virtual ~ProgramSource() = default;
  virtual Oracle oracle() const = 0;
  /// How reports name what judges.
  virtual std::string_view judged_by() const { return verify::text(oracle()); }
  /// Whether a case has the number. It is the domain of what follows.
  virtual bool has(uint64_t) const { return true; }
  virtual FamilyProgram make(uint64_t number) = 0;
  /// The same for a run that has to show what the case does by itself: it shares nothing with other cases.
  virtual FamilyProgram make_alone(uint64_t number) { return make(number); }
  /// The case as programs are shrunk, written and emitted.
  virtual generate::ProgramCase program(uint64_t number) const = 0;
  /// How often it is run.
  virtual size_t runs(uint64_t number) const = 0;
  /// What people read of the case; empty where the program says all.
  virtual std::string describe(uint64_t) const { return {}; }
  /// A line for a replay, or nothing where the program says all.
  virtual std::string description(uint64_t) const { return {}; }
  /// The same above the program in a report, with the place that differs.
  virtual std::string headline(uint64_t number, const std::string& place) const = 0;
  /// What the digest of a leaf takes of a case without an answer.
  virtual Bytes unanswered() const { return {}; }

  // Of failures.

  /// Whether one more is examined: the first ones say most, and each is run many times.
  virtual bool examines(uint64_t number, const Verdict& verdict) = 0;
  /// Errors: of the backend, which end the family.
  virtual Result<SmallestCase> smallest(const Finding& finding, const Trials& trials) = 0;
  /// The line of a report that names the case whose result this one changed. A source whose line says all
  /// that there is to say clears the wrong answer.
  virtual std::string spoiled(const std::string& victim, Wrong&) const = 0;
  /// What guard words are here: "guard words were overwritten".
  virtual std::string_view guards() const { return "guard words were overwritten"; }
};

/// The bench of a source: each case compiled, run and compared by itself.
class ProgramBench final : public Bench {
 public:
  /// Both must outlive it.
  ProgramBench(backend::Backend& backend, ProgramSource& source) : backend_(backend), source_(source) {}
  /// Cost: compiles each program. Cases that there are not are left out.
  Seen run(const Batch& batch) override;

 private:
  Result<CaseRun> run_one(uint64_t number);

  backend::Backend& backend_;
  ProgramSource& source_;
};

/// What is judged of a source.
struct ProgramPlan {
  std::vector<uint64_t> numbers;
  size_t together = 16;                         // so many, one after the other, are compiled at a time
  bool one_program = false;                     // each time they are one program with different inputs
  uint64_t left_out = 0;                        // cases that the backend says it cannot run
  std::optional<uint64_t> leaf = std::nullopt;  // the number of the first; none: after those that there are
};

/// Adds the verdict on the cases: tallies, leaves, failures, digest of the programs. Errors: what ends the
/// family; what was done before is in the verdict.
Result<void> judge_programs(backend::Backend& backend, ProgramSource& source, const ProgramPlan& plan,
                            uint64_t seed, const Monitor& monitor, Verdict& verdict);

}  // namespace vyre::verify
