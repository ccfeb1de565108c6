#include "verify/buffer_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <map>

#include "base/names.h"
#include "host/file_tests.h"
#include "host/values.h"
#include "ops/operation.h"
#include "opspec/laws.h"
#include "text/directives.h"
#include "text/text.h"
#include "verify/culprit.h"
#include "verify/leaves.h"
#include "verify/parity.h"
#include "verify/section.h"
#include "wire/wire.h"

namespace vyre::verify {
namespace {

using opspec::Buffer;
using opspec::Buffers;

/// Where cases come from; what a CaseId has as its source.
enum class Origin : uint8_t { Rows, Boundary, Structured, Malformed };
constexpr std::array<std::string_view, 4> kOriginNames = {"rows", "boundary", "cases", "malformed"};
constexpr std::string_view text(Origin origin) { return kOriginNames[size_t(origin)]; }

constexpr size_t kRememberedBatches = 16;
/// Cases of one submission, and bytes from which on no more join them.
constexpr size_t kTogether = 32;
constexpr size_t kTogetherBytes = size_t{2} << 20;
constexpr size_t kExaminedFailures = 4;   // a unit: each is run many times
constexpr uint32_t kDefinitionSize = 12;  // largest, of cases on the reference interpreter
constexpr uint64_t kRefutingCases = 1'000;

std::string_view after(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : std::string_view();
}
std::optional<uint32_t> number_after(std::string_view text, std::string_view prefix) {
  const std::string_view digits = after(text, prefix);
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

Buffers generated(const BufferSubject& subject, Origin origin, uint64_t seed, uint64_t number) {
  switch (origin) {
    case Origin::Rows: return rows_of(subject).at(number).input;
    case Origin::Boundary:
      return opspec::make_case(*subject.spec, seed, number, opspec::kBoundarySizes.at(number));
    case Origin::Structured: return opspec::make_case(*subject.spec, seed, number);
    case Origin::Malformed: return opspec::make_malformed_case(*subject.spec, seed, number);
  }
  return {};
}

/// Cases of one operation, each alone.
class BufferBench final : public Bench {
 public:
  BufferBench(backend::Backend& backend, const BufferSubject& subject, BufferJudge& judge, uint64_t seed)
      : backend_(backend), subject_(subject), judge_(judge), seed_(seed), rows_(rows_of(subject)) {}

  const std::vector<BufferRow>& rows() const { return rows_; }
  Buffers input(CaseId id) const {
    if (Origin(id.source) == Origin::Rows) return rows_.at(id.number).input;
    return generated(subject_, Origin(id.source), seed_, id.number);
  }
  /// Runs a case. `left`: unless null, gets what it left. Return: as Bench::run().
  Seen run(CaseId id, const Buffers& input, Buffers* left = nullptr) {
    Seen seen;
    const uint64_t broken = judge_.broken();
    auto got = judge_.run(input);
    seen.broken = judge_.broken() - broken;
    if (!got) {
      seen.error = std::move(got).error();
      return seen;
    }
    if (auto different = difference(id, input, *got)) seen.wrong.push_back({.place = std::move(*different)});
    if (left != nullptr) *left = std::move(*got);
    return seen;
  }
  /// Runs cases together. `left`: unless null, gets what each left.
  Seen run(std::span<const CaseId> cases, std::span<const Buffers> inputs,
           std::vector<Buffers>* left = nullptr) {
    Seen seen;
    const uint64_t broken = judge_.broken();
    auto got = judge_.run_together(inputs);
    seen.broken = judge_.broken() - broken;
    if (!got) {
      seen.error = std::move(got).error();
      return seen;
    }
    for (size_t k = 0; k < cases.size(); ++k)
      if (auto different = difference(cases[k], inputs[k], (*got)[k]))
        seen.wrong.push_back({.position = k, .place = std::move(*different)});
    if (left != nullptr) *left = std::move(*got);
    return seen;
  }
  /// As they were run first: the cases of a batch together.
  Seen run(const Batch& batch) override {
    judge_.forget();
    std::vector<Buffers> inputs;
    for (const CaseId id : batch.cases) inputs.push_back(input(id));
    Seen seen;
    if (inputs.size() > 1) {
      seen = run(batch.cases, inputs);
    } else if (inputs.size() == 1) {
      seen = run(batch.cases[0], inputs[0]);
    }
    if (seen.error) return seen;
    if (auto drained = backend_.drain(); !drained) seen.error = std::move(drained).error();
    return seen;
  }

 private:
  std::optional<std::string> difference(CaseId id, const Buffers& input, const Buffers& got) const {
    if (Origin(id.source) != Origin::Rows) {
      Buffers wanted = input;
      subject_.spec->reference(wanted);
      return judge_.difference(wanted, got);
    }
    for (const auto& [parameter, expected] : rows_.at(id.number).expected)
      if (auto different = judge_.difference(parameter, expected, got[parameter])) return different;
    return std::nullopt;
  }

  backend::Backend& backend_;
  const BufferSubject& subject_;
  BufferJudge& judge_;
  const uint64_t seed_;
  const std::vector<BufferRow> rows_;
};

opspec::Holds check_of(const library::Law& law) {
  return opspec::law_checks()[size_t(&law - library::laws().data())];
}

std::string strategy_of(const BufferSubject& subject, const library::Law& law) {
  const auto mine = library::laws_of(subject.entry->id);
  return fmt::format("law-{}", std::ranges::find(mine, &law) - mine.begin());
}

/// A unit under way.
class BufferCheck {
 public:
  BufferCheck(backend::Backend& backend, const BufferSubject& subject, const BufferPlan& plan, uint64_t seed,
              const Monitor& monitor, Verdict& verdict)
      : backend_(backend),
        subject_(subject),
        plan_(plan),
        seed_(seed),
        monitor_(monitor),
        verdict_(verdict),
        classes_(opspec::classes_of(subject.entry->id)),
        search_(backend, monitor),
        laws_(backend) {}

  /// Units from `first` to before `last`.
  Result<void> run(size_t first, size_t last) {
    VYRE_TRY(judge, BufferJudge::make(backend_, *subject_.spec));
    judge_.emplace(std::move(judge));
    bench_.emplace(backend_, subject_, *judge_, seed_);
    verdict_.pipeline = wire::digest(*ops::op_table().find_module(subject_.entry->id, 1)).hex();
    verdict_.pipeline.resize(kDigestDigits);
    for (const opspec::CaseClass* one : classes_) verdict_.classes.push_back({std::string(one->name), 0});
    verdict_.boundaries = uint32_t(opspec::kBoundarySizes.size());
    Result<void> done;
    for (size_t unit = first; done && unit < last && !monitor_.stopped(); ++unit) {
      examined_ = 0;
      if (unit == 0) done = base();
      if (done) done = cases(unit);
      if (done && unit == 0 && plan_.laws != 0) done = laws();
      if (done) done = drain();
    }
    verdict_.canaries = judge_->guard_words();
    verdict_.canaries_broken = judge_->broken();
    return done;
  }

 private:
  bool is_attributed(const Diag& diag) const { return backend_.isolated() && is_of_a_case(diag); }

  Result<void> base() {
    VYRE_CHECK(judge_all(Oracle::SpecificationTable, Origin::Rows, 0, bench_->rows().size(), 0));
    VYRE_CHECK(judge_all(Oracle::CpuReference, Origin::Boundary, 0, opspec::kBoundarySizes.size(), 0));
    VYRE_CHECK(definition());
    return repetition();
  }

  /// Those of a unit among the plan's, where the malformed ones follow the structured.
  Result<void> cases(size_t unit) {
    const uint64_t begin = unit * kBufferUnitCases;
    const uint64_t end = std::min(begin + kBufferUnitCases, plan_.cases + plan_.malformed);
    const auto malformed = [&](uint64_t at) { return at - std::min(at, plan_.cases); };
    LeafWriter leaves(verdict_, Oracle::CpuReference, uint64_t(unit) + 1);
    VYRE_CHECK(
        judge_some(leaves, Oracle::CpuReference, Origin::Structured, begin, std::min(end, plan_.cases)));
    return judge_some(leaves, Oracle::CpuReference, Origin::Malformed, malformed(begin), malformed(end));
  }

  Result<void> judge_all(Oracle oracle, Origin origin, uint64_t begin, uint64_t end, uint64_t slice) {
    LeafWriter leaves(verdict_, oracle, slice);
    return judge_some(leaves, oracle, origin, begin, end);
  }

  Result<void> judge_some(LeafWriter& leaves, Oracle oracle, Origin origin, uint64_t begin, uint64_t end) {
    if (begin >= end) return {};
    oracle_cases(verdict_, oracle).tally.planned += end - begin;
    for (uint64_t number = begin; number < end && !monitor_.stopped();) {
      std::vector<CaseId> cases;
      std::vector<Buffers> inputs;
      for (size_t bytes = 0; number < end && cases.size() < kTogether && bytes < kTogetherBytes; ++number) {
        cases.push_back({uint32_t(origin), number});
        inputs.push_back(bench_->input(cases.back()));
        for (const Buffer& buffer : inputs.back()) bytes += buffer.size();
      }
      VYRE_CHECK(judge_together(leaves, oracle, cases, inputs));
    }
    return {};
  }

  /// Cases in one submission. Where anything is wrong, each is judged alone; what is right then was wrong
  /// beside others.
  Result<void> judge_together(LeafWriter& leaves, Oracle oracle, std::span<const CaseId> cases,
                              std::span<const Buffers> inputs) {
    std::vector<Buffers> left;
    Seen together;
    if (cases.size() > 1) {
      together = bench_->run(cases, inputs, &left);
      if (together.error && !is_attributed(*together.error)) return std::unexpected(*together.error);
      if (!together.bad()) history_.push_back({0, {cases.begin(), cases.end()}});
      if (together.error) {
        VYRE_CHECK(search_.restart());
        history_.clear();
        judge_->forget();
      }
    }
    const bool alone = cases.size() == 1 || together.bad();
    bool found = false;
    for (size_t k = 0; k < cases.size() && !monitor_.stopped(); ++k) {
      const CaseId id = cases[k];
      Buffers one;
      const Seen seen = alone ? bench_->run(id, inputs[k], &one) : Seen{};
      if (seen.error && !is_attributed(*seen.error)) return std::unexpected(*seen.error);
      found = found || seen.bad();
      VYRE_CHECK(count(leaves, oracle, id, inputs[k], seen, alone ? one : left[k]));
      if (seen.bad()) {
        VYRE_CHECK(examine({0, {id}}, seen, oracle));
      } else if (alone) {
        history_.push_back({0, {id}});
      }
      while (history_.size() > kRememberedBatches) history_.pop_front();
    }
    if (!together.bad() || found || monitor_.stopped()) return {};
    ++oracle_cases(verdict_, oracle).tally.failed;
    return examine({0, {cases.begin(), cases.end()}}, together, oracle);
  }

  Result<void> count(LeafWriter& leaves, Oracle oracle, CaseId id, const Buffers& input, const Seen& seen,
                     const Buffers& left) {
    const auto origin = Origin(id.source);
    Tally tally{1, !seen.error, seen.bad()};
    Tally& sum = oracle_cases(verdict_, oracle).tally;
    sum.completed += tally.completed;
    sum.failed += tally.failed;
    ++verdict_.dispatches;
    for (size_t k = 0; k < classes_.size(); ++k) verdict_.classes[k].hits += classes_[k]->has(input);
    verdict_.boundaries_hit += origin == Origin::Boundary;
    Bytes answer;
    for (const Buffer& buffer : left) answer.insert(answer.end(), buffer.begin(), buffer.end());
    if (seen.bad())
      list_failing(verdict_, fmt::format("{}:{}", verdict_.subject, text(origin)), id.number, 1);
    leaves.add(text(origin), tally, answer);
    monitor_.done(1);
    return {};
  }

  /// The two definitions against each other: what the text means, and the reference.
  Result<void> definition() {
    const auto interpreter = backend::make_reference();
    VYRE_TRY(meant, BufferJudge::make(*interpreter, *subject_.spec));
    verdict_.definition.planned += plan_.definition;
    for (uint64_t number = 0; number < plan_.definition && !monitor_.stopped(); ++number) {
      const uint32_t size = uint32_t(number) % (kDefinitionSize + 1);
      VYRE_TRY(difference, meant.judge(opspec::make_case(*subject_.spec, seed_, number, size)));
      ++verdict_.definition.completed;
      if (!difference) continue;
      ++verdict_.definition.failed;
      Failure failure;
      failure.check = Check::Definition;
      failure.fault = Fault::FalseClaim;
      failure.oracle = text(Oracle::CpuReference);
      failure.note =
          *difference + "\nthe text means something else than the reference: no backend is wrong here";
      failure.token = token(fmt::format("size-{}", size), number);
      failed(std::move(failure));
    }
    return {};
  }

  /// Equal runs, with others between, each alone or together with cases that follow it.
  Result<void> repetition() {
    verdict_.determinism.planned += plan_.repeated;
    for (uint64_t number = 0; number < plan_.repeated && !monitor_.stopped();) {
      std::vector<CaseId> cases, others;
      std::vector<Buffers> inputs, between;
      for (size_t bytes = 0; number < plan_.repeated && cases.size() < kTogether && bytes < kTogetherBytes;
           ++number) {
        cases.push_back({uint32_t(Origin::Structured), number});
        others.push_back({uint32_t(Origin::Structured), number + 1});
        inputs.push_back(bench_->input(cases.back()));
        between.push_back(bench_->input(others.back()));
        for (const Buffer& buffer : inputs.back()) bytes += buffer.size();
      }
      std::vector<Buffers> first, again;
      for (const auto& [which, of, left] :
           {std::tuple(&cases, &inputs, &first), {&others, &between, nullptr}, {&cases, &inputs, &again}}) {
        const Seen seen = bench_->run(*which, *of, left);
        if (seen.error && !is_attributed(*seen.error)) return std::unexpected(*seen.error);
        if (seen.bad()) VYRE_CHECK(examine({0, *which}, seen, Oracle::CpuReference));
      }
      for (size_t k = 0; k < cases.size(); ++k) {
        ++verdict_.determinism.completed;
        monitor_.done(1);
        if (k < first.size() && k < again.size() ? first[k] == again[k] : first.empty() && again.empty())
          continue;
        ++verdict_.determinism.failed;
        Failure failure;
        failure.check = Check::Determinism;
        failure.fault = Fault::Flaky;
        failure.oracle = "the first run";
        failure.token = token(text(Origin::Structured), cases[k].number);
        failed(std::move(failure));
      }
    }
    return {};
  }

  Result<void> laws() {
    for (const library::Law* law : library::laws_of(subject_.entry->id)) {
      verdict_.laws.push_back({std::string(law->name), law->claimed, {}});
      const LawFinding meant = law_on_references(subject_, *law, plan_.laws, seed_, monitor_);
      VYRE_CHECK(law->claimed ? verify_law(*law, meant) : refute_law(*law, meant));
    }
    return {};
  }

  Result<void> verify_law(const library::Law& law, const LawFinding& meant) {
    if (meant.refuted_by) broken_law(law, *meant.refuted_by, "the references refute it");
    Evidence device{device_name(), meant.evidence.grade, 0, true};
    for (uint64_t number = 0; number < plan_.laws && !monitor_.stopped(); ++number) {
      VYRE_TRY(kept, on_device(law, opspec::make_case(*subject_.spec, seed_, number)));
      ++device.cases;
      monitor_.done(1);
      if (!kept && meant.refuted_by != number && std::exchange(device.holds, false))
        broken_law(law, number, {});
    }
    verdict_.laws.back().evidence = {meant.evidence, std::move(device)};
    return {};
  }

  Result<void> refute_law(const library::Law& law, const LawFinding& meant) {
    if (!meant.refuted_by) {
      broken_law(law, 0, fmt::format("it is denied, and {} cases do not refute it", meant.evidence.cases));
      return {};
    }
    VYRE_TRY(kept, on_device(law, opspec::make_case(*subject_.spec, seed_, *meant.refuted_by)));
    verdict_.laws.back().evidence = {meant.evidence, {device_name(), meant.evidence.grade, 1, !kept}};
    if (kept) broken_law(law, *meant.refuted_by, "it is denied, and holds here");
    return {};
  }

  /// Errors: those that end the subject.
  Result<bool> on_device(const library::Law& law, const Buffers& input) {
    auto kept = laws_.holds(subject_, law, input);
    if (kept) return kept;
    if (!is_attributed(kept.error())) return std::unexpected(std::move(kept).error());
    VYRE_CHECK(search_.restart());
    laws_.forget();
    return false;
  }

  std::string device_name() const {
    constexpr size_t kShort = 16;
    return fmt::format("device({}, {})", verdict_.pipeline.substr(0, kShort), backend_.identity().driver);
  }
  std::string token(std::string_view strategy, uint64_t number) const {
    return print(Token{verdict_.subject, std::string(strategy), seed_, number, {}});
  }

  void broken_law(const library::Law& law, uint64_t number, std::string_view why) {
    Failure failure;
    failure.check = Check::Law;
    failure.fault = why.empty() ? Fault::Law : Fault::FalseClaim;
    failure.oracle = law.name;
    failure.note = fmt::format("{}{}{}", law.statement, why.empty() ? "" : ": ", why);
    failure.token = token(strategy_of(subject_, law), number);
    failed(std::move(failure));
  }
  void failed(Failure failure) {
    ++verdict_.failure_count;
    keep(verdict_, std::move(failure));
  }

  /// Finds out which case is the culprit for what one showed, makes it smaller and reports it.
  Result<void> examine(const Batch& batch, const Seen& seen, Oracle oracle) {
    if (monitor_.stopped()) return {};
    if (++examined_ > kExaminedFailures) {
      ++verdict_.failure_count;
      return {};
    }
    const std::vector<Batch> before(history_.begin(), history_.end());
    VYRE_TRY(finding, search_.find(*bench_, before, batch, seen));
    history_.clear();
    judge_->forget();
    const CaseId culprit = finding.culprit;
    Failure failure;
    failure.fault = finding.fault;
    failure.oracle = text(oracle);
    Token named{verdict_.subject, std::string(text(Origin(culprit.source))), seed_, culprit.number, {}};
    if (!finding.note.empty()) failure.note = finding.note + "\n";
    if (finding.fault == Fault::OrderDependent) {
      for (const Batch& ran : finding.scenario) {
        auto& dispatch = named.scenario.emplace_back();
        for (const CaseId one : ran.cases) {
          dispatch.push_back({std::string(text(Origin(one.source))), one.number});
          if (one != culprit && failure.history.size() < kKeptHistory)
            failure.history.push_back(token(text(Origin(one.source)), one.number));
        }
      }
    }
    if (finding.seen.error) failure.note += finding.seen.error->message + "\n";
    if (finding.seen.broken != 0)
      failure.note +=
          fmt::format("{} guard words beside the buffers were overwritten\n", finding.seen.broken);
    for (const Wrong& wrong : finding.seen.wrong) failure.note += wrong.place + "\n";
    if (finding.fault == Fault::WrongValue && oracle != Oracle::SpecificationTable)
      VYRE_CHECK(shrink(culprit, named, failure));
    failure.token = print_short(std::move(named));
    failed(std::move(failure));
    return {};
  }

  /// A smaller case in the place of one that gives wrong values alone.
  Result<void> shrink(CaseId culprit, Token& named, Failure& failure) {
    auto small = judge_->shrink(bench_->input(culprit));
    if (!small) {
      if (!is_attributed(small.error())) return std::unexpected(small.error());
      judge_->forget();
      return search_.restart();
    }
    failure.minimality = Minimality::Shrunk;
    if (small->size_and_number) {
      failure.note += fmt::format("found as {}\n", print(named));
      named.strategy = fmt::format("size-{}", small->size_and_number->first);
      named.seed = 1;
      named.index = small->size_and_number->second;
    }
    VYRE_TRY(difference, judge_->judge(small->input));
    failure.note += fmt::format("shrunk to: {}\n{}", difference.value_or("it passes now"),
                                shown(judge_->pipeline(), small->input));
    return {};
  }

  /// What comes of the last cases after they were answered.
  Result<void> drain() {
    const auto drained = backend_.drain();
    if (drained || history_.empty() || monitor_.stopped()) return {};
    if (!is_attributed(drained.error())) return std::unexpected(drained.error());
    const Batch last = history_.back();
    history_.pop_back();
    ++oracle_cases(verdict_, Oracle::CpuReference).tally.failed;
    return examine(last, Seen{drained.error(), 0, {}}, Oracle::CpuReference);
  }

  backend::Backend& backend_;
  const BufferSubject& subject_;
  const BufferPlan& plan_;
  const uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  const std::vector<const opspec::CaseClass*> classes_;
  CulpritSearch search_;
  std::optional<BufferJudge> judge_;
  std::optional<BufferBench> bench_;
  LawRuns laws_;
  std::deque<Batch> history_;
  size_t examined_ = 0;
};

}  // namespace

BufferPlan buffer_plan(Strength strength) {
  // 100,000 malformed cases of the smallest category, which has four operations, at the full strength.
  switch (strength) {
    case Strength::Quick: return {100, 20, 4, 10, 10};
    case Strength::Standard: return {10'000, 1'000, 26, 500, 200};
    case Strength::Full: return {40'000, 25'000, 260, 5'000, 2'000};
  }
  return {};
}

Track BufferSubject::track() const {
  const ir::Module& module = *ops::op_table().find_module(entry->id, 1);
  const auto main = std::ranges::find(module.pipelines, "main", &ir::Pipeline::name);
  const bool floats = std::ranges::any_of(main->buffers, [&](const ir::BufferDecl& buffer) {
    return spec::kFloats.contains(main->element(buffer));
  });
  return floats ? Track::Float : Track::Integer;
}

std::vector<BufferSubject> buffer_subjects(std::string_view pattern) {
  std::vector<BufferSubject> out;
  for (const library::Entry& entry : library::entries())
    if (matches(pattern, entry.id)) out.push_back({&entry, opspec::find_operation(entry.id)});
  return out;
}

BufferSubject find_buffer_subject(std::string_view subject) {
  for (const library::Entry& entry : library::entries())
    if (subject_of(entry.id, 1) == subject) return {&entry, opspec::find_operation(entry.id)};
  return {};
}

size_t buffer_units(const BufferPlan& plan) {
  return size_t(
      std::max<uint64_t>(1, (plan.cases + plan.malformed + kBufferUnitCases - 1) / kBufferUnitCases));
}

uint64_t runs_of(const BufferSubject& subject, const BufferPlan& plan, size_t unit) {
  const uint64_t first = unit * kBufferUnitCases;
  const uint64_t cases = std::min(kBufferUnitCases, plan.cases + plan.malformed - first);
  if (unit != 0) return cases;
  return cases + rows_of(subject).size() + opspec::kBoundarySizes.size() + plan.repeated +
         library::laws_of(subject.entry->id).size() * plan.laws;
}

uint64_t planned_cases(const BufferSubject& subject, const BufferPlan& plan, Oracle oracle) {
  if (oracle == Oracle::SpecificationTable) return rows_of(subject).size();
  if (oracle != Oracle::CpuReference) return 0;
  return opspec::kBoundarySizes.size() + plan.cases + plan.malformed;
}

bool holds_on_references(const BufferSubject& subject, const library::Law& law, const Buffers& input) {
  const opspec::Trial::Apply references = [](std::string_view id, Buffers buffers) {
    opspec::find_operation(id)->reference(buffers);
    return buffers;
  };
  return check_of(law)({subject.entry->id, input, references});
}

LawFinding law_on_references(const BufferSubject& subject, const library::Law& law, uint64_t instances,
                             uint64_t seed, const Monitor& monitor) {
  LawFinding out{{"spec", fmt::format("witnessed({}, {})", instances, seed), 0, true}, std::nullopt};
  const uint64_t most = law.claimed ? instances : kRefutingCases;
  for (uint64_t number = 0; number < most && !out.refuted_by && !monitor.stopped(); ++number) {
    ++out.evidence.cases;
    if (!holds_on_references(subject, law, opspec::make_case(*subject.spec, seed, number)))
      out.refuted_by = number;
  }
  out.evidence.holds = out.refuted_by.has_value() != law.claimed;
  if (!law.claimed && out.refuted_by) {
    const Token token{subject.name(), strategy_of(subject, law), seed, *out.refuted_by, {}};
    out.evidence = {"spec", fmt::format("refuted({})", print(token)), 1, true};
  }
  return out;
}

Result<bool> LawRuns::holds(const BufferSubject& subject, const library::Law& law, const Buffers& input) {
  std::optional<Diag> error;
  const opspec::Trial::Apply apply = [&](std::string_view id, Buffers buffers) {
    if (error) return buffers;
    auto judge = judges_.find(id);
    if (judge == judges_.end()) {
      auto made = BufferJudge::make(backend_, *opspec::find_operation(id));
      if (made)
        judge = judges_.emplace(id, std::move(*made)).first;
      else
        error = made.error();
    }
    if (error) return buffers;
    auto left = judge->second.run(buffers);
    if (left) return std::move(*left);
    error = left.error();
    return buffers;
  };
  bool kept = false;
  try {
    kept = check_of(law)({subject.entry->id, input, apply});
  } catch (const std::exception&) {
    // What a law makes of results that are none (sizes beyond all memory, places that there are not) may
    // throw: it does not hold of them.
  }
  if (error) return std::unexpected(std::move(*error));
  return kept;
}

Verdict check_buffer_units(backend::Backend& backend, const BufferSubject& subject, const BufferPlan& plan,
                           size_t first, size_t last, uint64_t seed, const Monitor& monitor) {
  Verdict verdict;
  verdict.kind = subject.kind();
  verdict.subject = subject.name();
  verdict.track = subject.track();
  Result<void> done = backend.restart();
  if (done) done = BufferCheck(backend, subject, plan, seed, monitor, verdict).run(first, last);
  if (!done) verdict.error = text_of(done.error());
  return verdict;
}

std::vector<BufferRow> rows_of(const BufferSubject& subject) {
  const ir::Module& mine = *ops::op_table().find_module(subject.entry->id, 1);
  const auto module = check::check(mine, ops::op_table());
  const auto directives = text::parse_directives(subject.entry->file->text);
  std::vector<BufferRow> out;
  if (!module || !directives) return out;  // the build admits no such text
  const Digest digest = wire::digest(mine);
  std::map<text::Constants, bool> same;  // whether a row's constants are the operation's
  for (const text::RunDirective& run : directives->runs) {
    auto known = same.find(run.constants);
    if (known == same.end()) {
      const auto chosen = text::parse_module(subject.entry->file->text, &ops::op_table(), run.constants);
      known = same.emplace(run.constants, chosen && wire::digest(*chosen) == digest).first;
    }
    if (!known->second || run.entry) continue;
    const auto row = host::case_of(*module, run);
    if (!row) continue;
    BufferRow& made = out.emplace_back();
    for (size_t b = 0; b < row->inputs.order.size(); ++b) {
      const std::string& name = row->inputs.order[b];
      made.input.push_back(row->inputs.by_name.at(name).bytes);
      if (const auto expected = row->expected.by_name.find(name); expected != row->expected.by_name.end())
        made.expected.emplace_back(b, expected->second.bytes);
    }
  }
  return out;
}

std::optional<Buffers> case_of(const BufferSubject& subject, const Token& token) {
  if (const auto size = number_after(token.strategy, "size-"))
    return opspec::make_case(*subject.spec, token.seed, token.index, *size);
  const auto origin = std::ranges::find(kOriginNames, token.strategy);
  if (origin == kOriginNames.end()) return std::nullopt;
  const auto from = Origin(origin - kOriginNames.begin());
  const uint64_t most = from == Origin::Rows       ? rows_of(subject).size()
                        : from == Origin::Boundary ? opspec::kBoundarySizes.size()
                                                   : UINT64_MAX;
  if (token.index >= most) return std::nullopt;
  return generated(subject, from, token.seed, token.index);
}

const library::Law* law_of(const BufferSubject& subject, std::string_view strategy) {
  const auto place = number_after(strategy, "law-");
  const auto mine = library::laws_of(subject.entry->id);
  return place && *place < mine.size() ? mine[*place] : nullptr;
}

std::string shown(const check::CheckedPipeline& pipeline, const Buffers& buffers) {
  constexpr size_t kShown = 24;
  std::string out;
  for (size_t b = 0; b < buffers.size(); ++b) {
    const spec::DataType element = pipeline.element(check::BufferId(b));
    const size_t size = spec::info(element).bytes, n = buffers[b].size() / size;
    out += fmt::format("  {} =", pipeline.pipeline->code.name(pipeline.buffers[b].name));
    for (size_t k = 0; k < std::min(n, kShown); ++k)
      out += " " + host::format_element(buffers[b].data() + k * size, element, /*hexadecimal=*/true);
    out += n > kShown ? fmt::format(" ... ({} elements)\n", n) : n == 0 ? " (none)\n" : "\n";
  }
  return out;
}

}  // namespace vyre::verify
