// Lemmas: laws that no solver proves by bits, from premises that one does.
//
// gcd and lcm are loops, and what they satisfy rests on arithmetic that bit vectors do not have:
// divisibility. A lemma names the theorem that is taken from the books, and asks a solver for what ties the
// theorem to the operation: that the composition is Euclid's algorithm, step for step; that the law follows
// from others when gcd is any function that has them. Each premise is a question like any other. Without its
// answer nothing is derived. Source: semantics, "Laws and evidence" (`derived(theorem, from)`).
#pragma once

#include <optional>
#include <string>

#include "algebra/law.h"
#include "solver/prover.h"

namespace vyre::symbolic {

struct Derivation {
  std::string theorem;  // "gcd is the meet of divisibility"
  std::string from;     // what was proved: "the composition is 46 steps of Euclid's algorithm"
  solver::Proof proof;  // of the premises together: Proved, or why nothing follows
};

/// How the law is derived; none where no lemma speaks of it.
std::optional<Derivation> derive(solver::Prover& prover, const algebra::BoundLaw& law);
/// How the composition is what the operation means, where no formula says that.
std::optional<Derivation> derive_equality(solver::Prover& prover, const ops::Operation& operation);

}  // namespace vyre::symbolic
