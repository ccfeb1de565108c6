#include "alternate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "admit/code.h"
#include "algebra/law.h"
#include "base/random.h"
#include "solver/prover.h"
#include "symbolic/functions.h"
#include "wgsl.h"

namespace vyre::admit {
namespace {

constexpr uint64_t kWitnessSeed = 7, kWitnesses = 100'000;
using Columns = std::vector<std::vector<uint32_t>>;

Diag refused(const ops::Operation& operation, const Alternate& alternate, std::string what,
             std::string help) {
  return make_diag(DiagCode::C014, Span::none(),
                   fmt::format("{} ({}): {}", operation.id, alternate.name, what), std::move(help));
}

Diag differs(const ops::Operation& operation, const Alternate& alternate, std::span<const uint32_t> input,
             uint32_t gives) {
  std::string operands;
  for (const uint32_t word : input) operands += fmt::format("{}{:#x}", operands.empty() ? "" : ", ", word);
  return refused(
      operation, alternate,
      fmt::format("f({}) is {:#x}, and this gives {:#x}", operands, operation.reference(input.data()), gives),
      "it is another operation: mend it, or give it an id of its own");
}

/// All operands of 8 bits (three: of 5), then full-width ones.
Columns inputs_for(const ops::Operation& operation) {
  const size_t arity = operation.signature.inputs.size();
  const uint32_t bits = arity == 3 ? 5 : 8;
  Columns columns(arity);
  for (uint32_t n = 0; n < uint32_t{1} << (bits * arity); ++n) {
    for (size_t i = 0; i < arity; ++i) columns[i].push_back(n >> (bits * i) & ((1u << bits) - 1));
  }
  RandomStream random(kWitnessSeed, 0);
  for (uint64_t n = 0; n < kWitnesses; ++n) {
    for (std::vector<uint32_t>& column : columns) {
      const uint32_t word = random.next();
      column.push_back((n & 1) == 0 ? word : word >> (random.next() & 31));
    }
  }
  return columns;
}

/// The first input on which `results` are not the reference function's, or nothing.
std::optional<Diag> compare(const ops::Operation& operation, const Alternate& alternate,
                            const Columns& columns, std::span<const uint32_t> results) {
  for (size_t n = 0; n < results.size(); ++n) {
    std::vector<uint32_t> input;
    for (const std::vector<uint32_t>& column : columns) input.push_back(column[n]);
    if (operation.reference(input.data()) != results[n])
      return differs(operation, alternate, input, results[n]);
  }
  return std::nullopt;
}

std::string sampled(const ops::Operation& operation) {
  return fmt::format("exhausted({}) witnessed({}, {})", operation.signature.inputs.size() == 3 ? "u5" : "u8",
                     kWitnesses, kWitnessSeed);
}

/// A proof that the two compositions are one function; nothing where it cannot be decided.
std::expected<std::optional<std::string>, Diag> prove(const ops::Operation& operation,
                                                      const ops::Operation& other,
                                                      const Alternate& alternate) {
  smt::Pool pool;
  const std::vector<smt::Term> variables = symbolic::operands_of(pool, operation);
  const auto own = symbolic::compose(pool, operation, variables);
  const auto its = symbolic::compose(pool, other, variables);
  if (!own || !its) return std::nullopt;
  const solver::Proof proof = solver::Prover().prove(pool, pool.eq(*own, *its), variables);
  switch (proof.outcome) {
    case solver::Outcome::Proved:
      return proof.solver.empty() ? "proved" : fmt::format("proved({})", proof.solver);
    case solver::Outcome::Refuted: {
      std::vector<uint32_t> input;
      for (const smt::Assigned& assigned : proof.witness) input.push_back(uint32_t(assigned.value));
      const uint32_t gives = uint32_t(smt::evaluate(pool, *its, proof.witness));
      return std::unexpected(differs(operation, alternate, input, gives));
    }
    case solver::Outcome::Open: return std::nullopt;
  }
  return std::nullopt;
}

Result<std::string> admit_ir(const ops::Operation& operation, const Alternate& alternate,
                             const AlternateOptions& options) {
  ops::Operation other = operation;
  other.compose = alternate.compose;
  ScalarProgram program;
  if (const auto made = make_program(other, program); !made) {
    return std::unexpected(
        refused(operation, alternate, "it is not valid: " + made.error().message, made.error().help));
  }
  if (options.solver) {
    VYRE_TRY(grade, prove(operation, other, alternate));
    if (grade) return *grade;
  }
  const Columns columns = inputs_for(operation);
  std::vector<const uint32_t*> inputs;
  for (const std::vector<uint32_t>& column : columns) inputs.push_back(column.data());
  algebra::CompositionEvaluator evaluator(program.table);
  std::vector<uint32_t> results(columns[0].size());
  for (size_t begin = 0; begin < results.size(); begin += evaluator.slice()) {
    const size_t n = std::min(evaluator.slice(), results.size() - begin);
    std::vector<const uint32_t*> slice = inputs;
    for (const uint32_t*& column : slice) column += begin;
    VYRE_CHECK(evaluator.apply(other, slice, results.data() + begin, n));
  }
  if (auto difference = compare(operation, alternate, columns, results)) return std::unexpected(*difference);
  return sampled(operation);
}

}  // namespace

Result<std::string> admit_alternate(const ops::Operation& operation, const Alternate& alternate,
                                    const AlternateOptions& options) {
  if (alternate.compose != nullptr) return admit_ir(operation, alternate, options);
  const auto& types = operation.signature.inputs;
  const auto is_word = [](spec::DataType type) { return type == spec::DataType::U32; };
  if (!std::ranges::all_of(types, is_word) || !is_word(operation.signature.output)) {
    return std::unexpected(refused(operation, alternate, "WGSL is taken for operations of u32 words alone",
                                   "write it in the IR"));
  }
  const Columns columns = inputs_for(operation);
  std::vector<uint32_t> results(columns[0].size());
  const auto device = run_wgsl(alternate.wgsl, columns, results, options.webgpu_library);
  if (!device) {
    return std::unexpected(
        refused(operation, alternate, "it was not run: " + device.error().message,
                "WGSL means what a device makes of it, so one is needed: " + device.error().help));
  }
  if (auto difference = compare(operation, alternate, columns, results)) return std::unexpected(*difference);
  return fmt::format("{} on device({})", sampled(operation), *device);
}

}  // namespace vyre::admit
