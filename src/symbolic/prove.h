// Proving the library: what its operations declare, and what is known of it for all inputs.
//
// Of each operation on integers: that its composition gives what its definition says, each law it claims,
// each it denies, and each row that speaks of every x. A question goes to a solver at the width of programs,
// 32 bits. Where no formula says the law, or no solver answers, it is derived by a lemma whose premises were
// proved (symbolic/lemmas.h), else the other engines run it, and the grade says which; what has no grade at
// all is open. A refuted law comes with the smallest counterexample and with what the other engines said,
// since one that fails on one pair in 2^32 passes them all. Source: semantics, "Laws and evidence";
// vyre-conform-spec, "Ground Truth".
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algebra/engine.h"
#include "algebra/law.h"
#include "ops/operation.h"
#include "solver/prover.h"

namespace vyre::symbolic {

/// From the strongest to none.
enum class Grade : uint8_t { Proved, Derived, Exhausted, Refuted, Open };
inline constexpr size_t kGrades = 5;
std::string_view text(Grade grade);  // "proved", ...

/// What a finding is about.
enum class Declared : uint8_t {
  Equality,  // the composition gives what the definition says
  Law,       // claimed
  Denial,    // denied, with a witness
  Row,       // a row that speaks of every x; of a file one that is wrong
};
std::string_view text(Declared declared);  // "equality", "law", "denial", "row"

struct Finding {
  const ops::Operation* operation = nullptr;
  Declared declared{};
  std::string statement;  // "Commutative", "not Identity(0)", "composition = definition", "f(0, x) = 0"
  std::string subject;    // "spec" or "composition"
  Grade grade = Grade::Open;
  /// "proved(z3 4.8.12, cvc5 1.0.3)", "derived(exact division; from Commutative of primitive.math.gcd)",
  /// "exhausted(u8^2) ...", "refuted(a=0, b=1; smallest)", "open".
  std::string evidence;
  std::string note;  // why the grade is no higher; of a refuted law, which engines missed it
  solver::Proof proof;
  double seconds = 0;
  Span span = Span::none();  // of a file's: where it stands
  /// Whether it is what the operation declares: a law that has evidence, a denial that is refuted.
  bool good() const;
  /// What the engines that run laws found: the grade and its evidence, or in the note why there is none.
  void take(const Result<algebra::LawVerdict>& found);
};

struct Coverage {
  uint64_t hit = 0, declared = 0;
  /// "12/14", "n/a" where nothing is declared.
  std::string text() const;
};

/// What of the declarations of one operation, or of all, has been shown.
struct CoverageParts {
  Coverage laws;  // claims proved or derived, denials refuted
  Coverage rows;  // on which definition and reference function give what stands there; `forall` rows proved
  Coverage
      classes;  // whose representative lies in it, and on which definition, composition and reference agree
  Coverage boundaries;  // on which the three agree
  void add(const CoverageParts& other);
  /// The part of which least is shown, or none declared.
  Coverage smallest() const;
};

struct ProveOptions {
  solver::ProverOptions solver;
  unsigned threads = 0;            // 0: one a core; each has a solver of its own
  uint64_t witnessed = 1'000'000;  // instances, where the other engines have to say it
  uint64_t seed = 1;
  bool laws_only = false;  // no equalities and rows, and nothing is run where a solver does not answer
  const std::atomic<bool>* stop = nullptr;  // when it becomes true, what was not begun stays open
  /// Called when a question is settled, from any thread, not concurrently.
  std::function<void(size_t done, size_t all, const Finding& last)> progress;
  algebra::Lookup lookup = algebra::find_in_library;
};

struct OperationCoverage {
  const ops::Operation* operation;
  CoverageParts parts;
};

struct ProveReport {
  std::vector<Finding> findings;  // by operation, in the order given; equality, laws, denials, rows
  std::vector<OperationCoverage> coverage;
  CoverageParts total;
  std::vector<const ops::Operation*> skipped;  // whose values have no encoding: operations on floats
  std::string solver;                          // "z3 4.8.12, confirmed by cvc5 1.0.3", "no solver: ..."
  double seconds = 0;
  uint64_t encodings = 0;  // instances on which the encodings stood their check
  bool stopped = false;
  size_t count(Grade grade) const;
  /// Whether everything is what was declared.
  bool good() const;
};

/// Counts the laws, denials and rows of the findings in the coverage of their operations, and all in the
/// total.
void cover_laws(ProveReport& report);

/// Asks everything about these operations. They must outlive the report.
/// Cost    a minute of one core for the library.
/// Thread  one call at a time.
ProveReport prove(std::span<const ops::Operation* const> operations, const ProveOptions& options);

}  // namespace vyre::symbolic
