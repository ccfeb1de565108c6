#include "verify/program_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "ops/operation.h"
#include "verify/leaves.h"
#include "verify/parity.h"
#include "verify/token.h"

namespace vyre::verify {
namespace {

constexpr size_t kRememberedCases = 64;  // cases remembered

/// One family under way.
class ProgramJudge {
 public:
  ProgramJudge(backend::Backend& backend, ProgramSource& source, const ProgramPlan& plan, uint64_t seed,
               const Monitor& monitor, Verdict& verdict)
      : backend_(backend),
        source_(source),
        plan_(plan),
        seed_(seed),
        monitor_(monitor),
        verdict_(verdict),
        bench_(backend, source),
        culprit_search_(backend, monitor),
        leaves_(verdict, source.oracle(), plan.leaf) {}

  Result<void> run() {
    const std::span<const uint64_t> numbers = plan_.numbers;
    parity_.planned = numbers.size();
    for (const uint64_t number : numbers) verdict_.determinism.planned += source_.runs(number) - 1;
    Result<void> done;
    for (size_t begin = 0; begin < numbers.size() && done && !monitor_.stopped(); begin += plan_.together) {
      done = run_batch(numbers.subspan(begin, std::min(plan_.together, numbers.size() - begin)));
      if (done && plan_.one_program) ++verdict_.shapes;
    }
    if (done) done = drain();
    account();
    return done;
  }

 private:
  bool is_attributed(const Diag& diag) { return trials().is_attributed(diag); }
  Trials trials() { return {backend_, monitor_, culprit_search_, bench_, verdict_.failures.size()}; }

  Result<void> run_batch(std::span<const uint64_t> numbers) {
    std::vector<FamilyProgram> cases;
    std::vector<check::Checked> checked;
    for (const uint64_t number : numbers) {
      cases.push_back(source_.make(number));
      if (plan_.one_program && !checked.empty()) continue;
      auto one = check::check(*cases.back().program, ops::op_table());
      if (!one) return std::unexpected(one.error().front());
      hasher_.update(cases.back().digested);
      checked.push_back(std::move(*one));
    }
    std::vector<const check::Checked*> pointers;
    for (const check::Checked& c : checked) pointers.push_back(&c);
    auto pipelines = backend_.compile_batch(pointers);
    // What ended the process while it compiled one of them took the others along.
    const bool ended =
        std::ranges::any_of(pipelines, [&](const auto& p) { return !p && is_attributed(p.error()); });
    for (size_t k = 0; ended && k < pipelines.size(); ++k) pipelines[k] = backend_.compile(checked[k]);
    for (size_t k = 0; k < cases.size(); ++k) {
      if (monitor_.stopped()) return {};
      const Tally before = parity_;
      answer_ = source_.unanswered();
      const size_t own = plan_.one_program ? 0 : k;
      auto& pipeline = pipelines[own];
      if (pipeline) {
        VYRE_CHECK(run_case(**pipeline, checked[own], cases[k], numbers[k]));
      } else {
        if (!is_attributed(pipeline.error())) return std::unexpected(pipeline.error());
        ++parity_.failed;
        VYRE_CHECK(examine(Check::Parity, numbers[k], Seen{pipeline.error(), 0, {}}));
      }
      if (parity_.failed != before.failed)
        list_failing(verdict_, fmt::format("{}:program", verdict_.subject), numbers[k], 1);
      leaves_.add("program", {1, parity_.completed - before.completed, parity_.failed - before.failed},
                  answer_);
      monitor_.done(1);
      // Some take much memory.
      cases[k] = {};
      if (!plan_.one_program) pipeline = std::unique_ptr<backend::Pipeline>();
    }
    return {};
  }

  Result<void> run_case(backend::Pipeline& pipeline, const check::Checked& checked,
                        const FamilyProgram& program, uint64_t number) {
    for (size_t repeat = 0; repeat < source_.runs(number); ++repeat) {
      const Check check = repeat == 0 ? Check::Parity : Check::Determinism;
      Tally& tally = repeat == 0 ? parity_ : verdict_.determinism;
      auto run = program.run(backend_, pipeline, checked);
      if (!run) {
        if (!is_attributed(run.error())) return std::unexpected(run.error());
        ++tally.failed;
        return examine(check, number, Seen{run.error(), 0, {}});
      }
      verdict_.dispatches += run->dispatches;
      verdict_.canaries += run->canaries;
      verdict_.canaries_broken += run->broken;
      ++tally.completed;
      if (repeat == 0) {
        answer_ = std::move(run->answer);
        add(verdict_.deviations, run->deviations);
      }
      tally.failed += run->wrong.has_value();
      if (run->wrong || (run->broken != 0 && backend_.isolated())) {
        Seen seen{std::nullopt, run->broken, {}};
        if (run->wrong) seen.wrong.push_back(std::move(*run->wrong));
        return examine(check, number, seen);
      }
    }
    history_.push_back({0, {{0, number}}});
    if (history_.size() > kRememberedCases) history_.pop_front();
    return {};
  }

