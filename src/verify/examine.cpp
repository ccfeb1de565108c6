#include "verify/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "generate/shrink.h"
#include "spec/limits.h"
#include "verify/columns.h"
#include "verify/deviation.h"

namespace vyre::verify {
namespace {

using generate::Strategy;

constexpr size_t kHistory = 32;  // dispatches remembered
constexpr uint32_t kWhole = uint32_t(generate::kStrategies.size());

std::span<const uint32_t> value_at(std::span<const uint32_t> words, size_t i, size_t each) {
  return words.subspan(i * each, each);
}
std::vector<uint32_t> to_vector(std::span<const uint32_t> words) { return {words.begin(), words.end()}; }

/// Whether a value was written, every word of it.
bool is_written(std::span<const uint32_t> value, uint32_t poison) {
  return std::ranges::find(value, poison) == value.end();
}

/// Whether the backend goes on as if nothing had been.
bool is_of_value(Fault fault) { return fault == Fault::WrongValue || fault == Fault::NotWritten; }

std::string hex(std::span<const uint32_t> values) {
  std::string out;
  for (const uint32_t v : values) out += fmt::format("{}{:#010x}", out.empty() ? "" : ", ", v);
  return out;
}

Diag not_examined(Diag diag) {
  diag.message += fmt::format("; {} failures of this subject were examined one by one, the others were not",
                              kKeptFailures);
  return diag;
}

}  // namespace

// --- The bench

SubjectBench::SubjectBench(backend::Backend& backend, const Subject& subject,
                           std::span<Elementwise* const> pipelines, uint64_t seed)
    : backend_(backend), subject_(subject), pipelines_(pipelines), seed_(seed) {
  for (const generate::StrategyInfo& s : generate::kStrategies) {
    if (s.strategy == Strategy::Rows) {
      cases_.emplace_back();
    } else {
      cases_.emplace_back(subject.cases(s.strategy, seed));
    }
  }
}

std::optional<uint32_t> SubjectBench::source_of(std::string_view strategy) {
  if (strategy == "whole") return kWhole;
  const auto found = generate::find_strategy(strategy);
  if (!found) return std::nullopt;
  return uint32_t(*found);
}

std::vector<uint32_t> SubjectBench::operands(CaseId id) const {
  if (id.source == kWhole) {
    std::vector<uint32_t> out(input_words(subject_.application));
    whole_case(subject_, id.number, out);
    return out;
  }
  if (!cases_[id.source]) return subject_.rows[size_t(id.number)].operands;
  std::vector<uint32_t> out(input_words(subject_.application));
  std::vector<uint32_t*> columns;
  for (uint32_t& word : out) columns.push_back(&word);
  cases_[id.source]->fill(id.number, 1, columns);
  return out;
}

std::vector<uint32_t> SubjectBench::expected(CaseId id, std::span<const uint32_t> operands) const {
  if (id.source != kWhole && !cases_[id.source]) return subject_.rows[size_t(id.number)].expected;
  std::vector<const uint32_t*> columns;
  for (const uint32_t& word : operands) columns.push_back(&word);
  std::vector<uint32_t> out(output_words(subject_.application));
  subject_.expected(columns, out);
  return out;
}

Token SubjectBench::token(CaseId id) const {
  const std::string_view strategy =
      id.source == kWhole ? std::string_view("whole") : generate::kStrategies[id.source].text;
  return {subject_.name, std::string(strategy), seed_, id.number, {}};
}

void SubjectBench::fill(std::span<const CaseId> cases, Columns& columns) const {
  for (size_t i = 0; i < cases.size();) {
    const CaseId first = cases[i];
    if (first.source == kWhole || !cases_[first.source]) {
      columns.set(i++, operands(first));
      continue;
    }
    // Cases with consecutive numbers are made together, which is much cheaper.
    size_t n = 1;
    while (i + n < cases.size() && cases[i + n] == CaseId{first.source, first.number + n}) ++n;
    std::vector<uint32_t*> at;
    for (uint32_t* const column : columns.writable()) at.push_back(column + i);
    cases_[first.source]->fill(first.number, n, at);
    i += n;
  }
}

Seen SubjectBench::run(const Batch& batch) {
  const size_t n = batch.cases.size(), each = output_words(subject_.application);
  Columns columns(input_words(subject_.application), n);
  fill(batch.cases, columns);
  std::vector<uint32_t> wanted(n * each), answers(n * each);
  subject_.expected(columns.readable(), wanted);
  for (size_t i = 0; i < n; ++i) {
    const CaseId id = batch.cases[i];
    if (id.source == kWhole || cases_[id.source]) continue;
    std::ranges::copy(subject_.rows[size_t(id.number)].expected, wanted.begin() + ptrdiff_t(i * each));
  }
  const uint32_t poison = poison_of(subject_, wanted, seed_, n);
  Seen seen;
  auto done = apply_in_parts(*pipelines_[batch.pipeline], columns.readable(), answers, poison, seen.broken);
  if (done) done = backend_.drain();
  if (!done) {
    seen.error = std::move(done).error();
    return seen;
  }
  settle_approximate(subject_, columns.readable(), wanted, answers, poison);
  for (size_t i = 0; i < n; ++i) {
    const auto want = value_at(wanted, i, each), have = value_at(answers, i, each);
    if (std::ranges::equal(want, have)) continue;
    seen.wrong.push_back({i, is_written(have, poison), to_vector(want), to_vector(have), {}});
  }
  return seen;
}

Result<void> apply_in_parts(Elementwise& pipeline, std::span<const uint32_t* const> columns,
                            std::span<uint32_t> out, uint32_t poison, uint64_t& broken) {
  const auto done = pipeline.apply(columns, out, poison);
  if (done) broken += pipeline.broken_last();
  const size_t each = pipeline.result_words(), n = out.size() / each;
  if (done || done.error().code != DiagCode::B003 || n == 1) return done;
  const size_t half = n / 2;
  std::vector<const uint32_t*> rest(columns.begin(), columns.end());
  for (const uint32_t*& column : rest) column += half;
  VYRE_CHECK(apply_in_parts(pipeline, columns, out.first(half * each), poison, broken));
  return apply_in_parts(pipeline, rest, out.subspan(half * each), poison, broken);
}

// --- Pipelines

void Pipelines::account(Verdict& verdict) const {
  for (const auto& pipeline : owned) pipeline->account(verdict);
}

std::vector<uint32_t> workgroups_of(const backend::Backend& backend) {
  const uint32_t largest =
      std::min(backend.limits().max_invocations_per_group, spec::kMaxInvocationsPerGroup);
  std::vector<uint32_t> out;
  for (const uint32_t size : {kWorkgroup, 64u, largest}) {
    if (size <= largest && std::ranges::find(out, size) == out.end()) out.push_back(size);
  }
  return out;
}

Result<Pipelines> make_pipelines(backend::Backend& backend, const Subject& subject,
                                 std::span<const uint32_t> workgroups, uint64_t seed, Verdict& verdict,
                                 const spec::OpTable& table) {
  Pipelines out;
  for (const uint32_t workgroup : workgroups) {
    auto made = Elementwise::make(backend, subject.application, table, workgroup);
    if (!made) {
      if (!backend.isolated() || !is_of_a_case(made.error())) return std::unexpected(made.error());
      const bool claimed = made.error().code == DiagCode::B003;
      Failure failure;
      failure.fault = claimed ? Fault::FalseClaim : fault_of(made.error());
      failure.oracle = text(subject.oracle);
      failure.note = fmt::format("compiling it for workgroups of {} invocations{}: {}", workgroup,
                                 claimed ? ", which the limits allow" : "", made.error().message);
      failure.token = print(Token{subject.name, "random", seed, 0, {}});
      add_failure(verdict, std::move(failure));
      return std::unexpected(made.error());
    }
    out.all.push_back(made->get());
    out.owned.push_back(std::move(*made));
  }
  out.all.push_back(out.owned.emplace_back(out.owned.front()->without_canaries()).get());
  return out;
}

// --- The examiner

Examiner::Examiner(backend::Backend& backend, const Subject& subject, std::span<Elementwise* const> pipelines,
                   uint64_t seed, const Monitor& monitor, Verdict& verdict)
    : backend_(backend),
      subject_(subject),
      pipelines_(pipelines),
      seed_(seed),
      monitor_(monitor),
      verdict_(verdict),
      bench_(backend, subject, pipelines, seed),
      culprit_search_(backend, monitor) {}

Batch Examiner::batch_of(const Slice& slice, const Kept& kept) const {
  const size_t n = kept ? kept->size() : slice.count;
  Batch batch{slice.pipeline, {}};
  batch.cases.reserve(n);
  for (size_t i = 0; i < n; ++i) batch.cases.push_back(id_of(slice, kept ? (*kept)[i] : i));
  return batch;
}

/// Runs what is kept of a slice. The positions of wrong answers are those of the batch.
Result<Seen> Examiner::run(const Slice& slice, const Columns& columns, const Kept& kept,
                           std::span<const uint32_t> wanted, std::span<uint32_t> answers, uint32_t poison) {
  const size_t each = output_words(subject_.application);
  const size_t n = kept ? kept->size() : slice.count;
  Elementwise& pipeline = *pipelines_[slice.pipeline];
  Seen seen;
  std::vector<uint32_t> some;
  Result<void> done;
  if (!kept) {
    done = apply_in_parts(pipeline, columns.readable(), answers, poison, seen.broken);
  } else {
    Columns fewer(columns.readable().size(), n);
    for (size_t k = 0; k < fewer.writable().size(); ++k) {
      for (size_t i = 0; i < n; ++i) fewer.writable()[k][i] = columns.readable()[k][(*kept)[i]];
    }
    some.resize(n * each);
    done = apply_in_parts(pipeline, fewer.readable(), some, poison, seen.broken);
    std::ranges::fill(answers, poison);
    for (size_t i = 0; i < n; ++i) {
      std::copy_n(some.begin() + ptrdiff_t(i * each), each, answers.begin() + ptrdiff_t((*kept)[i] * each));
    }
  }
  if (!done) {
    if (!backend_.isolated() || !is_of_a_case(done.error())) return std::unexpected(done.error());
    seen.error = done.error();
    return seen;
  }
  // Repeated evaluations are to give the very same; parity is as far as the bound goes.
  if (!repeated_) {
    deviations_ = {};
    settle_approximate(subject_, columns.readable(), wanted, answers, poison, kept ? nullptr : &deviations_);
  }
  if (wanted.empty() || (!kept && std::ranges::equal(wanted, answers))) return seen;
  for (size_t i = 0; i < n; ++i) {
    const size_t at = kept ? (*kept)[i] : i;
    const auto want = value_at(wanted, at, each), have = value_at(answers, at, each);
    if (std::ranges::equal(want, have)) continue;
    seen.wrong.push_back({i, is_written(have, poison), to_vector(want), to_vector(have), {}});
  }
  return seen;
}

Result<Tally> Examiner::judge(const Slice& slice, const Columns& columns, std::span<const uint32_t> wanted,
                              std::span<uint32_t> answers, uint32_t poison, Check check) {
  const size_t each = output_words(subject_.application);
  repeated_ = check == Check::Determinism;
  Tally tally;
  Kept kept;
  const auto take_out = [&](auto&& is_out) {
    if (!kept) {
      kept.emplace(slice.count);
      std::iota(kept->begin(), kept->end(), 0u);
    }
    const size_t out = std::erase_if(*kept, is_out);
    tally.failed += out;
    return out;
  };
  if (!culprits_.empty()) {
    verdict_.failure_count += take_out([&](uint32_t i) { return culprits_.contains(columns.tuple(i)); });
    if (kept->empty()) std::ranges::fill(answers, poison);  // nothing else writes there
  }
  while (!kept || !kept->empty()) {
    VYRE_TRY(seen, run(slice, columns, kept, wanted, answers, poison));
    if (!seen.bad()) {
      history_.push_back({slice, kept});
      if (history_.size() > kHistory) history_.pop_front();
      break;
    }
    if (monitor_.stopped()) return tally;
    if (verdict_.failures.size() >= kKeptFailures || examined_ >= kKeptFailures) {
      if (seen.error) return std::unexpected(not_examined(*seen.error));
      tally.failed += seen.wrong.size();
      verdict_.failure_count += seen.wrong.size();
      break;
    }
    if (!seen.error && seen.broken == 0) {
      VYRE_TRY(alone, report_alone(slice, kept, seen, check));
      // Right alone, the search below needs what ran before.
      if (!alone.empty()) history_.clear();
      if (alone.size() == seen.wrong.size() || verdict_.failures.size() >= kKeptFailures) {
        // All are culprits, or too many for telling.
        tally.failed += seen.wrong.size();
        verdict_.failure_count += seen.wrong.size() - alone.size();
        break;
      }
      if (!alone.empty()) {
        const size_t out = take_out([&](uint32_t i) { return std::ranges::binary_search(alone, i); });
        if (std::ranges::all_of(seen.wrong, &Wrong::written)) tally.completed += out;
        continue;
      }
    }
    ++examined_;
    std::vector<Batch> before;
    if (backend_.isolated()) {
      for (const Done& d : history_) before.push_back(batch_of(d.slice, d.kept));
    }
    VYRE_TRY(finding, culprit_search_.find(bench_, before, batch_of(slice, kept), seen));
    history_.clear();
    VYRE_CHECK(report(finding, check, seen));
    if (finding.of_number) examined_ = kKeptFailures;  // the next dispatch will do it again
    // Chance struck the first of these; nothing speaks against the others when they are run again.
    if (finding.fault == Fault::Flaky && !seen.error && !seen.wrong.empty()) {
      tally.completed += seen.wrong.front().written;
    }
    if (finding.fault == Fault::Flaky && seen.error) {
      ++tally.failed;  // some case; which one cannot be said
      ++tally.completed;
      continue;
    }
    const std::vector<uint32_t> operands = bench_.operands(finding.culprit);
    size_t out = take_out([&](uint32_t i) { return id_of(slice, i) == finding.culprit; });
    const bool by_value = is_of_value(finding.fault);
    if (by_value && std::ranges::all_of(finding.seen.wrong, &Wrong::written)) tally.completed += out;
    // Whatever does more than answer wrongly is not given to the backend again, nor is what chance struck
    // compared with its first answer again: that may have been the wrong one.
    if (finding.fault == Fault::Flaky ? check == Check::Determinism : !by_value) {
      culprits_.insert(operands);
      const size_t same = take_out([&](uint32_t i) { return columns.tuple(i) == operands; });
      verdict_.failure_count += same;
      out += same;
    }
    if (out == 0) ++tally.failed;  // it stands in a slice before this one, where it was taken for right
  }
  const size_t left = kept ? kept->size() : slice.count;
  if (!kept && each == 1) {
    // The usual slice. A loop that only counts is vectors.
    size_t unwritten = 0;
    if (!wanted.empty()) {
      for (size_t i = 0; i < left; ++i) unwritten += answers[i] == poison && wanted[i] != poison;
    }
    tally.completed += left - unwritten;
    return tally;
  }
  for (size_t i = 0; i < left; ++i) {
    // Where any answer is right, so may be the poison; and what is wanted may be it.
    const size_t at = kept ? (*kept)[i] : i;
    const auto have = value_at(answers, at, each);
    tally.completed +=
        wanted.empty() || is_written(have, poison) || std::ranges::equal(value_at(wanted, at, each), have);
  }
  return tally;
}

Result<uint64_t> Examiner::drain(Check check) {
  if (!backend_.isolated() || history_.empty()) return 0;
  const auto drained = backend_.drain();
  if (drained) return 0;
  if (!is_of_a_case(drained.error())) return std::unexpected(drained.error());
  if (monitor_.stopped() || verdict_.failures.size() >= kKeptFailures) {
    ++verdict_.failure_count;
    return 1;
  }
  std::vector<Batch> before;
  for (const Done& d : history_) before.push_back(batch_of(d.slice, d.kept));
  const Batch last = std::move(before.back());
  before.pop_back();
  const Seen seen{drained.error(), 0, {}};
  VYRE_TRY(finding, culprit_search_.find(bench_, before, last, seen));
  history_.clear();
  culprits_.insert(bench_.operands(finding.culprit));
  VYRE_CHECK(report(finding, check, seen));
  return 1;
}

/// Reports the cases whose answers are wrong when they are alone, too, as long as there is room. Return:
/// their positions in the slice, in ascending order.
Result<std::vector<uint32_t>> Examiner::report_alone(const Slice& slice, const Kept& kept, const Seen& seen,
                                                     Check check) {
  std::vector<uint32_t> out;
  for (const Wrong& wrong : seen.wrong) {
    if (verdict_.failures.size() >= kKeptFailures) break;
    const uint32_t at = kept ? (*kept)[wrong.position] : uint32_t(wrong.position);
    Finding finding;
    finding.culprit = id_of(slice, at);
    finding.scenario = {{slice.pipeline, {finding.culprit}}};
    VYRE_TRY(trial, culprit_search_.confirm(bench_, finding.scenario));
    // The first that is right by itself says that company matters, and then one search says it of all.
    if (!trial) break;
    finding.seen = std::move(trial->seen);
    finding.fault = fault_of(finding.seen);
    VYRE_CHECK(report(finding, check, seen));
    out.push_back(at);
  }
  return out;
}

Result<void> Examiner::report(const Finding& finding, Check check, const Seen& seen) {
  Failure failure;
  failure.check = check;
  failure.fault = finding.fault;
  failure.oracle = check == Check::Determinism ? "the first answer to the same input" : text(subject_.oracle);
  failure.input = bench_.operands(finding.culprit);
  failure.note = finding.note;
  const auto note = [&](std::string text) {
    failure.note += (failure.note.empty() ? "" : "\n") + std::move(text);
  };
  if (const Token token = bench_.token(finding.culprit); token.strategy == "rows") {
    const TableRow& row = subject_.rows[size_t(token.index)];
    failure.oracle = fmt::format("specification table, {}", row.source);
    note(row.rationale);
  }
  const Seen& shown = finding.fault == Fault::Flaky ? seen : finding.seen;
  if (shown.error && finding.fault != Fault::Flaky) note(shown.error->message);
  if (!shown.wrong.empty()) {
    const Wrong& wrong = shown.wrong.front();
    if (!wrong.written) note("this element was never written");
    if (subject_.bound != 0 && wrong.written) {
      note(fmt::format(
          "approximate: at most {} ULP from the expected value is right, and that value alone where an "
          "operand is a zero, an infinity or NaN",
          subject_.bound));
    }
    if (!finding.victim) {
      // The first answer may be the wrong one of the two.
      failure.expected = bench_.expected(finding.culprit, failure.input);
      failure.actual = wrong.actual == failure.expected ? wrong.expected : wrong.actual;
    } else {
      note(
          fmt::format("it spoils whatever stands beside or after it, as {}: input {}, expected {}, actual {}",
                      print(bench_.token(*finding.victim)), hex(bench_.operands(*finding.victim)),
                      hex(wrong.expected), hex(wrong.actual)));
    }
  } else if (shown.broken != 0) {
    note(fmt::format("{} guard words were overwritten", shown.broken));
  }
  Token token = bench_.token(finding.culprit);
  if (finding.fault == Fault::OrderDependent) {
    for (const Batch& batch : finding.scenario) {
      auto& dispatch = token.scenario.emplace_back();
      for (const CaseId id : batch.cases) {
        const Token other = bench_.token(id);
        dispatch.push_back({other.strategy, other.index});
        if (id != finding.culprit && failure.history.size() < kKeptHistory)
          failure.history.push_back(print(other));
      }
    }
  }
  failure.token = print_short(std::move(token));
  if (is_of_value(finding.fault)) {
    const uint32_t pipeline = finding.scenario.back().pipeline;
    VYRE_TRY(claim, is_false_claim(finding));
    if (claim) {
      failure.fault = Fault::FalseClaim;
      note(fmt::format("only in workgroups of {} invocations, which the limits allow",
                       pipelines_[pipeline]->workgroup()));
    }
    VYRE_TRY(smaller, shrunk(std::move(failure), pipeline));
    failure = std::move(smaller);
  }
  add_failure(verdict_, std::move(failure));
  return {};
}

/// Whether the case is right in small workgroups and wrong in the largest that the backend claims to have.
Result<bool> Examiner::is_false_claim(const Finding& finding) {
  const uint32_t pipeline = finding.scenario.back().pipeline;
  if (pipeline == 0 || pipelines_[pipeline]->workgroup() != backend_.limits().max_invocations_per_group)
    return false;
  VYRE_TRY(trial, culprit_search_.attempt(bench_, {{0, {finding.culprit}}}));
  return !trial.has_value();
}

// A failing input made smaller: by a descent through inputs that also fail alone.
Result<Failure> Examiner::shrunk(Failure failure, uint32_t pipeline) {
  std::optional<Diag> refused;
  const auto alone = [&](std::span<const uint32_t> candidate) -> std::optional<Wrong> {
    std::vector<const uint32_t*> columns;
    for (const uint32_t& word : candidate) columns.push_back(&word);
    Wrong out;
    out.expected.resize(output_words(subject_.application));
    out.actual.resize(out.expected.size());
    subject_.expected(columns, out.expected);
    const uint32_t poison = poison_of(subject_, out.expected, seed_, 0);
    const auto done = pipelines_[pipeline]->apply(columns, out.actual, poison);
    if (!done) refused = done.error();
    settle_approximate(subject_, columns, out.expected, out.actual, poison);
    if (!done || out.expected == out.actual) return std::nullopt;
    return out;
  };
  if (failure.oracle.starts_with("specification")) return failure;  // a row is as small as a person made it
  std::vector<uint32_t> input =
      generate::shrink(failure.input, [&](std::span<const uint32_t> c) { return alone(c).has_value(); });
  VYRE_CHECK(culprit_search_.restart());
  if (refused && !is_of_a_case(*refused)) return std::unexpected(*refused);
  const auto again = alone(input);
  if (!again) {
    VYRE_CHECK(culprit_search_.restart());
    return failure;
  }
  failure.input = std::move(input);
  failure.expected = again->expected;
  failure.actual = again->actual;
  failure.minimality = Minimality::Shrunk;
  return failure;
}

}  // namespace vyre::verify
