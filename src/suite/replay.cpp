#include "suite/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "algebra/engine.h"
#include "generate/shrink.h"
#include "text/text.h"
#include "verify/algebraic.h"
#include "verify/families.h"
#include "verify/parity.h"
#include "verify/program_parity.h"
#include "verify/token.h"

namespace vyre::suite {
namespace {

using verify::Token;

// "0x0000001f (31)"; words that are negative as i32 say so too.
std::string word(uint32_t bits) {
  if (bits >> 31 == 0) return fmt::format("0x{:08x} ({})", bits, bits);
  return fmt::format("0x{:08x} ({}, as i32 {})", bits, bits, int32_t(bits));
}

std::string words(std::span<const uint32_t> values) {
  std::string out;
  for (const uint32_t v : values) out += (out.empty() ? "" : ", ") + word(v);
  return out;
}

Diag unknown(const Token& token, std::string_view what) {
  return make_diag(DiagCode::C003, Span::none(),
                   fmt::format("the token's {} \"{}\" is not known here", what,
                               what == "subject" ? token.subject : token.strategy),
                   "tokens are valid in builds that have the same operations and families");
}

const ops::Operation* find_subject(std::string_view subject) {
  for (const ops::Operation& op : ops::all_operations()) {
    if (verify::subject_of(op.id, op.version) == subject) return &op;
  }
  return nullptr;
}

std::optional<verify::Family> find_family(std::string_view name) {
  for (const verify::FamilyInfo& f : verify::kFamilies) {
    if (f.text == name) return f.family;
  }
  return std::nullopt;
}

// Alone first; a fault that needs its neighbours, or luck, is looked for in the case's own slice, many times.
Result<Replay> replay_elementwise(const verify::Subject& subject, const Token& token,
                                  backend::Backend& backend) {
  constexpr int kTries = 64;
  VYRE_TRY(pipeline, verify::Elementwise::make(backend, subject.application));
  const size_t arity = verify::input_words(subject.application);
  const size_t each = verify::output_words(subject.application);
  const spec::DataType type = subject.application.output;
  const bool row = token.strategy == "rows";
  const auto strategy = generate::find_strategy(token.strategy);
  if (!row && !strategy && token.strategy != "whole") return std::unexpected(unknown(token, "strategy"));
  const uint64_t size = row         ? subject.rows.size()
                        : !strategy ? uint64_t{1} << 32
                                    : subject.cases(*strategy, token.seed).size();
  if (token.index >= size || (token.strategy == "whole" && arity != 1)) {
    return std::unexpected(
        make_diag(DiagCode::C003, Span::none(),
                  fmt::format("{} has {} cases of the strategy \"{}\", so none with number {}", subject.name,
                              size, token.strategy, token.index),
                  "copy the whole token from the report"));
  }
  const verify::CaseSource source(subject, {token.strategy, size, 1}, token.seed);
  const size_t slice = verify::slice_of(subject);
  const uint64_t begin = row ? 0 : token.index / slice * slice;
  const size_t n = row ? size_t(size) : size_t(std::min<uint64_t>(slice, size - begin));
  std::vector<std::vector<uint32_t>> columns(arity, std::vector<uint32_t>(n));
  std::vector<uint32_t*> writable;
  std::vector<const uint32_t*> readable;
  for (auto& c : columns) {
    writable.push_back(c.data());
    readable.push_back(c.data());
  }
  std::vector<uint32_t> expected(n * each), actual(n * each);
  if (row) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < arity; ++k) columns[k][i] = subject.rows[i].operands[k];
      std::ranges::copy(subject.rows[i].expected, expected.begin() + ptrdiff_t(i * each));
    }
  } else {
    source.fill(begin, n, writable);
    subject.expected(readable, expected);
  }

  const auto value = [each](const std::vector<uint32_t>& all, size_t i) {
    return std::span(all).subspan(i * each, each);
  };
  const size_t at = size_t(token.index - begin);
  const std::span<const uint32_t> wanted = value(expected, at);
  Replay out;
  std::vector<const uint32_t*> single;
  std::vector<uint32_t> operands;
  for (const auto& c : columns) {
    single.push_back(c.data() + at);
    operands.push_back(c[at]);
  }
  out.report =
      fmt::format("{}\n  input     {}\n  expected  {}", subject.name, words(operands), words(wanted));
  if (row) {
    out.report += fmt::format("   \"{}\" ({})", subject.rows[at].rationale, subject.rows[at].source);
  }
  std::vector<uint32_t> alone(each);
  VYRE_CHECK(pipeline->apply(single, alone, verify::poison_for(type, wanted, token.seed, 0)));
  out.report += fmt::format("\n  actual    {}\n", words(alone));
  out.fails = !std::ranges::equal(alone, wanted);
  if (out.fails) {
    if (row) return out;
    const auto fails = [&](std::span<const uint32_t> candidate) {
      std::vector<const uint32_t*> in;
      for (const uint32_t& v : candidate) in.push_back(&v);
      std::vector<uint32_t> want(each), have(each);
      subject.expected(in, want);
      return pipeline->apply(in, have, verify::poison_for(type, want, token.seed, 1)).has_value() &&
             want != have;
    };
    const std::vector<uint32_t> shrunk = generate::shrink(operands, fails);
    if (shrunk != operands) out.report += fmt::format("  shrunk    {}\n", words(shrunk));
    return out;
  }
  const uint32_t poison = verify::poison_for(type, expected, token.seed, 0);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    VYRE_CHECK(pipeline->apply(readable, actual, poison));
    const auto differs = std::mismatch(expected.begin(), expected.end(), actual.begin()).first;
    if (differs == expected.end()) continue;
    const size_t i = size_t(differs - expected.begin()) / each;
    operands.clear();
    for (const auto& c : columns) operands.push_back(c[i]);
    out.fails = true;
    out.report += fmt::format(
        "  alone the case passes; among its {} neighbours (run {}), case {} fails:\n"
        "  input     {}\n  expected  {}\n  actual    {}\n",
        n, attempt + 1, begin + i, words(operands), words(value(expected, i)), words(value(actual, i)));
    return out;
  }
  out.report += fmt::format("  passes, alone and {} times among its {} neighbours\n", kTries, n);
  return out;
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
  verify::DeviceEvaluator device(backend, ops::op_table(), token.seed);
  VYRE_TRY(on_spec, algebra::holds_at(*bound, token.values, definition));
  VYRE_TRY(on_device, algebra::holds_at(*bound, token.values, device));
  Replay out;
  // A claimed law has to hold on both; a denied one must fail on both at its witness.
  out.fails = on_spec != claimed || on_device != claimed;
  const auto say = [](bool holds) { return holds ? "holds" : "fails"; };
  out.report = fmt::format(
      "{}: {} ({}), {}\n  input     {}\n  expected  {}\n  actual    {} on the definition, {} on the "
      "backend\n",
      token.subject, spec::to_string(law), spec::info(law.kind).statement, claimed ? "claimed" : "denied",
      words(token.values), say(claimed), say(on_spec), say(on_device));
  return out;
}