  /// What comes of earlier cases after they were answered.
  Result<void> drain() {
    const auto drained = backend_.drain();
    if (drained || history_.empty() || monitor_.stopped()) return {};
    if (!is_attributed(drained.error())) return std::unexpected(drained.error());
    ++parity_.failed;
    const uint64_t last = history_.back().cases[0].number;
    history_.pop_back();
    return examine(Check::Parity, last, Seen{drained.error(), 0, {}});
  }

  void account() {
    Tally& tally = oracle_cases(verdict_, source_.oracle()).tally;
    add(tally, parity_);
    tally.planned += plan_.left_out;
    tally.unsupported += plan_.left_out;
    leaves_.end();
    constexpr uint64_t kMost = kLeafCases;
    for (uint64_t left = plan_.left_out; left != 0; left -= std::min(left, kMost)) {
      const uint64_t cases = std::min(left, kMost);
      leaves_.add("unsupported", {.planned = cases, .unsupported = cases});
    }
    if (!verdict_.pipeline.empty()) hasher_.update(verdict_.pipeline);
    verdict_.pipeline = hasher_.finish().hex().substr(0, kDigestDigits);
  }

  /// Finds out which case is the culprit for what a case showed, and reports it.
  Result<void> examine(Check check, uint64_t number, const Seen& seen) {
    if (monitor_.stopped()) return {};
    if (!source_.examines(number, verdict_)) {
      ++verdict_.failure_count;
      return {};
    }
    const std::vector<Batch> before(history_.begin(), history_.end());
    VYRE_TRY(finding, culprit_search_.find(bench_, before, {0, {{0, number}}}, seen));
    history_.clear();
    return report(check, finding);
  }

  Token token_of(uint64_t number) const { return {verdict_.subject, "program", seed_, number, {}}; }

  Result<void> report(Check check, const Finding& finding) {
    const uint64_t culprit = finding.culprit.number;
    Failure failure;
    failure.check = check;
    failure.fault = finding.fault;
    failure.oracle = check == Check::Parity ? std::string(source_.judged_by()) : "the first run";
    Token token = token_of(culprit);
    if (finding.fault == Fault::OrderDependent) {
      for (const Batch& batch : finding.scenario) {
        auto& dispatch = token.scenario.emplace_back();
        for (const CaseId id : batch.cases) {
          dispatch.push_back({token.strategy, id.number});
          if (id != finding.culprit && failure.history.size() < kKeptHistory)
            failure.history.push_back(print(token_of(id.number)));
        }
      }
    }
    VYRE_TRY(smallest, source_.smallest(finding, trials()));
    if (!finding.note.empty()) failure.note = finding.note + "\n";
    failure.note += smallest.note;
    if (smallest.number != culprit)
      failure.note += fmt::format("found as {}: {}\n", print(token), source_.describe(culprit));
    token.index = smallest.number;
    failure.token = print_short(std::move(token));
    failure.minimality = smallest.minimality;
    const Seen& seen = smallest.seen;
    Wrong wrong = seen.wrong.empty() ? Wrong{} : seen.wrong.front();
    if (finding.victim) failure.note += source_.spoiled(print(token_of(finding.victim->number)), wrong);
    if (seen.error && finding.fault != Fault::Flaky) failure.note += seen.error->message + "\n";
    if (seen.broken != 0) failure.note += fmt::format("{} {}\n", seen.broken, source_.guards());
    failure.expected = wrong.expected;
    failure.actual = wrong.actual;
    failure.note += source_.headline(smallest.number, wrong.place) + "\n" + smallest.text;
    ++verdict_.failure_count;
    keep(verdict_, std::move(failure));
    return {};
  }

  backend::Backend& backend_;
  ProgramSource& source_;
  const ProgramPlan& plan_;
  const uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  ProgramBench bench_;
  CulpritSearch culprit_search_;
  std::deque<Batch> history_;  // cases since the backend was restarted, the last ones
  Tally parity_;
  Bytes answer_;  // of one case
  LeafWriter leaves_;
  Hasher hasher_;
};

}  // namespace

bool Trials::is_attributed(const Diag& diag) const { return backend.isolated() && is_of_a_case(diag); }

Seen ProgramBench::run(const Batch& batch) {
  Seen seen;
  for (size_t k = 0; k < batch.cases.size() && !seen.error; ++k) {
    if (!source_.has(batch.cases[k].number)) continue;
    auto run = run_one(batch.cases[k].number);
    if (!run) {
      seen.error = run.error();
      break;
    }
    seen.broken += run->broken;
    if (!run->wrong) continue;
    run->wrong->position = k;
    seen.wrong.push_back(std::move(*run->wrong));
  }
  return seen;
}

Result<CaseRun> ProgramBench::run_one(uint64_t number) {
  const FamilyProgram program = source_.make_alone(number);
  const auto checked = check::check(*program.program, ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  VYRE_TRY(pipeline, backend_.compile(*checked));
  VYRE_TRY(run, program.run(backend_, *pipeline, *checked));
  VYRE_CHECK(backend_.drain());
  return run;
}

Result<void> judge_programs(backend::Backend& backend, ProgramSource& source, const ProgramPlan& plan,
                            uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  return ProgramJudge(backend, source, plan, seed, monitor, verdict).run();
}

}  // namespace vyre::verify
