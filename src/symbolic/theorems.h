// Composition theorems: which law survives which composition.
//
// "f after g is monotone when both are" is true of all functions whatever they compute, so it is proved once
// and for all: f and g are uninterpreted functions over a sort without any structure, laws are the predicates
// of spec/laws.def about them, and a solver finds no counterexample. What looks alike and is false ("an
// involution after an associative function is associative") is in the same table with two small functions
// that refute it, given by their values. Nothing is derived from anything that is not in this table
// (test/unit/verify/compositional.h). Source: oracles, "Composition theorem"; semantics, "Laws and evidence".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "solver/prover.h"
#include "spec/laws.h"

namespace vyre::symbolic {

/// How a composite h is made of others; see forms.def.
enum class Form : uint8_t {
#define VYRE_FORM(Name, operands, text) Name,
#include "symbolic/forms.def"
#undef VYRE_FORM
};
struct FormInfo {
  Form form;
  std::string_view name;
  uint32_t operands;  // of h
  std::string_view text;
};
inline constexpr auto kForms = std::to_array<FormInfo>({
#define VYRE_FORM(Name, operands, text) {Form::Name, #Name, operands, text},
#include "symbolic/forms.def"
#undef VYRE_FORM
});
constexpr const FormInfo& info(Form form) { return kForms[size_t(form)]; }

/// A function applied, an operand ("a", "b") or a constant ("c", "d").
struct Expression {
  char symbol = 0;
  std::vector<Expression> operands;
};
/// Domain: text as in forms.def; a fault ends the process, for the tables are ours.
Expression parse_expression(std::string_view text);
const Expression& expression(Form form);

/// A law of a function, or an equation between constant expressions ("g(c) = c").
struct Premise {
  char subject = 0;  // 'f', 'g', 'k', 'h'; 0: an equation
  spec::LawKind kind{};
  std::vector<char> others;        // the functions that the law names
  std::vector<Expression> values;  // its constants; of an equation both sides
  std::string text;                // "g: Identity(c)"
};

/// If the premises hold of f, g and k, the conclusion holds of h.
struct Theorem {
  std::string_view name;  // "monotone_after_monotone"
  Form form{};
  std::vector<Premise> premises;
  Premise conclusion;
  std::string text;  // "f: Monotone; g: Monotone => f(g(a)) Monotone"
};
/// The table. Built once; lives for the whole program.
const std::vector<Theorem>& theorems();

/// Functions on the numbers 0 .. size - 1 by their values, operands as digits, the first the highest.
struct Structure {
  uint32_t size = 2;
  std::vector<uint32_t> f, g, k;  // empty: not named
  uint32_t c = 0, d = 0;
  bool operator==(const Structure&) const = default;
};
std::string to_string(const Structure& structure);  // "2: f=10 g=0001 k= c=0 d=0"

/// What looks like a theorem and is none: functions of which the premises hold and the conclusion does not.
struct Refutation {
  Theorem statement;
  Structure witness;
};
const std::vector<Refutation>& refutations();

/// Whether all premises hold of the structure and the conclusion does not, by evaluation alone.
bool refutes(const Structure& structure, const Theorem& statement);
/// The first structure of 2 elements, then of 3 where there are few enough, that refutes the statement.
/// Cost: up to some 10^5 evaluations.
std::optional<Structure> find_structure(const Theorem& statement);

/// The question whose answer `unsat` proves the theorem, as SMT-LIB text in the logic QF_UF: the negated
/// conclusion about fresh constants, and the premises at all terms that occur (`rounds` times over). A weaker
/// question than the theorem, so `unsat` proves it; `sat` says nothing.
std::string question(const Theorem& theorem, uint32_t rounds = 1);

/// Asks Z3, and cvc5 to confirm. Never Refuted: that wants a structure.
struct TheoremProof {
  solver::Outcome outcome = solver::Outcome::Open;
  std::string solver, confirmed;  // "z3 4.8.12", "cvc5 1.0.3"
  double seconds = 0;
  Digest statement;    // of the question
  std::string reason;  // Open: why
};
/// For each theorem of the table, in order. Without a solver all are Open, and say so.
std::vector<TheoremProof> prove_theorems(const solver::Limits& limits = {});

}  // namespace vyre::symbolic