Result<Replay> replay_program(verify::Family family, const Token& token, backend::Backend& backend) {
  Replay out;
  if (family == verify::Family::Twins) {
    const verify::Verdict verdict = verify::check_twins(backend, token.seed, {});
    out.fails = verdict.failure_count != 0 || !verdict.error.empty();
    out.report = fmt::format("{}: {} of the planted-false laws were not refuted as they must be\n",
                             token.subject, verdict.failure_count);
    for (const verify::Failure& f : verdict.failures) out.report += fmt::format("  {}\n", f.note);
    if (!verdict.error.empty()) out.report += fmt::format("  {}\n", verdict.error);
    return out;
  }
  if (family != verify::Family::Programs && verify::shapes(family) == 0)
    return std::unexpected(unknown(token, "strategy"));
  constexpr int kTries = 32;
  const generate::ProgramCase c = verify::family_case(family, token.seed, token.index, backend.limits());
  out.report = fmt::format("{}, program {}:\n{}groups {},{},{}\n", token.subject, token.index,
                           text::print(c.program), c.groups.x, c.groups.y, c.groups.z);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    VYRE_TRY(difference, verify::compare_once(backend, c));
    if (!difference) continue;
    out.fails = true;
    out.report +=
        fmt::format("  run {}: {}[{}]\n  expected  {}\n  actual    {}\n", attempt + 1, difference->buffer,
                    difference->index, word(difference->expected), word(difference->actual));
    return out;
  }
  out.report += fmt::format("  passes, {} times\n", kTries);
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
  if (const ops::Operation* operation = find_subject(token.subject)) {
    if (token.strategy == "law") return replay_law(*operation, token, backend);
    return replay_elementwise(verify::subject_of(*operation), token, backend);
  }
  if (const auto family = find_family(token.subject)) {
    if (*family == verify::Family::Subgroups && token.strategy == "claim")
      return replay_claim(token, backend);
    if (token.strategy != "program") return std::unexpected(unknown(token, "strategy"));
    return replay_program(*family, token, backend);
  }
  const auto family = find_family(std::string_view(token.subject).substr(0, token.subject.find('/')));
  if (family) {
    for (const verify::Subject& subject : verify::elementwise_subjects(*family)) {
      if (subject.name == token.subject) return replay_elementwise(subject, token, backend);
    }
  }
  return std::unexpected(unknown(token, "subject"));
}

Result<void> require_passed(const Replay& replay, std::string_view token, std::string_view backend) {
  if (!replay.fails) return {};
  return std::unexpected(make_diag(DiagCode::C005, Span::none(),
                                   fmt::format("{} still fails on {}", token, backend),
                                   "compare `expected` with `actual` above; `vyre explain C005` says more"));
}

}  // namespace vyre::suite
