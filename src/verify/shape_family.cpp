// The verdict on ir.shapes: runs the rows of the plan, finds which case is the culprit for what fails, and
// which levels.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "ops/operation.h"
#include "text/text.h"
#include "verify/examine.h"
#include "verify/leaves.h"
#include "verify/shape_run.h"
#include "verify/token.h"

namespace vyre::verify {
namespace {

constexpr size_t kBatch = 16;    // programs compiled at a time
constexpr size_t kHistory = 64;  // cases remembered
constexpr size_t kExamined = 2;  // failures of a kind: the first ones say most, and each is run many times
constexpr Oracle kOracle = Oracle::CpuReference;  // arithmetic on the host, case by case

class ShapeFamily {
 public:
  ShapeFamily(backend::Backend& backend, const AbsentLevels& absent, uint32_t slice, uint64_t seed,
              const Monitor& monitor, Verdict& verdict)
      : backend_(backend),
        absent_(absent),
        seed_(seed),
        monitor_(monitor),
        verdict_(verdict),
        bench_(backend, seed),
        culprit_search_(backend, monitor),
        leaves_(verdict, kOracle, slice) {}

  Result<void> run(std::span<const Row> rows) {
    parity_.planned = rows.size();
    verdict_.determinism.planned += uint64_t(std::ranges::count_if(rows, is_repeated));
    verdict_.coverage.factors = levels_of(rows);
    Result<void> done;
    for (size_t begin = 0; begin < rows.size() && done && !monitor_.stopped(); begin += kBatch)
      done = run_batch(rows.subspan(begin, std::min(kBatch, rows.size() - begin)));
    if (done) done = drain();
    add(oracle_cases(verdict_, kOracle).tally, parity_);
    leaves_.end();
    verdict_.pipeline = hasher_.finish().hex().substr(0, kDigestDigits);
    return done;
  }

 private:
  bool is_attributed(const Diag& diag) const { return backend_.isolated() && is_of_a_case(diag); }

  Result<void> run_batch(std::span<const Row> rows) {
    std::vector<check::Checked> checked;
    std::vector<ShapeCase> cases;
    cases.reserve(rows.size());
    const backend::Limits limits = backend_.limits();
    for (const Row& row : rows) {
      cases.push_back(shape_case(row, seed_, limits));
      auto one = check::check(cases.back().program, ops::op_table());
      if (!one) return std::unexpected(one.error().front());
      hasher_.update(cases.back().text);
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
      const uint64_t number = number_of(rows[k]);
      const Tally before = parity_;
      answer_ = 0;
      if (pipelines[k]) {
        VYRE_CHECK(run_case(**pipelines[k], cases[k], number));
      } else {
        if (!is_attributed(pipelines[k].error())) return std::unexpected(pipelines[k].error());
        ++parity_.failed;
        VYRE_CHECK(examine(Check::Parity, number, Seen{pipelines[k].error(), 0, {}}));
      }
      if (parity_.failed != before.failed)
        list_failing(verdict_, fmt::format("{}:program", verdict_.subject), number, 1);
      leaves_.add("program", {1, parity_.completed - before.completed, parity_.failed - before.failed},
                  std::as_bytes(std::span(&answer_, 1)));
      monitor_.done(1);
      pipelines[k] = std::unique_ptr<backend::Pipeline>();
      cases[k] = {};
    }
    return {};
  }

