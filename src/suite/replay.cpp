#include "suite/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "algebra/engine.h"
#include "check/checked.h"
#include "generate/shrink.h"
#include "ops/operation.h"
#include "suite/case_program.h"
#include "suite/failing_case.h"
#include "suite/replay_report.h"
#include "text/text.h"
#include "verify/algebraic.h"
#include "verify/deviation.h"
#include "verify/device_laws.h"
#include "verify/examine.h"
#include "verify/families.h"
#include "verify/parity.h"
#include "verify/program_bench.h"
#include "verify/shape_run.h"
#include "verify/token.h"

namespace vyre::suite {
namespace {

using verify::Token;

Result<Replay> replay_elementwise(const verify::Subject& subject, const Token& token,
                                  backend::Backend& backend);

/// Runs the dispatches of a scenario in a restarted backend until one goes wrong.
Result<void> replay_scenario(const verify::Scenario& scenario, verify::Bench& bench,
                             backend::Backend& backend, spec::DataType type, Replay& out) {
  VYRE_CHECK(backend.restart());
  for (size_t k = 0; k < scenario.size() && !out.fails; ++k) {
    const verify::Seen seen = bench.run(scenario[k]);
    std::string when = fmt::format(", in dispatch {} of {}", k + 1, scenario.size());
    if (!seen.wrong.empty()) {
      when += fmt::format(", of its case {}", scenario[k].cases[seen.wrong.front().position].number);
    }
    VYRE_CHECK(tell(seen, backend, when, type, out));
  }
  if (!out.fails) out.report += fmt::format("  passes, in {} dispatches\n", scenario.size());
  return {};
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

/// The law as one program, as sweeps run it: there a compiler sees more than in an application alone.
Result<void> replay_law_program(const algebra::BoundLaw& law, const Token& token, backend::Backend& backend,
                                Replay& out) {
  const auto wrong = verify::check_law_at(backend, law, token.values);
  if (!wrong) return tell({wrong.error(), 0, {}}, backend, ", as one program", spec::DataType::U32, out);
  out.fails = out.fails || !wrong->empty();
  out.report += fmt::format("  program   {}\n", wrong->empty() ? "holds, as one program" : *wrong);
  return {};
}

Result<Replay> replay_law(const ops::Operation& operation, const Token& token, backend::Backend& backend) {
  const bool claimed = token.index < operation.laws.size();
  if (token.index >= operation.laws.size() + operation.denied.size()) {
    return std::unexpected(make_diag(DiagCode::C003, Span::none(),
                                     fmt::format("{} has no law with number {}", token.subject, token.index),
                                     "copy the whole token from the report"));
  }
  const spec::Law& law =
      claimed ? operation.laws[token.index] : operation.denied[token.index - operation.laws.size()].law;
  const auto bound = algebra::bind(law, operation);
  if (!bound) return std::unexpected(make_diag(DiagCode::C003, Span::none(), bound.error(), ""));
  if (bound->variables.size() != token.values.size()) {
    return std::unexpected(
        make_diag(DiagCode::C003, Span::none(),
                  fmt::format("{} ranges over {} values, the token has {}", spec::to_string(law),
                              bound->variables.size(), token.values.size()),
                  "copy the whole token from the report"));
  }
  algebra::SpecEvaluator definition;
  const verify::Monitor monitor;
  verify::Verdict verdict;
  verify::DeviceEvaluator device(backend, ops::op_table(), token.seed, monitor, verdict);
  VYRE_TRY(on_spec, algebra::holds_at(*bound, token.values, definition));
  const auto answer = algebra::holds_at(*bound, token.values, device);
  Replay out;
  if (!answer) {
    out.report = fmt::format("{}: {}\n", token.subject, spec::to_string(law));
    VYRE_CHECK(tell({answer.error(), 0, {}}, backend, "", spec::DataType::U32, out));
    return out;
  }
  const bool on_device = *answer;
  // A claimed law has to hold on both; a denied one must fail on both at its witness.
  out.fails = on_spec != claimed || on_device != claimed;
  const auto say = [](bool holds) { return holds ? "holds" : "fails"; };
  out.report = fmt::format(
      "{}: {} ({}), {}\n  input     {}\n  expected  {}\n  actual    {} on the definition, {} on the "
      "backend\n",
      token.subject, spec::to_string(law), spec::info(law.kind).statement, claimed ? "claimed" : "denied",
      describe_words(token.values, bound->variables), say(claimed), say(on_spec), say(on_device));
  if (claimed) VYRE_CHECK(replay_law_program(*bound, token, backend, out));
  return out;
}

/// Whether the cases of a token of a program family are there. Errors: C003.
Result<void> expect_programs(verify::Family family, const Token& token) {
  if (family != verify::Family::Shapes) return {};
  std::vector<uint64_t> numbers = {token.index};
  for (const auto& dispatch : token.scenario) {
    for (const verify::TokenCase& one : dispatch) numbers.push_back(one.index);
  }
  for (const uint64_t number : numbers) {
    if (verify::row_of(number)) continue;
    return std::unexpected(make_diag(DiagCode::C003, Span::none(),
                                     fmt::format("{} has no case with number {}", token.subject, number),
                                     "copy the whole token from the report"));
  }
  return {};
}

Result<Replay> replay_program(verify::Family family, const Token& token, backend::Backend& backend) {
  Replay out;
  if (family == verify::Family::PlantedLaws) {
    const verify::Verdict verdict = verify::check_planted_laws(backend, token.seed, {});
    out.fails = verdict.failure_count != 0 || !verdict.error.empty();
    out.report = fmt::format("{}: {} of the planted-false laws were not refuted as they must be\n",
                             token.subject, verdict.failure_count);
    for (const verify::Failure& f : verdict.failures) out.report += fmt::format("  {}\n", f.note);
    if (!verdict.error.empty()) out.report += fmt::format("  {}\n", verdict.error);
    return out;
  }
  if (!verify::has_programs(family)) return std::unexpected(unknown_part(token, "strategy"));
  constexpr int kTries = 32;
  constexpr spec::DataType kWord = spec::DataType::U32;  // the bench compares words
  VYRE_CHECK(expect_programs(family, token));
  const generate::ProgramCase c = verify::family_case(family, token.seed, token.index, backend.limits());
  out.report = fmt::format("{}, program {}:\n{}groups {},{},{}\n", token.subject, token.index,
                           text::print(c.program), c.groups.x, c.groups.y, c.groups.z);
  if (const auto checked = check::check(c.program, ops::op_table()))
    out.report += buffer_lines(*checked, c.buffers, "input", false);
  std::unique_ptr<verify::Bench> made;
  if (family == verify::Family::Shapes) {
    out.report += fmt::format("  {}\n", verify::describe(*verify::row_of(token.index)));
    made = std::make_unique<verify::ShapeBench>(backend, token.seed);
  } else {
    made = std::make_unique<verify::ProgramBench>(backend, family, token.seed);
  }
  verify::Bench& bench = *made;
  if (!token.scenario.empty()) {
    verify::Scenario scenario;
    for (const auto& dispatch : token.scenario) {
      for (const verify::TokenCase& one : dispatch) scenario.push_back({0, {{0, one.index}}});
    }
    VYRE_CHECK(replay_scenario(scenario, bench, backend, kWord, out));
    return out;
  }
  for (int attempt = 0; attempt < kTries && !out.fails; ++attempt) {
    VYRE_CHECK(tell(bench.run({0, {{0, token.index}}}), backend, fmt::format(", in run {}", attempt + 1),
                    kWord, out));
  }
  if (!out.fails) out.report += fmt::format("  passes, {} times\n", kTries);
  return out;
}

/// What the backend says of one operation of category C.
Result<Replay> replay_claim(const Token& token, backend::Backend& backend) {
  if (token.index >= spec::kIntrinsicCount) {
    return std::unexpected(
        make_diag(DiagCode::C003, Span::none(),
                  fmt::format("there is no operation of category C with number {}", token.index),
                  "copy the whole token from the report"));
  }
  const spec::IntrinsicInfo& info = spec::kIntrinsics[token.index];
  verify::Verdict verdict;
  verdict.subject = token.subject;
  VYRE_TRY(usable, verify::check_claim(backend, info.intrinsic, token.seed, verdict));
  Replay out;
  out.fails = verdict.failure_count != 0;
  out.report = fmt::format("{}: {} says that it has {}{}@{}\n", token.subject, backend.identity().name,
                           backend.has(info.intrinsic) ? "" : "no ", info.id, info.version);
  for (const verify::Failure& f : verdict.failures) out.report += fmt::format("  {}\n", f.note);
  if (!out.fails)
    out.report +=
        usable ? "  and compiles a program that calls it\n" : "  and refuses a program that calls it\n";
  return out;
}

}  // namespace

Result<Replay> replay(std::string_view text, backend::Backend& backend) {
  VYRE_TRY(token, verify::parse_token(text));
  VYRE_TRY(who, find_addressee(token));
  if (who.operation != nullptr && token.strategy == "law") return replay_law(*who.operation, token, backend);
  if (who.subject) return replay_elementwise(*who.subject, token, backend);
  if (*who.family == verify::Family::Subgroups && token.strategy == "claim")
    return replay_claim(token, backend);
  if (token.strategy != "program") return std::unexpected(unknown_part(token, "strategy"));
  return replay_program(*who.family, token, backend);
}

Result<void> require_passed(const Replay& replay, std::string_view token, std::string_view backend) {
  if (!replay.fails) return {};
  return std::unexpected(make_diag(DiagCode::C005, Span::none(),
                                   fmt::format("{} still fails on {}", token, backend),
                                   "compare `expected` with `actual` above; `vyre explain C005` says more"));
}

}  // namespace vyre::suite
