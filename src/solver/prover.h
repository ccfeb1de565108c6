// Proofs: does a claim hold for all values of its variables?
//
// The claim is a truth value; Z3 is asked whether its negation can be true, and what cvc5 says is kept beside
// it. A model that a solver gives is believed only after the claim has been evaluated at it and is false
// there; then the smallest counterexample is sought, in the order of semantics ("Laws and evidence"): the
// largest operand first, then operands from left to right. Small values are tried before a solver is asked,
// and all there are where no solver answers and they are few (solver/enumeration.h): that refutes and never
// proves. No answer, whatever the reason, is Open: a missing solver never makes anything hold.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "smt/term.h"
#include "solver/enumeration.h"
#include "solver/solver.h"

namespace vyre::solver {

enum class Outcome : uint8_t { Proved, Refuted, Open };
std::string_view text(Outcome outcome);  // "proved", "refuted", "open"

struct Proof {
  Outcome outcome = Outcome::Open;
  std::string solver;                  // "z3 4.8.12": whose answer it is; "" where none was needed
  std::string confirmed;               // "cvc5 1.0.3" where it says the same; else ""
  double seconds = 0;                  // of all questions together
  Digest statement;                    // of the negated claim's script
  std::vector<smt::Assigned> witness;  // Refuted: of every variable, in the order given
  bool smallest = false;               // Refuted: no smaller one exists, else as found
  std::string reason;                  // Open: why
};
inline Proof open_proof(std::string reason) {
  Proof out;
  out.reason = std::move(reason);
  return out;
}

struct ProverOptions {
  Limits limits;
  bool confirm = false;                // ask cvc5 too, where it is installed
  Limits confirming = {.seconds = 2};  // of its question: without its answer the first one's stands
  Limits otherwise = {.seconds = 0};   // of cvc5's where Z3 has no answer; no seconds: it is not asked
  bool smallest = true;                // look for the smallest counterexample
  Limits minimising = {.seconds = 5};  // of each question while looking
  double trying = 20;                  // seconds to look for it by evaluation, each time; 0: not at all
};

class Prover {
 public:
  /// Opens the solvers. Where there is none every proof that needs one is Open, with the reason.
  explicit Prover(ProverOptions options = {});
  ~Prover();
  /// `variables`: those of the claim in the order of counterexamples, at least all that it depends on.
  Proof prove(smt::Pool& pool, smt::Term claim, std::span<const smt::Term> variables);
  /// "z3 4.8.12, confirmed by cvc5 1.0.3", "no solver: z3: No such file or directory".
  std::string about() const;

 private:
  bool enumerate(Enumeration& trial, smt::Bits most, std::span<const smt::Term> variables, Proof& proof);
  void minimise(smt::Pool& pool, smt::Term negated, std::span<const smt::Term> variables, Proof& proof);

  ProverOptions options_;
  std::unique_ptr<Solver> first_, second_;
  std::string missing_;
};

}  // namespace vyre::solver
