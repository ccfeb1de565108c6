// Cases of a function of values: an operation of the library, an operator at a type, a cast, at operands.
#include <fmt/format.h>

#include <algorithm>

#include "generate/shrink.h"
#include "suite/case_kinds.h"
#include "suite/case_program.h"
#include "suite/failing_case.h"
#include "suite/replay_report.h"
#include "verify/deviation.h"
#include "verify/examine.h"

namespace vyre::suite {
namespace {

using generate::ProgramCase;
using verify::Token;

Result<Replay> replay_elementwise(const verify::Subject& subject, const Token& token,
                                  backend::Backend& backend);

/// How many cases a strategy of a subject has. Errors: C003 for a strategy that is not known.
Result<uint64_t> count_cases(const verify::Subject& subject, std::string_view strategy, const Token& token) {
  if (strategy == "rows") return subject.rows.size();
  if (strategy == "whole") return verify::whole_domain(subject);
  const auto known = generate::find_strategy(strategy);
  if (!known) return std::unexpected(unknown_part(token, "strategy"));
  return subject.cases(*known, token.seed).size();
}

/// Whether a token of such a subject names a case that there is. Errors: C003.
Result<void> expect_case(const verify::Subject& subject, const Token& token) {
  if (token.strategy == "operands") {
    const size_t words = verify::input_words(subject.application);
    if (token.values.size() == words) return {};
    return std::unexpected(no_such_case(
        fmt::format("{} has {} words of operands, the token {}", subject.name, words, token.values.size())));
  }
  VYRE_TRY(count, count_cases(subject, token.strategy, token));
  if (token.index < count) return {};
  return std::unexpected(
      no_such_case(fmt::format("{} has {} cases of the strategy \"{}\", so none with number {}", subject.name,
                               count, token.strategy, token.index)));
}

/// The operands of a token of such a subject. Errors: C003 for a case that there is not.
Result<std::vector<uint32_t>> operands_of(const verify::Subject& subject, const Token& token,
                                          backend::Backend& backend) {
  VYRE_CHECK(expect_case(subject, token));
  if (token.strategy == "operands") return token.values;
  const verify::SubjectBench bench(backend, subject, {}, token.seed);
  return bench.operands({*verify::SubjectBench::source_of(token.strategy), token.index});
}

/// f at operands: one element in, one out, where a word stands beforehand that is not the answer.
ProgramCase program_of(const verify::Subject& subject, std::span<const uint32_t> operands) {
  std::vector<const uint32_t*> columns;
  for (const uint32_t& word : operands) columns.push_back(&word);
  std::vector<uint32_t> expected(verify::output_words(subject.application));
  subject.expected(columns, expected);
  return program_at(subject.application, operands, expected);
}

/// Errors: C003 for a case that there is not.
Result<verify::Scenario> scenario_of(const verify::Subject& subject, const Token& token) {
  verify::Scenario out;
  for (const auto& dispatch : token.scenario) {
    verify::Batch& batch = out.emplace_back();
    for (const verify::TokenCase& c : dispatch) {
      Token one = token;
      one.strategy = c.strategy, one.index = c.index;
      VYRE_CHECK(expect_case(subject, one));
      batch.cases.push_back({*verify::SubjectBench::source_of(c.strategy), c.index});
    }
  }
  return out;
}

/// A case among its neighbours, as often as it takes.
Result<void> replay_neighbours(const verify::Subject& subject, const Token& token, verify::CaseId id,
                               verify::Bench& bench, backend::Backend& backend, Replay& out) {
  constexpr int kTries = 64;
  VYRE_TRY(size, count_cases(subject, token.strategy, token));
  const size_t slice = verify::slice_of(subject);
  const uint64_t begin = token.strategy == "rows" ? 0 : token.index / slice * slice;
  verify::Batch batch;
  for (uint64_t k = begin; k < std::min<uint64_t>(size, begin + slice); ++k)
    batch.cases.push_back({id.source, k});
  for (int attempt = 0; attempt < kTries && !out.fails; ++attempt) {
    verify::Seen seen = bench.run(batch);
    const std::string which =
        seen.wrong.empty() ? std::string() : fmt::format(", of case {}", begin + seen.wrong.front().position);
    VYRE_CHECK(tell(seen, backend,
                    fmt::format("{}, among its {} neighbours (run {}), though alone the case passes", which,
                                batch.cases.size(), attempt + 1),
                    subject.application.output, out));
  }
  if (!out.fails) {
    out.report +=
        fmt::format("  passes, alone and {} times among its {} neighbours\n", kTries, batch.cases.size());
  }
  return {};
}

/// An operation at operands that no strategy has a number for.
Result<Replay> replay_operands(const verify::Subject& subject, const Token& token,
                               backend::Backend& backend) {
  VYRE_CHECK(expect_case(subject, token));
  verify::Subject one = subject;
  one.rows = {{token.values, std::vector<uint32_t>(verify::output_words(subject.application)), {}, {}}};
  std::vector<const uint32_t*> columns;
  for (const uint32_t& word : token.values) columns.push_back(&word);
  one.expected(columns, one.rows[0].expected);
  Token row = token;
  row.strategy = "rows";
  row.index = 0;
  return replay_elementwise(one, row, backend);
}

// What the token says must run; else alone, through each of the pipelines, and then a fault that needs its
// neighbours, or luck, is looked for in the case's own slice, many times.
Result<Replay> replay_elementwise(const verify::Subject& subject, const Token& token,
                                  backend::Backend& backend) {
  if (token.strategy == "operands") return replay_operands(subject, token, backend);
  VYRE_CHECK(expect_case(subject, token));
  VYRE_TRY(scenario, scenario_of(subject, token));
  const spec::DataType output = subject.application.output;
  Replay out;
  out.report = subject.name + "\n";
  verify::Verdict verdict;
  auto pipelines =
      verify::make_pipelines(backend, subject, verify::workgroups_of(backend), token.seed, verdict);
  if (!pipelines) {
    VYRE_CHECK(tell({pipelines.error(), 0, {}}, backend, ", when it was compiled", output, out));
    return out;
  }
  verify::SubjectBench bench(backend, subject, pipelines->all, token.seed);
  const verify::CaseId id{*verify::SubjectBench::source_of(token.strategy), token.index};
  const std::vector<uint32_t> operands = bench.operands(id);
  out.report += fmt::format("  input     {}\n", describe_words(operands, subject.application.inputs));
  const bool row = token.strategy == "rows";
  if (!scenario.empty()) {
    VYRE_CHECK(replay_scenario(scenario, bench, backend, output, out));
    return out;
  }
  const std::vector<uint32_t> expected = bench.expected(id, operands);
  const std::string source = row && !subject.rows[token.index].source.empty()
                                 ? fmt::format("   \"{}\" ({})", subject.rows[token.index].rationale,
                                               subject.rows[token.index].source)
                                 : "";
  out.report += fmt::format("  expected  {}{}\n", describe_words(expected, std::span(&output, 1)), source);
  for (uint32_t k = 0; k < pipelines->all.size() && !out.fails; ++k) {
    const verify::Elementwise& pipeline = *pipelines->all[k];
    const std::string where =
        fmt::format(", alone, in workgroups of {}{}", pipeline.workgroup(),
                    pipeline.has_canaries() ? "" : ", nothing bound behind the results");
    const verify::Seen seen = bench.run({k, {id}});
    VYRE_CHECK(tell(seen, backend, where, output, out));
    if (seen.wrong.empty() || row) continue;
    const auto fails = [&](std::span<const uint32_t> candidate) {
      std::vector<const uint32_t*> in;
      for (const uint32_t& v : candidate) in.push_back(&v);
      std::vector<uint32_t> want(expected.size()), have(expected.size());
      subject.expected(in, want);
      const uint32_t poison = verify::poison_of(subject, want, token.seed, 1);
      if (!pipelines->all[k]->apply(in, have, poison)) return false;
      verify::settle_approximate(subject, in, want, have, poison);
      return want != have;
    };
    const std::vector<uint32_t> shrunk = generate::shrink(operands, fails);
    if (shrunk != operands)
      out.report += fmt::format("  shrunk    {}\n", describe_words(shrunk, subject.application.inputs));
  }
  if (out.fails) return out;
  out.report += fmt::format("  actual    {}, alone\n", describe_words(expected, std::span(&output, 1)));
  VYRE_CHECK(replay_neighbours(subject, token, id, bench, backend, out));
  return out;
}

class ElementCase final : public Case {
 public:
  ElementCase(verify::Subject subject, Token token) : Case(std::move(token)), subject_(std::move(subject)) {}

  ValueTypes types() const override { return {subject_.application.inputs, {subject_.application.output}}; }
  std::unique_ptr<Case> at(std::span<const uint32_t> operands) const override {
    if (operands.size() != verify::input_words(subject_.application)) return nullptr;
    return element_case(subject_, {subject_.name, "operands", 0, 0, {operands.begin(), operands.end()}});
  }
  Result<std::optional<ProgramCase>> program(backend::Backend& backend) const override {
    VYRE_TRY(operands, operands_of(subject_, token(), backend));
    return std::optional(program_of(subject_, operands));
  }
  Result<Replay> replay(backend::Backend& backend) const override {
    return replay_elementwise(subject_, token(), backend);
  }

 private:
  const verify::Subject subject_;
};

}  // namespace

std::unique_ptr<Case> element_case(verify::Subject subject, Token token) {
  return std::make_unique<ElementCase>(std::move(subject), std::move(token));
}

}  // namespace vyre::suite
