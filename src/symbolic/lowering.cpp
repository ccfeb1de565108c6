#include "symbolic/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/random.h"
#include "symbolic/arithmetic.h"
#include "symbolic/long_division.h"

namespace vyre::symbolic {

using smt::Pool;
using smt::Term;
using solver::open_proof;
using solver::Outcome;
using solver::Proof;

namespace {

solver::ProverOptions without_witnesses(solver::ProverOptions options, double seconds) {
  options.smallest = false;  // what refutes a weaker claim may refute nothing
  options.limits.seconds = std::min(options.limits.seconds, seconds);
  return options;
}
/// Sums of shifted products are quick for one of the solvers and take the other minutes.
solver::ProverOptions else_cvc5(solver::ProverOptions options, double seconds) {
  options.otherwise = {.seconds = seconds};
  return options;
}

// Claims of 64 bits have some fifty parts of half a second each; what takes longer takes for ever.
constexpr double kQuestionsAClaim = 8;

/// The conclusion of nested implications.
Term conclusion_of(const Pool& pool, Term claim) {
  while (pool[claim].kind == smt::Kind::Implies) claim = pool[claim].operands[1];
  return claim;
}

/// The values of those variables; zero where the model has none.
std::vector<smt::Assigned> restricted(std::span<const smt::Assigned> model, std::span<const Term> variables) {
  std::vector<smt::Assigned> out;
  for (const Term variable : variables) {
    const auto known = std::ranges::find(model, variable, &smt::Assigned::variable);
    out.push_back({variable, known == model.end() ? smt::Bits{0} : known->value});
  }
  return out;
}

/// A counterexample among some thousand edges and random words, which finds most faults before a solver does.
std::optional<std::vector<smt::Assigned>> sampled(const Pool& pool, Term claim,
                                                  std::span<const Term> variables) {
  constexpr uint32_t kSamples = 50000;
  constexpr smt::Bits kEdges[] = {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff};
  std::vector<smt::Assigned> values;
  for (const Term variable : variables) values.push_back({variable, 0});
  smt::Evaluation evaluation(pool, claim);
  for (uint32_t sample = 0; sample < kSamples; ++sample) {
    for (uint32_t n = 0; n < values.size(); ++n) {
      const auto random = philox(sample, n);
      const uint32_t width = pool.width(values[n].variable);
      const smt::Bits any = random[0] % 16 < std::size(kEdges) ? kEdges[random[0] % 16] : random[1];
      values[n].value = width >= 32 ? any : any & ((smt::Bits{1} << std::max(width, 1u)) - 1);
    }
    std::vector<smt::Bits> bits;
    for (const Term variable : evaluation.variables())
      bits.push_back(std::ranges::find(values, variable, &smt::Assigned::variable)->value);
    if (evaluation(bits) == 0) return values;
  }
  return {};
}

constexpr std::array kTargets = {lower::kLlvmTarget, lower::kPtxTarget, lower::kWordTarget};

}  // namespace

CodeProver::CodeProver(solver::ProverOptions options)
    : quick_(without_witnesses(options, 0.5)),
      easy_(else_cvc5(without_witnesses(options, 5), options.limits.seconds)),
      exact_(options),
      smallest_(options.smallest),
      question_(options.limits.seconds),
      budget_(kQuestionsAClaim * options.limits.seconds) {}

Proof CodeProver::quickly(Pool& pool, Term question) {
  return quick_.prove(pool, question, pool.variables_of(question));
}

Equivalence CodeProver::with_equal_factors(Pool& pool, const Equivalence& claim) {
  constexpr size_t kMost = 24;  // every pair is asked about
  const std::vector<Term> factors = factors_of(pool, claim.holds);
  if (factors.size() > kMost) return claim;
  std::vector<Term> different;
  std::vector<std::pair<Term, Term>> same;
  for (const Term factor : factors) {
    const auto known = std::ranges::find_if(different, [&](Term other) {
      return pool.width(other) == pool.width(factor) &&
             quickly(pool, pool.implies(claim.assumed, pool.eq(other, factor))).outcome == Outcome::Proved;
    });
    if (known == different.end()) {
      different.push_back(factor);
    } else {
      same.emplace_back(factor, *known);
    }
  }
  if (same.empty()) return claim;
  // The premise stays as it was: only under it the two are the same.
  Equivalence out = claim;
  const auto changed = [&](Term of) { return pool.implies(claim.assumed, replaced(pool, of, same)); };
  out.holds = changed(claim.holds);
  for (Term& part : out.parts) part = changed(part);
  return out;
}

Proof CodeProver::prove(Pool& pool, Memory& memory, const Reading& code, const Reading& meaning) {
  return prove(pool, equivalent(pool, memory, code, meaning));
}
Proof CodeProver::prove(Pool& pool, Memory& memory, const Reading& code, const RawReading& meaning) {
  Equivalence claim = equivalent(pool, memory, code, meaning.reading);
  claim.holds = pool.implies(meaning.assumed, claim.holds);
  for (Term& part : claim.parts) part = pool.implies(meaning.assumed, part);
  claim.assumed = pool.and_(claim.assumed, meaning.assumed);
  claim.variables = pool.variables_of(claim.holds);
  return prove(pool, claim);
}

Proof CodeProver::prove(Pool& pool, const Equivalence& claim) {
  const std::string statement = smt::script(pool, pool.not_(claim.holds));
  if (const auto known = known_.find(statement); known != known_.end()) {
    Proof again = known->second;
    again.seconds = 0;
    return again;
  }
  Proof proof;
  double spent = 0;
  std::optional<Proof> refuted;  // by what an easier question was refuted with
  const auto try_one = [&](Term easier) {
    proof = easy_.prove(pool, easier, pool.variables_of(easier));
    spent += proof.seconds;
    if (proof.outcome == Outcome::Refuted && !refuted) {
      Proof found = proof;
      found.witness = restricted(proof.witness, claim.variables);
      if (smt::evaluate(pool, claim.holds, found.witness) == 0) refuted = found;
    }
    return proof.outcome == Outcome::Proved;
  };
  const auto try_easier = [&](Term question) {
    for (const uint32_t limb : {32u, 16u}) {
      const auto easier = without_arithmetic(pool, question, limb);
      if (easier && try_one(*easier)) return true;
      if (refuted) return false;
    }
    return false;
  };
  const auto without_premises = [&](Term part) {
    const Term conclusion = conclusion_of(pool, part);
    if (conclusion == part) return false;
    const Proof quick = quickly(pool, conclusion);
    spent += quick.seconds;
    if (quick.outcome == Outcome::Proved) proof = quick;
    return quick.outcome == Outcome::Proved;
  };
  const Equivalence shared = with_equal_factors(pool, claim);
  const auto try_parts = [&] {
    return !shared.parts.empty() && std::ranges::all_of(shared.parts, [&](Term part) {
      if (spent > budget_) return false;
      return without_premises(part) || try_easier(part) || (!refuted && try_one(part));
    });
  };
  if (!try_parts() && !(shared.parts.empty() && try_easier(shared.holds))) {
    if (!refuted && !smallest_) {
      if (const auto found = sampled(pool, claim.holds, claim.variables)) {
        refuted = Proof{};
        refuted->outcome = Outcome::Refuted;
        refuted->witness = *found;
      }
    }
    if (refuted && !smallest_) {
      refuted->seconds = spent;
      refuted->statement = smt::statement_digest(pool, pool.not_(claim.holds));
      return *refuted;
    }
    if (spent > budget_) {
      proof = open_proof(fmt::format("no answer within {:.0f} s", budget_));
    } else {
      proof = exact_.prove(pool, claim.holds, claim.variables);
      spent += proof.seconds;
    }
  }
  proof.statement = smt::statement_digest(pool, pool.not_(claim.holds));
  proof.seconds = spent;
  if (proof.outcome == Outcome::Proved) known_.emplace(statement, proof);
  return proof;
}

std::vector<ScalarProgram> programs_of_words(const LoweringRequest& request) {
  std::vector<ScalarProgram> out = operator_programs();
  std::ranges::move(operation_programs(), std::back_inserter(out));
  std::erase_if(out, [&](const ScalarProgram& program) {
    const bool of_words = std::ranges::all_of(program.kernel.buffers, [](const lower::KernelBuffer& b) {
      return spec::value_words(b.element) == 1;
    });
    return !of_words || !request.wanted(program.name);
  });
  return out;
}

std::span<const lower::Target> legalized_targets() { return kTargets; }

Proof prove_legal(CodeProver& prover, const ScalarProgram& program, const lower::Kernel& legal,
                  std::string* theorem) {
  Pool pool;
  Memory memory(pool, buffers_of(program.kernel));
  const auto meaning = read(pool, memory, program.kernel);
  if (!meaning) return open_proof(meaning.error());
  std::optional<LongDivision> division = division_of(pool, *meaning);
  const auto code = read(pool, memory, legal, division ? &*division : nullptr);
  if (!code) return open_proof(code.error());
  Proof proof = prover.prove(pool, memory, *code, *meaning);
  if (!division || !division->was_used()) return proof;
  if (theorem != nullptr) *theorem = LongDivision::kName;
  if (proof.outcome == Outcome::Refuted) proof.reason = "a premise of the theorem fails, or the rule does";
  return proof;
}

LoweringProof prove_legalize(CodeProver& prover, const ScalarProgram& program, const lower::Target& target) {
  LoweringProof out{program.name, fmt::format("legalize({})", target.name), {}};
  // Unrolled, dozens of divisions by one another are beyond solvers; what is in the loop is proved by itself.
  const auto is_loop = [](const lower::Inst& inst) { return inst.kind == lower::InstKind::Loop; };
  if (std::ranges::any_of(program.kernel.insts, is_loop)) {
    out.proof = open_proof("a loop");
    return out;
  }
  out.proof = prove_legal(prover, program, lower::legalize(program.kernel, target), &out.theorem);
  return out;
}

namespace {

/// More than 64 bits: multiplied or divided they are beyond what solvers do, and waiting changes nothing.
bool is_wide(const ScalarProgram& program) {
  return std::ranges::any_of(program.kernel.buffers,
                             [](const lower::KernelBuffer& b) { return b.element == spec::DataType::U128; });
}

}  // namespace

std::vector<LoweringProof> prove_legalize(CodeProver& prover, const LoweringRequest& request,
                                          std::span<const lower::Target> targets) {
  std::vector<LoweringProof> out;
  for (const auto& programs : {operator_programs(), operation_programs()}) {
    for (const ScalarProgram& program : programs) {
      if (!request.wanted(program.name)) continue;
      const double question = prover.seconds_a_question();
      prover.allow(is_wide(program) ? question : kQuestionsAClaim * question);
      for (const lower::Target& target : targets) {
        out.push_back(prove_legalize(prover, program, target));
        request.done(out.back());
      }
    }
  }
  prover.allow(kQuestionsAClaim * prover.seconds_a_question());
  return out;
}

}  // namespace vyre::symbolic
