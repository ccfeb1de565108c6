#include "symbolic/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/random.h"
#include "symbolic/arithmetic.h"

namespace vyre::symbolic {

using smt::Pool;
using smt::Term;
using solver::Outcome;
using solver::Proof;

namespace {

solver::ProverOptions without_witnesses(solver::ProverOptions options) {
  options.smallest = false;  // what refutes a weaker claim may refute nothing
  options.limits.seconds = std::min(options.limits.seconds, 5.0);
  return options;
}

Proof open_proof(std::string reason) {
  Proof out;
  out.reason = std::move(reason);
  return out;
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
    : easy_(without_witnesses(options)), exact_(options), smallest_(options.smallest) {}

Proof CodeProver::prove(Pool& pool, Memory& memory, const Reading& code, const Reading& meaning) {
  return prove(pool, equivalent(pool, memory, code, meaning));
}
Proof CodeProver::prove(Pool& pool, Memory& memory, const Reading& code, const RawReading& meaning) {
  Equivalence claim = equivalent(pool, memory, code, meaning.reading);
  claim.holds = pool.implies(meaning.assumed, claim.holds);
  for (Term& part : claim.parts) part = pool.implies(meaning.assumed, part);
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
  const auto try_parts = [&] {
    return !claim.parts.empty() && std::ranges::all_of(claim.parts, [&](Term part) {
      return try_easier(part) || (!refuted && try_one(part));
    });
  };
  if (!try_parts() && !(claim.parts.empty() && try_easier(claim.holds))) {
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
    proof = exact_.prove(pool, claim.holds, claim.variables);
    spent += proof.seconds;
  }
  proof.statement = smt::statement_digest(pool, pool.not_(claim.holds));
  proof.seconds = spent;
  if (proof.outcome == Outcome::Proved) known_.emplace(statement, proof);
  return proof;
}

LoweringProof open_row(std::string operation, std::string subject, std::string reason) {
  return {std::move(operation), std::move(subject), open_proof(std::move(reason))};
}

std::span<const lower::Target> legalized_targets() { return kTargets; }

Proof prove_legal(CodeProver& prover, const ScalarProgram& program, const lower::Kernel& legal) {
  Pool pool;
  Memory memory(pool, buffers_of(program.kernel));
  const auto meaning = read(pool, memory, program.kernel);
  if (!meaning) return open_proof(meaning.error());
  const auto code = read(pool, memory, legal);
  if (!code) return open_proof(code.error());
  return prover.prove(pool, memory, *code, *meaning);
}

LoweringProof prove_legalize(CodeProver& prover, const ScalarProgram& program, const lower::Target& target) {
  return {program.name, fmt::format("legalize({})", target.name),
          prove_legal(prover, program, lower::legalize(program.kernel, target))};
}

std::vector<LoweringProof> prove_legalize(CodeProver& prover, const LoweringRequest& request,
                                          std::span<const lower::Target> targets) {
  std::vector<LoweringProof> out;
  for (const auto& programs : {operator_programs(), operation_programs()}) {
    for (const ScalarProgram& program : programs) {
      if (!request.wanted(program.name)) continue;
      for (const lower::Target& target : targets) {
        out.push_back(prove_legalize(prover, program, target));
        request.done(out.back());
      }
    }
  }
  return out;
}

}  // namespace vyre::symbolic
