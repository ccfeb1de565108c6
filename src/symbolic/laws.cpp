#include "symbolic/laws.h"

#include <fmt/format.h>

#include "spec/ops.h"
#include "symbolic/encodings.h"
#include "symbolic/functions.h"
#include "symbolic/operators.h"
#include "symbolic/values.h"

namespace vyre::symbolic {

using algebra::Column;
using smt::Pool;
using smt::Term;
using spec::DataType;

std::string_view text(Subject subject) {
  switch (subject) {
    case Subject::Spec: return "spec";
    case Subject::Composition: return "composition";
  }
  std::unreachable();
}

Meaning meaning(Subject subject) {
  switch (subject) {
    case Subject::Spec: return define;
    case Subject::Composition: return compose;
  }
  std::unreachable();
}

LawTerms::LawTerms(Pool& pool, std::span<const Term> variables, uint32_t width, Meaning meaning)
    : Terms(variables.size()),
      pool_(pool),
      width_(width),
      meaning_(std::move(meaning)),
      terms_(variables.begin(), variables.end()) {}

Column LawTerms::keep(Term t) {
  terms_.push_back(t);
  return Column{uint32_t(terms_.size() - 1)};
}

void LawTerms::fail(std::string reason) {
  if (error_.empty()) error_ = std::move(reason);
}

Column LawTerms::constant(uint32_t value) { return keep(pool_.constant(width_, value)); }

Column LawTerms::apply(const ops::Operation& operation, std::span<const Column> inputs) {
  std::vector<Term> operands;
  for (const Column input : inputs) operands.push_back(term(input));
  const auto out = error_.empty() ? meaning_(pool_, operation, operands) : pool_.constant(width_, 0);
  if (!out) fail(out.error());
  return keep(out ? *out : pool_.constant(width_, 0));
}

Column LawTerms::operate(spec::Op op, std::span<const Column> inputs) {
  if (!is_encoded(op, DataType::U32)) {
    fail(fmt::format("{} of u32 has no encoding", spec::mnemonic(op)));
    return constant(0);
  }
  std::vector<Term> operands;
  for (const Column input : inputs) operands.push_back(term(input));
  return keep(encode(pool_, op, DataType::U32, operands));
}

Column LawTerms::sum(Column a, Column b) { return keep(pool_.add(term(a), term(b))); }

void LawTerms::require(Column truth) {
  const Term demand = pool_.is_not_zero(term(truth));
  demands_ = demands_ ? pool_.and_(*demands_, demand) : demand;
}

Term LawTerms::at_most(Term a, Term b, DataType type) {
  return type == DataType::I32 ? pool_.sle(a, b) : pool_.ule(a, b);
}

void LawTerms::require_equal(Column a, Column b, DataType) {
  const Term demand = pool_.eq(term(a), term(b));
  demands_ = demands_ ? pool_.and_(*demands_, demand) : demand;
}

void LawTerms::require_ordered(Column a, Column b, DataType type) {
  const Term demand = at_most(term(a), term(b), type);
  demands_ = demands_ ? pool_.and_(*demands_, demand) : demand;
}

void LawTerms::require_monotone(Column p, Column q, DataType domain, Column a, Column b, DataType range) {
  const Term demand = pool_.implies(at_most(term(p), term(q), domain), at_most(term(a), term(b), range));
  demands_ = demands_ ? pool_.and_(*demands_, demand) : demand;
}

std::expected<Term, std::string> LawTerms::holds() {
  if (!error_.empty()) return std::unexpected(error_);
  // A statement that demands nothing has shown nothing.
  if (!demands_) return std::unexpected("its statement demands nothing");
  return *demands_;
}

namespace {

/// Whether every value of the law is a word with an encoding. The reason why not, or "".
std::string without_encoding(const algebra::BoundLaw& law) {
  std::vector<DataType> types = law.variables;
  types.push_back(law.result);
  for (const ops::Operation* other : law.others) types.push_back(other->signature.output);
  for (const DataType type : types) {
    if (!is_encoded(type) || spec::value_words(type) != 1)
      return fmt::format("values of type {} have no encoding", spec::text(type));
  }
  return {};
}

/// A proof about formulas is one about the subject only where the formulas have stood their check. The reason
/// why not, or "".
std::string unchecked(const algebra::BoundLaw& law, Subject subject) {
  if (const auto& checked = encodings_checked(); !checked) return checked.error();
  if (subject != Subject::Spec) return {};
  std::vector<const ops::Operation*> all = law.others;
  all.push_back(law.f);
  for (const ops::Operation* operation : all) {
    if (const auto checked = definition_checked(*operation); !checked) return checked.error();
  }
  return {};
}

}  // namespace

std::expected<Claim, std::string> claim(Pool& pool, const algebra::BoundLaw& law, const Meaning& meaning,
                                        uint32_t width) {
  if (std::string reason = without_encoding(law); !reason.empty()) return std::unexpected(std::move(reason));
  Claim out;
  for (size_t i = 0; i < law.variables.size(); ++i)
    out.variables.push_back(pool.variable(std::string(1, char('a' + i)), width));
  LawTerms terms(pool, out.variables, width, meaning);
  algebra::state(terms, law);
  const auto holds = terms.holds();
  if (!holds) return std::unexpected(holds.error());
  out.holds = *holds;
  return out;
}

std::expected<Claim, std::string> claim(Pool& pool, const algebra::BoundLaw& law, Subject subject,
                                        uint32_t width) {
  return claim(pool, law, meaning(subject), width);
}

solver::Proof prove_law(solver::Prover& prover, const algebra::BoundLaw& law, Subject subject,
                        uint32_t width) {
  solver::Proof out;
  Pool pool;
  const auto said = claim(pool, law, subject, width);
  if (!said) {
    out.reason = said.error();
    return out;
  }
  if (std::string reason = unchecked(law, subject); !reason.empty()) {
    out.statement = smt::statement_digest(pool, pool.not_(said->holds));
    out.reason = std::move(reason);
    return out;
  }
  out = prover.prove(pool, said->holds, said->variables);
  if (out.outcome != solver::Outcome::Refuted || width != 32) return out;
  std::vector<uint32_t> values;
  for (const smt::Assigned& a : out.witness) values.push_back(uint32_t(a.value));
  const auto holds = holds_at(law, subject, values);
  if (holds && !*holds) return out;
  out.outcome = solver::Outcome::Open;
  out.reason = holds ? "the counterexample is one of the formula and not of the operation"
                     : "the counterexample cannot be run: " + holds.error().message;
  return out;
}

}  // namespace vyre::symbolic
