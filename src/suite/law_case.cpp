// Cases of a law: an operation's claim or denial at values of the law's variables.
#include <fmt/format.h>

#include <tuple>

#include "algebra/engine.h"
#include "suite/case_kinds.h"
#include "suite/case_program.h"
#include "suite/failing_case.h"
#include "suite/replay_report.h"
#include "verify/algebraic.h"
#include "verify/device_laws.h"

namespace vyre::suite {
namespace {

using verify::Token;

/// The law as one program, as sweeps run it: there a compiler sees more than in an application alone.
Result<void> replay_law_program(const algebra::BoundLaw& law, std::span<const uint32_t> values,
                                backend::Backend& backend, Replay& out) {
  const auto wrong = verify::check_law_at(backend, law, values);
  if (!wrong) return tell({wrong.error(), 0, {}}, backend, ", as one program", spec::DataType::U32, out);
  out.fails = out.fails || !wrong->empty();
  out.report += fmt::format("  program   {}\n", wrong->empty() ? "holds, as one program" : *wrong);
  return {};
}

class LawCase final : public Case {
 public:
  LawCase(const ops::Operation& operation, Token token) : Case(std::move(token)), operation_(operation) {}

  /// Those of the operation: a failure of a law is reported as one of its applications would be.
  ValueTypes types() const override { return {operation_.signature.inputs, {operation_.signature.output}}; }
  Result<std::optional<generate::ProgramCase>> program(backend::Backend&) const override {
    VYRE_TRY(law, find_law());
    VYRE_TRY(sides, law_program(*law, operation_, token().values));
    return std::optional(std::move(sides));
  }
  Result<Replay> replay(backend::Backend& backend) const override;

 private:
  bool is_claimed() const { return token().index < operation_.laws.size(); }
  /// Claimed ones first.
  Result<const spec::Law*> find_law() const {
    const auto& [laws, denied] = std::tie(operation_.laws, operation_.denied);
    if (is_claimed()) return &laws[token().index];
    if (token().index - laws.size() < denied.size()) return &denied[token().index - laws.size()].law;
    return std::unexpected(
        no_such_case(fmt::format("{} has no law with number {}", token().subject, token().index)));
  }

  const ops::Operation& operation_;
};

Result<Replay> LawCase::replay(backend::Backend& backend) const {
  VYRE_TRY(law, find_law());
  VYRE_TRY(bound, bind_law(*law, operation_, token().values));
  algebra::SpecEvaluator definition;
  const verify::Monitor monitor;
  verify::Verdict verdict;
  verify::DeviceEvaluator device(backend, ops::op_table(), token().seed, monitor, verdict);
  VYRE_TRY(on_spec, algebra::holds_at(bound, token().values, definition));
  const auto answer = algebra::holds_at(bound, token().values, device);
  Replay out;
  if (!answer) {
    out.report = fmt::format("{}: {}\n", token().subject, spec::to_string(*law));
    VYRE_CHECK(tell({answer.error(), 0, {}}, backend, "", spec::DataType::U32, out));
    return out;
  }
  const bool on_device = *answer;
  // A claimed law has to hold on both; a denied one must fail on both at its witness.
  out.fails = on_spec != is_claimed() || on_device != is_claimed();
  const auto say = [](bool holds) { return holds ? "holds" : "fails"; };
  out.report = fmt::format(
      "{}: {} ({}), {}\n  input     {}\n  expected  {}\n  actual    {} on the definition, {} on the "
      "backend\n",
      token().subject, spec::to_string(*law), spec::info(law->kind).statement,
      is_claimed() ? "claimed" : "denied", describe_words(token().values, bound.variables), say(is_claimed()),
      say(on_spec), say(on_device));
  if (is_claimed()) VYRE_CHECK(replay_law_program(bound, token().values, backend, out));
  return out;
}

}  // namespace

std::unique_ptr<Case> law_case(const ops::Operation& operation, Token token) {
  return std::make_unique<LawCase>(operation, std::move(token));
}

}  // namespace vyre::suite