  Result<void> run_case(backend::Pipeline& pipeline, const ShapeCase& c, uint64_t number) {
    for (int repeat = 0; repeat < (is_repeated(c.row) ? 2 : 1); ++repeat) {
      const Check check = repeat == 0 ? Check::Parity : Check::Determinism;
      Tally& tally = repeat == 0 ? parity_ : verdict_.determinism;
      auto run = run_shape(backend_, pipeline, stores_, c);
      if (!run) {
        if (!is_attributed(run.error())) return std::unexpected(run.error());
        ++tally.failed;
        return examine(check, number, Seen{run.error(), 0, {}});
      }
      verdict_.dispatches += run->dispatches;
      verdict_.canaries += run->canaries;
      verdict_.canaries_broken += run->broken;
      ++tally.completed;
      if (repeat == 0) answer_ = run->answer;
      tally.failed += run->wrong.has_value();
      if (run->wrong || (run->broken != 0 && backend_.isolated())) {
        Seen seen{std::nullopt, run->broken, {}};
        if (run->wrong) seen.wrong.push_back(std::move(*run->wrong));
        return examine(check, number, seen);
      }
    }
    history_.push_back({0, {{0, number}}});
    if (history_.size() > kHistory) history_.pop_front();
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

  /// Finds out which case is the culprit for what a case showed, and reports it.
  Result<void> examine(Check check, uint64_t number, const Seen& seen) {
    if (monitor_.stopped()) return {};
    size_t& examined = examined_[size_t(kind_of(*row_of(number)))];
    if (examined == kExamined) {
      ++verdict_.failure_count;
      return {};
    }
    ++examined;
    const std::vector<Batch> before(history_.begin(), history_.end());
    VYRE_TRY(finding, culprit_search_.find(bench_, before, {0, {{0, number}}}, seen));
    history_.clear();
    report(check, finding);
    return {};
  }

  Token token_of(uint64_t number) const { return {verdict_.subject, "program", seed_, number, {}}; }

  static bool is_shrunk(Fault fault) {
    return fault == Fault::WrongValue || fault == Fault::NotWritten || fault == Fault::WroteOutside ||
           fault == Fault::Crashed || fault == Fault::Refused || fault == Fault::BrokeContract;
  }

  /// Whether a row fails as well; what it shows then.
  std::optional<Seen> fails(const Row& row) {
    if (monitor_.stopped() || has_any(row, absent_)) return std::nullopt;
    Seen seen = bench_.run(row);
    if (seen.error && (!is_attributed(*seen.error) || !culprit_search_.restart())) return std::nullopt;
    return seen.bad() ? std::optional(std::move(seen)) : std::nullopt;
  }

  /// The smallest case found that fails as well, and the factors that the failure takes.
  struct Smallest {
    Row row;
    Seen seen;
    std::vector<ShapeFactor> culprits;
  };
  using Factors = std::span<const ShapeFactor>;
  std::optional<Smallest> smallest(const Row& found) {
    auto first = fails(found);
    if (!first) return std::nullopt;
    Smallest out{found, std::move(*first), {}};
    // First what the program cannot say by itself, so that it fails alone where it can.
    std::vector<ShapeFactor> present = {ShapeFactor::Again, ShapeFactor::Interface};
    for (const ShapeFactorInfo& info : shape_factors())
      if (info.factor != ShapeFactor::Kind && std::ranges::find(present, info.factor) == present.end())
        present.push_back(info.factor);
    std::erase_if(present, [&](ShapeFactor f) { return level_of(found, f) >= generate::kAbsent; });
    for (size_t k = 0; k < std::min(present.size(), size_t{2}); ++k)
      lower(out, Factors(present).subspan(k, 1));
    lower(out, present);
    std::ranges::sort(present);
    std::ranges::copy_if(present, std::back_inserter(out.culprits),
                         [&](ShapeFactor f) { return level_of(out.row, f) != 0 || is_needed(out.row, f); });
    return out;
  }
  /// Moves every factor to the first of its levels with which the case still fails. Most are not needed at
  /// all, so many are moved at once, and halves where that passes.
  void lower(Smallest& smallest, Factors factors) {
    if (std::ranges::none_of(factors, [&](ShapeFactor f) { return level_of(smallest.row, f) != 0; })) return;
    if (move(smallest, factors, 0)) return;
    if (factors.size() > 1) {
      lower(smallest, factors.first(factors.size() / 2));
      return lower(smallest, factors.subspan(factors.size() / 2));
    }
    for (uint8_t level = 1; level < level_of(smallest.row, factors.front()); ++level)
      if (move(smallest, factors, level)) return;
  }
  bool move(Smallest& smallest, Factors factors, uint8_t level) {
    std::optional<Row> row = smallest.row;
    for (size_t k = 0; k < factors.size() && row; ++k)
      if (level_of(*row, factors[k]) != level) row = changed(*row, factors[k], level);
    if (!row) return false;
    auto seen = fails(*row);
    if (!seen) return false;
    smallest.row = *row;
    smallest.seen = std::move(*seen);
    return true;
  }
  /// Whether the failure takes a factor at its first level: the case passes with it at the second level and
  /// at the last. One at a time, since many away from their first level may be a case that takes minutes.
  bool is_needed(const Row& row, ShapeFactor factor) {
    bool any = false;
    const size_t levels = shape_factors()[size_t(factor)].levels.size();
    for (const size_t level : {size_t{1}, levels - 1}) {
      const auto other = changed(row, factor, uint8_t(level));
      if (!other || level == 0 || has_any(*other, absent_)) continue;
      if (fails(*other)) return false;
      any = true;
    }
    return any;
  }
  void report(Check check, const Finding& finding) {
    Failure failure;
    failure.check = check;
    failure.fault = finding.fault;
    failure.oracle = check == Check::Parity ? "host arithmetic" : "the first run";
    Token token = token_of(finding.culprit.number);
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
    Row row = *row_of(finding.culprit.number);
    Seen seen = finding.seen;
    if (!finding.note.empty()) failure.note = finding.note + "\n";
    if (is_shrunk(finding.fault)) {
      if (auto small = smallest(row)) {
        for (const ShapeFactor culprit : small->culprits) {
          failure.note += fmt::format("factor {} = {}\n", shape_factors()[size_t(culprit)].text,
                                      level_text(culprit, level_of(small->row, culprit)));
        }
        if (number_of(small->row) != finding.culprit.number)
          failure.note += fmt::format("found as {}: {}\n", print(token), describe(row));
        row = small->row;
        seen = std::move(small->seen);
        token = token_of(number_of(row));
        failure.minimality = Minimality::Shrunk;
      }
    }
    failure.token = print_short(std::move(token));
    const Wrong wrong = seen.wrong.empty() ? Wrong{} : seen.wrong.front();
    if (finding.victim)
      failure.note += fmt::format("it spoils {}\n", print(token_of(finding.victim->number)));
    if (seen.error && finding.fault != Fault::Flaky) failure.note += seen.error->message + "\n";
    if (seen.broken != 0)
      failure.note += fmt::format("{} bytes outside of what was bound changed\n", seen.broken);
    failure.expected = wrong.expected;
    failure.actual = wrong.actual;
    failure.note += describe(row) + (wrong.place.empty() ? "" : ": " + wrong.place) + " of";
    const ShapeCase c = shape_case(row, seed_, backend_.limits());
    failure.note += "\n" + shown(c.text);
    const layout::Groups groups = c.dispatches.back().groups;
    failure.note += fmt::format("with groups {},{},{}", groups.x, groups.y, groups.z);
    ++verdict_.failure_count;
    keep(verdict_, std::move(failure));
  }

  /// A program as text, or as much of it as people read.
  static std::string shown(const std::string& text) {
    constexpr size_t kMost = 4000;
    return text.size() <= kMost ? text : text.substr(0, kMost) + " ...\n";
  }

  backend::Backend& backend_;
  const AbsentLevels& absent_;
  uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  ShapeBench bench_;
  ShapeStores stores_;
  CulpritSearch culprit_search_;
  std::array<size_t, kShapeKinds> examined_{};
  std::deque<Batch> history_;  // cases since the backend was restarted, the last ones
  Tally parity_;
  uint64_t answer_ = 0;
  LeafWriter leaves_;
  Hasher hasher_;
};

}  // namespace

Result<void> check_shapes(backend::Backend& backend, uint32_t strength, uint32_t slice, uint32_t slices,
                          uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  VYRE_TRY(absent, absent_levels(backend));
  const auto plan = shape_plan(strength, seed, absent);
  const size_t n = plan->rows.size(), begin = n * slice / slices, end = n * (slice + 1) / slices;
  return check_rows(backend, std::span(plan->rows).subspan(begin, end - begin), absent, slice, seed, monitor,
                    verdict);
}
Result<void> check_rows(backend::Backend& backend, std::span<const Row> rows, const AbsentLevels& absent,
                        uint32_t slice, uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  return ShapeFamily(backend, absent, slice, seed, monitor, verdict).run(rows);
}

}  // namespace vyre::verify
