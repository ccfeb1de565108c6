#include "solver/prover.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace vyre::solver {
namespace {

using smt::Assigned;
using smt::Bits;
using smt::Pool;
using smt::Term;

/// One value a variable, in order; a variable that the model leaves out is zero.
std::vector<Assigned> in_order(std::span<const Term> variables, std::span<const Assigned> model) {
  std::vector<Assigned> out;
  for (const Term v : variables) {
    const auto found = std::ranges::find(model, v, &Assigned::variable);
    out.push_back({v, found == model.end() ? Bits{0} : found->value});
  }
  return out;
}

/// A variable as a word of `width` bits, to compare those of different widths.
Term widened(Pool& pool, Term v, uint32_t width) {
  return pool.width(v) == 0 ? pool.word(v, width) : pool.zero_extend(v, width);
}

Bits largest(std::span<const Assigned> values) {
  Bits out = 0;
  for (const Assigned& a : values) out = std::max(out, a.value);
  return out;
}

}  // namespace

std::string_view text(Outcome outcome) {
  switch (outcome) {
    case Outcome::Proved: return "proved";
    case Outcome::Refuted: return "refuted";
    case Outcome::Open: return "open";
  }
  std::unreachable();
}

Prover::Prover(ProverOptions options) : options_(options) {
  if (auto first = open(Which::Z3)) {
    first_ = std::move(*first);
  } else {
    missing_ = first.error();
  }
  if (!options_.confirm && options_.otherwise.seconds == 0 && first_) return;
  if (auto second = open(Which::Cvc5)) {
    second_ = std::move(*second);
  } else if (!first_) {
    missing_ += "; " + second.error();
  }
  if (!first_) first_ = std::move(second_);
}

Prover::~Prover() = default;

std::string Prover::about() const {
  if (!first_) return "no solver: " + missing_;
  std::string out = fmt::format("{} {}", first_->name(), first_->version());
  if (second_)
    out += fmt::format(", {} {} {}", options_.confirm ? "confirmed by" : "else", second_->name(),
                       second_->version());
  return out;
}

Proof Prover::prove(Pool& pool, Term claim, std::span<const Term> variables) {
  const Term negated = pool.not_(claim);
  Proof out;
  out.statement = smt::statement_digest(pool, negated);
  if (pool.is_constant(claim)) {
    out.outcome = pool[claim].bits != 0 ? Outcome::Proved : Outcome::Refuted;
    if (out.outcome == Outcome::Refuted) out.witness = in_order(variables, {}), out.smallest = true;
    return out;
  }
  std::optional<Enumeration> trial;
  if (options_.smallest && options_.trying > 0) trial.emplace(pool, claim, variables);
  if (trial && enumerate(*trial, trial->small(), variables, out)) return out;
  if (!first_) {
    out.reason = about();
    return out;
  }
  Reply reply = first_->check(pool, negated, options_.limits);
  out.seconds = reply.seconds;
  const Solver* asked = first_.get();
  if (reply.answer == Answer::Unknown && second_ && options_.otherwise.seconds > 0) {
    Reply other = second_->check(pool, negated, options_.otherwise);
    out.seconds += other.seconds;
    if (other.answer != Answer::Unknown) reply = std::move(other), asked = second_.get();
  }
  out.solver = fmt::format("{} {}", asked->name(), asked->version());
  switch (reply.answer) {
    case Answer::Unknown:
      if (trial && trial->is_small() && enumerate(*trial, trial->greatest(), variables, out)) break;
      out.reason = fmt::format("{}: {}", first_->name(), reply.reason);
      break;
    case Answer::Unsatisfiable: out.outcome = Outcome::Proved; break;
    case Answer::Satisfiable:
      out.witness = in_order(variables, reply.model);
      if (smt::evaluate(pool, claim, out.witness) != 0) {
        out.witness.clear();
        out.reason = fmt::format("{} gave a counterexample that is none", asked->name());
        break;
      }
      out.outcome = Outcome::Refuted;
      if (options_.smallest) minimise(pool, negated, variables, out);
      if (trial && !out.smallest && trial->is_small())
        enumerate(*trial, largest(out.witness), variables, out);
      break;
  }
  if (!options_.confirm || !second_ || asked == second_.get() || out.outcome == Outcome::Open) return out;
  const Reply other = second_->check(pool, negated, options_.confirming);
  out.seconds += other.seconds;
  if (other.answer == Answer::Unknown) return out;
  if ((other.answer == Answer::Unsatisfiable) == (out.outcome == Outcome::Proved)) {
    out.confirmed = fmt::format("{} {}", second_->name(), second_->version());
  } else if (out.outcome == Outcome::Proved) {
    // A counterexample that evaluates to one settles it; else it stays open.
    const auto witness = in_order(variables, other.model);
    const bool refuted = smt::evaluate(pool, claim, witness) == 0;
    out.outcome = refuted ? Outcome::Refuted : Outcome::Open;
    if (refuted) out.witness = witness;
    out.reason = fmt::format("{} and {} disagree", first_->name(), second_->name());
  }
  return out;
}

/// Whether a counterexample without a value above `most` was found, which no other precedes.
bool Prover::enumerate(Enumeration& trial, Bits most, std::span<const Term> variables, Proof& proof) {
  const auto begin = std::chrono::steady_clock::now();
  const bool found = trial.up_to(most, options_.trying) == Enumeration::Found::Counterexample;
  proof.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!found) return false;
  proof.outcome = Outcome::Refuted;
  proof.witness.clear();
  for (size_t i = 0; i < variables.size(); ++i) proof.witness.push_back({variables[i], trial.tuple()[i]});
  proof.smallest = true;
  proof.solver.clear();
  return true;
}

void Prover::minimise(Pool& pool, Term negated, std::span<const Term> variables, Proof& proof) {
  uint32_t width = 1;
  for (const Term v : variables) width = std::max(width, pool.width(v));
  std::vector<Term> bounds = {negated};
  // The least value that `of` of a counterexample has within the bounds; false: unknown.
  const auto least = [&](const auto& below, Bits start, const auto& of) {
    Bits high = start, low = 0;  // `high` is reached, nothing below `low` is
    while (low < high) {
      const Bits middle = low + (high - low) / 2;
      const Term question = pool.and_(pool.all(bounds), below(middle));
      if (pool.is_constant(question)) {
        low = middle + 1;
        continue;
      }
      const Reply reply = first_->check(pool, question, options_.minimising);
      proof.seconds += reply.seconds;
      if (reply.answer == Answer::Unknown) return false;
      if (reply.answer == Answer::Unsatisfiable) {
        low = middle + 1;
        continue;
      }
      const auto found = in_order(variables, reply.model);
      if (smt::evaluate(pool, question, found) == 0) return false;
      proof.witness = found;
      high = of(std::span<const Assigned>(proof.witness));
    }
    return true;
  };
  const auto all_below = [&](Bits bound) {
    std::vector<Term> terms;
    for (const Term v : variables)
      terms.push_back(pool.ule(widened(pool, v, width), pool.constant(width, bound)));
    return pool.all(terms);
  };
  if (!least(all_below, largest(proof.witness), largest)) return;
  bounds.push_back(all_below(largest(proof.witness)));
  for (size_t i = 0; i < variables.size(); ++i) {
    const Term v = widened(pool, variables[i], width);
    const auto value = [&](std::span<const Assigned> values) { return values[i].value; };
    const auto below = [&](Bits bound) { return pool.ule(v, pool.constant(width, bound)); };
    if (!least(below, value(proof.witness), value)) return;
    bounds.push_back(below(value(proof.witness)));
  }
  proof.smallest = true;
}

}  // namespace vyre::solver
