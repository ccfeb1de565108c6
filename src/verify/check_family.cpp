#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "spec/intrinsics.h"
#include "text/text.h"
#include "verify/algebraic.h"
#include "verify/domain.h"
#include "verify/examine.h"
#include "verify/families.h"
#include "verify/leaves.h"
#include "verify/operator_laws.h"
#include "verify/program_bench.h"
#include "verify/program_parity.h"
#include "verify/shape_factors.h"
#include "verify/shape_run.h"
#include "verify/strongest.h"
#include "verify/token.h"
#include "wire/wire.h"

namespace vyre::verify {
namespace {

constexpr size_t kBatch = 16;                       // random programs compiled at a time
constexpr size_t kRepeats = 3;                      // runs of each program case
constexpr size_t kManyRepeats = 10;                 // of those that look for what happens seldom
constexpr uint64_t kRepeatedEvaluations = 1 << 18;  // of each elementwise subject
constexpr size_t kShrinkEvaluations = 400;          // each compiles a program
constexpr size_t kHistory = 64;                     // cases remembered
constexpr size_t kShrunkFailures = 3;               // programs shrunk a family: the first ones say most

std::string text_of(const Diag& diag) {
  return fmt::format("{}: {}", diag_info(diag.code).name, diag.message);
}

/// How often each case of a program family is run.
size_t repeats_of(Family family) {
  return family == Family::Synchronization || family == Family::Litmus ? kManyRepeats : kRepeats;
}

/// What judges a program family. Of what is approximate the interpreter gives one right answer of many, so
/// it says nothing: exact arithmetic does (verify/sums.h).
Oracle oracle_of(Family family) { return strongest({.program = family != Family::Sums, .operation = true}); }

/// One program family under way.
class ProgramFamily {
 public:
  ProgramFamily(backend::Backend& backend, Family family, uint64_t seed, const Monitor& monitor,
                Verdict& verdict)
      : backend_(backend),
        family_(family),
        seed_(seed),
        monitor_(monitor),
        verdict_(verdict),
        bench_(backend, family, seed),
        culprit_search_(backend, monitor),
        leaves_(verdict, oracle_of(family)) {}

  /// Cases begin .. begin + count - 1, all of one program when `shared`.
  Result<void> run(std::span<const uint64_t> indices, bool shared) {
    std::vector<generate::ProgramCase> cases;
    std::vector<check::Checked> checked;
    for (const uint64_t index : indices) {
      cases.push_back(family_case(family_, seed_, index, backend_.limits()));
      if (shared && !checked.empty()) continue;
      auto one = check::check(cases.back().program, ops::op_table());
      if (!one) return std::unexpected(one.error().front());
      hasher_.update(wire::digest(cases.back().program).hex());
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
      answers_.clear();
      auto& pipeline = pipelines[shared ? 0 : k];
      if (pipeline) {
        VYRE_CHECK(run_case(**pipeline, checked[shared ? 0 : k], cases[k], indices[k]));
      } else {
        if (!is_attributed(pipeline.error())) return std::unexpected(pipeline.error());
        ++parity_.failed;
        VYRE_CHECK(examine(Check::Parity, cases[k], indices[k], Seen{pipeline.error(), 0, {}}));
      }
      if (parity_.failed != before.failed)
        list_failing(verdict_, fmt::format("{}:program", verdict_.subject), indices[k], 1);
      leaves_.add("program", {1, parity_.completed - before.completed, parity_.failed - before.failed},
                  answers_);
      monitor_.done(1);
    }
    return {};
  }

  /// All inputs of a shape were run.
  void shape_done() { ++shapes_; }
  /// Cases of what the backend says that it lacks.
  void leave_out(uint64_t cases) { left_out_ = cases; }
  void plan(uint64_t cases) {
    parity_.planned = cases;
    verdict_.determinism.planned += cases * (repeats_of(family_) - 1);
  }
  /// Errors: what ends the family.
  Result<void> finish() {
    if (const auto drained = backend_.drain(); !drained && !history_.empty() && !monitor_.stopped()) {
      if (!is_attributed(drained.error())) return std::unexpected(drained.error());
      ++parity_.failed;
      const uint64_t last = history_.back().cases[0].number;
      history_.pop_back();
      VYRE_CHECK(examine(Check::Parity, family_case(family_, seed_, last, backend_.limits()), last,
                         Seen{drained.error(), 0, {}}));
    }
    Tally& tally = oracle_cases(verdict_, oracle_of(family_)).tally;
    tally.planned += parity_.planned;
    tally.completed += parity_.completed;
    tally.failed += parity_.failed;
    tally.planned += left_out_;
    tally.unsupported += left_out_;
    leaves_.end();
    constexpr uint64_t kMost = kLeafCases;
    for (uint64_t left = left_out_; left != 0; left -= std::min(left, kMost)) {
      const uint64_t cases = std::min(left, kMost);
      leaves_.add("unsupported", {.planned = cases, .unsupported = cases});
    }
    verdict_.shapes += shapes_;
    if (!verdict_.pipeline.empty()) hasher_.update(verdict_.pipeline);
    verdict_.pipeline = hasher_.finish().hex().substr(0, kDigestDigits);
    return {};
  }

 private:
  bool is_attributed(const Diag& diag) const { return backend_.isolated() && is_of_a_case(diag); }

  Result<void> run_case(backend::Pipeline& pipeline, const check::Checked& checked,
                        const generate::ProgramCase& c, uint64_t index) {
    VYRE_TRY(expected, reference_answer(checked, c, backend_.limits().subgroup_size));
    std::vector<Bytes> first;
    for (size_t repeat = 0; repeat < repeats_of(family_); ++repeat) {
      const Check check = repeat == 0 ? Check::Parity : Check::Determinism;
      Tally& tally = repeat == 0 ? parity_ : verdict_.determinism;
      auto run = run_on(pipeline, c);
      if (!run) {
        if (!is_attributed(run.error())) return std::unexpected(run.error());
        ++tally.failed;
        return examine(check, c, index, Seen{run.error(), 0, {}});
      }
      ++verdict_.dispatches;
      verdict_.canaries += run->canaries;
      verdict_.canaries_broken += run->canaries_broken;
      ++tally.completed;
      if (repeat == 0) {
        for (const Bytes& buffer : run->buffers)
          answers_.insert(answers_.end(), buffer.begin(), buffer.end());
        add(verdict_.deviations, run->deviations);
      }
      const auto difference = first_difference(checked, repeat == 0 ? expected : first, run->buffers);
      tally.failed += difference.has_value();
      if (difference || (run->canaries_broken != 0 && backend_.isolated())) {
        Seen seen{std::nullopt, run->canaries_broken, {}};
        if (difference) {
          seen.wrong.push_back(
              {0, true, {difference->expected}, {difference->actual}, place_of(*difference, *run)});
        }
        return examine(check, c, index, seen);
      }
      if (repeat == 0) first = std::move(run->buffers);
    }
    history_.push_back({0, {{0, index}}});
    if (history_.size() > kHistory) history_.pop_front();
    return {};
  }

  /// Finds out which case is the culprit for what a case showed, and reports it.
  Result<void> examine(Check check, const generate::ProgramCase& c, uint64_t index, const Seen& seen) {
    if (monitor_.stopped()) return {};
    if (verdict_.failures.size() >= kKeptFailures) {
      ++verdict_.failure_count;
      return {};
    }
    const std::vector<Batch> before(history_.begin(), history_.end());
    VYRE_TRY(finding, culprit_search_.find(bench_, before, {0, {{0, index}}}, seen));
    history_.clear();
    return report(check,
                  finding.culprit.number == index
                      ? c
                      : family_case(family_, seed_, finding.culprit.number, backend_.limits()),
                  finding);
  }

  Token token_of(CaseId id) const { return {verdict_.subject, "program", seed_, id.number, {}}; }

  Result<void> report(Check check, const generate::ProgramCase& found, const Finding& finding) {
    Failure failure;
    failure.check = check;
    failure.fault = finding.fault;
    failure.oracle = check == Check::Parity ? std::string(text(oracle_of(family_))) : "the first run";
    Token token = token_of(finding.culprit);
    if (finding.fault == Fault::OrderDependent) {
      for (const Batch& batch : finding.scenario) {
        auto& dispatch = token.scenario.emplace_back();
        for (const CaseId id : batch.cases) {
          dispatch.push_back({token.strategy, id.number});
          if (id != finding.culprit && failure.history.size() < kKeptHistory)
            failure.history.push_back(print(token_of(id)));
        }
      }
    }
    failure.token = print_short(std::move(token));
    generate::ProgramCase smallest = found;
    Wrong wrong = finding.seen.wrong.empty() ? Wrong{} : finding.seen.wrong.front();
    // An edited program would be judged by what the original does.
    if (finding.fault == Fault::WrongValue && !depends_on_schedule(family_) &&
        verdict_.failures.size() < kShrunkFailures) {
      const auto fails = [&](const generate::ProgramCase& candidate) {
        if (monitor_.stopped()) return false;
        const auto result = compare_once(backend_, candidate);
        return result && result->has_value();
      };
      if (fails(found)) {
        smallest = generate::shrink_program(found, ops::op_table(), fails, kShrinkEvaluations);
        VYRE_TRY(again, compare_once(backend_, smallest));
        if (again) {
          wrong = {0,
                   true,
                   {again->expected},
                   {again->actual},
                   fmt::format("{}[{}]", again->buffer, again->index)};
          failure.minimality = Minimality::Shrunk;
        } else {
          smallest = found;
        }
      }
    }
    if (!finding.note.empty()) failure.note = finding.note + "\n";
    if (finding.victim) {
      failure.note += fmt::format(
          "it spoils whatever runs after it, as {}: {}, expected {:#x}, actual {:#x}\n",
          print(token_of(*finding.victim)), wrong.place, wrong.expected.at(0), wrong.actual.at(0));
      wrong = {};
    }
    if (finding.seen.error && finding.fault != Fault::Flaky)
      failure.note += finding.seen.error->message + "\n";
    if (finding.seen.broken != 0) {
      failure.note += fmt::format("{} guard words were overwritten\n", finding.seen.broken);
    }
    failure.expected = wrong.expected;
    failure.actual = wrong.actual;
    const bool shaped = family_ != Family::Programs;
    if (shaped) {
      failure.note +=
          shape_name(family_, size_t(finding.culprit.number % shapes(family_)), backend_.limits()) + ": ";
    }
    if (!wrong.place.empty()) failure.note += wrong.place + " of";
    failure.note += "\n" + text::print(smallest.program) + "\n";
    failure.note +=
        fmt::format("with groups {},{},{}", smallest.groups.x, smallest.groups.y, smallest.groups.z);
    for (const Bytes& buffer : smallest.buffers) {
      constexpr size_t kShown = 8;
      const std::vector<uint32_t> words = to_words(buffer);
      failure.note += fmt::format(" [{} words:", words.size());
      for (size_t k = 0; k < std::min(words.size(), kShown); ++k)
        failure.note += fmt::format(" {:#x}", words[k]);
      failure.note += words.size() > kShown ? " ...]" : "]";
    }
    add_failure(verdict_, std::move(failure));
    return {};
  }

  backend::Backend& backend_;
  Family family_;
  uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  ProgramBench bench_;
  CulpritSearch culprit_search_;
  std::deque<Batch> history_;  // cases since the backend was restarted, the last ones
  Tally parity_;
  uint64_t left_out_ = 0;
  uint32_t shapes_ = 0;
  Bytes answers_;  // of one case, all buffers
  LeafWriter leaves_;
  Hasher hasher_;
};

/// The cases of a subject that are judged together with the others of its family.
std::vector<CaseRange> cases_of(const Subject& subject, const FamilyPlan& plan, uint64_t seed) {
  return plan_cases(subject, seed, plan.cases_a_subject, std::min<uint64_t>(plan.cases_a_subject, 1 << 16),
                    false);
}
Repetition repetition_of(const Subject& subject, const FamilyPlan& plan) {
  return repetition_of(subject, std::min(plan.cases_a_subject, kRepeatedEvaluations));
}

std::vector<Subject> subjects_of(Family family, std::optional<Track> track) {
  return track ? elementwise_subjects(family, *track) : elementwise_subjects(family);
}

/// Leaves of a whole domain, whose cases are a multiple of a leaf's.
uint64_t leaves_of(const WholeDomain& domain) { return domain.cases / kLeafCases; }

/// The digest of the programs of a family's subjects.
std::string pipelines_of(Family family, std::optional<Track> track) {
  Hasher hasher;
  for (const Subject& subject : subjects_of(family, track))
    hasher.update(wire::digest(elementwise_program(subject.application, kWorkgroup)).hex());
  return hasher.finish().hex().substr(0, kDigestDigits);
}

Result<void> check_elementwise(backend::Backend& backend, Family family, std::optional<Track> track,
                               const FamilyPlan& plan, uint64_t seed, const Monitor& monitor,
                               Verdict& verdict) {
  constexpr uint32_t kSizes[] = {kWorkgroup, 64};
  uint64_t whole = 0;  // leaves
  if (track) {
    for (const WholeDomain& domain : whole_domains({family, *track}, plan)) whole += leaves_of(domain);
  }
  LeafWriter rows(verdict, Oracle::SpecificationTable), cases(verdict, strongest({.program = true}), whole);
  for (const Subject& subject : subjects_of(family, track)) {
    if (monitor.stopped()) return {};
    VYRE_TRY(pipelines, make_pipelines(backend, subject, kSizes, seed, verdict));
    Examiner examiner(backend, subject, pipelines.all, seed, monitor, verdict);
    const auto ranges = cases_of(subject, plan, seed);
    rows.of(subject.application.name);
    cases.of(subject.application.name);
    VYRE_CHECK(check_rows(subject, examiner, seed, verdict, rows));
    VYRE_CHECK(check_cases(subject, examiner, ranges, seed, monitor, verdict, cases));
    VYRE_CHECK(settle_cases(subject, examiner, monitor, verdict));
    VYRE_CHECK(check_determinism(subject, examiner, uint32_t(pipelines.all.size()),
                                 repetition_of(subject, plan), seed, monitor, verdict));
    pipelines.account(verdict);
    ++verdict.operators;
  }
  verdict.classes.clear();
  verdict.pipeline = pipelines_of(family, track);
  return {};
}

/// How many random programs a track gets: one with floats takes ten times as long to compile, composed
/// operators above all.
uint64_t random_programs_of(std::optional<Track> track, const FamilyPlan& plan) {
  return track == Track::Float ? (plan.random_programs + 2) / 3 : plan.random_programs;
}

/// The first `count` random programs of a track, or of all.
std::vector<uint64_t> random_programs(uint64_t count, std::optional<Track> track, uint64_t seed) {
  std::vector<uint64_t> out;
  for (uint64_t k = 0; out.size() < count; ++k) {
    if (!track || track_of(family_case(Family::Programs, seed, k).program) == *track) out.push_back(k);
  }
  return out;
}

/// Runs the shapes whose operations of subgroups are all `usable`; random programs have none.
Result<void> check_programs(backend::Backend& backend, Family family, std::optional<Track> track,
                            const FamilyPlan& plan, uint64_t seed, const Monitor& monitor, Verdict& verdict,
                            const IntrinsicSet& usable = {}) {
  ProgramFamily run(backend, family, seed, monitor, verdict);
  if (family == Family::Programs) {
    const uint64_t count = random_programs_of(track, plan);
    run.plan(count);
    const std::vector<uint64_t> programs = random_programs(count, track, seed);
    for (size_t begin = 0; begin < programs.size() && !monitor.stopped(); begin += kBatch) {
      VYRE_CHECK(
          run.run(std::span(programs).subspan(begin, std::min(kBatch, programs.size() - begin)), false));
    }
  } else {
    const uint64_t n = shapes(family);
    std::vector<uint64_t> wanted;
    for (uint64_t shape = 0; shape < n; ++shape) {
      if (uses_only(family, shape, usable)) wanted.push_back(shape);
    }
    const uint64_t inputs = inputs_a_shape(family, plan);
    run.plan(wanted.size() * inputs);
    run.leave_out((n - wanted.size()) * inputs);
    for (const uint64_t shape : wanted) {
      if (monitor.stopped()) break;
      std::vector<uint64_t> indices;
      for (uint64_t k = 0; k < inputs; ++k) indices.push_back(shape + k * n);
      VYRE_CHECK(run.run(indices, true));
      run.shape_done();
    }
  }
  return run.finish();
}

Result<void> check_subgroups(backend::Backend& backend, const FamilyPlan& plan, uint64_t seed,
                             const Monitor& monitor, Verdict& verdict) {
  VYRE_TRY(usable, check_claims(backend, seed, monitor, verdict));
  return check_programs(backend, Family::Subgroups, std::nullopt, plan, seed, monitor, verdict, usable);
}

}  // namespace

Verdict check_slice(backend::Backend& backend, Family family, uint32_t slice, const FamilyPlan& plan,
                    uint64_t seed, const Monitor& monitor, std::optional<Track> track) {
  Verdict verdict;
  verdict.kind = SubjectKind::Family;
  verdict.subject = info(family).text;
  for (const Track each : {Track::Approximate, Track::Float, Track::Integer}) {
    if (is_of(family, each)) verdict.track = each;
  }
  verdict.track = track.value_or(verdict.track);
  if (family == Family::PlantedLaws) return check_planted_laws(backend, seed, monitor, track);
  Result<void> result = backend.restart();
  if (!result) {
    verdict.error = text_of(result.error());
    return verdict;
  }
  switch (family) {
    case Family::Operators:
      if (slice == 0) {
        result = check_elementwise(backend, family, track, plan, seed, monitor, verdict);
      } else {
        verdict.pipeline = pipelines_of(family, track);
      }
      if (result && track != Track::Float) {
        // The first slice has the operators and, where it is the only one, the laws.
        const size_t parts = std::max(slices_of(family, plan, track) - 1, 1u), n = operator_laws().size();
        const size_t part = slice == 0 ? 0 : slice - 1;
        if (slice != 0 || slices_of(family, plan, track) == 1)
          result = check_operator_laws(backend, n * part / parts, n * (part + 1) / parts, plan.witnessed,
                                       seed, monitor, verdict);
      }
      break;
    case Family::Select:
    case Family::Casts:
      result = check_elementwise(backend, family, track, plan, seed, monitor, verdict);
      break;
    case Family::Atomics:
      result = check_elementwise(backend, family, track, plan, seed, monitor, verdict);
      if (result) result = check_programs(backend, family, track, plan, seed, monitor, verdict);
      break;
    case Family::Memory:
    case Family::Control:
    case Family::Loops:
    case Family::Barriers:
    case Family::Reductions:
    case Family::Synchronization:
    case Family::Litmus:
    case Family::Sums:
    case Family::Programs:
      result = check_programs(backend, family, track, plan, seed, monitor, verdict);
      break;
    case Family::Subgroups: result = check_subgroups(backend, plan, seed, monitor, verdict); break;
    case Family::Shapes:
      result = check_shapes(backend, plan.shape_strength, slice, slices_of(family, plan, track), seed,
                            monitor, verdict);
      break;
    case Family::PlantedLaws: break;
  }
  if (!result) verdict.error = text_of(result.error());
  return verdict;
}

Verdict check_family(backend::Backend& backend, Family family, const FamilyPlan& plan, uint64_t seed,
                     const Monitor& monitor, std::optional<Track> track) {
  Verdict verdict = check_slice(backend, family, 0, plan, seed, monitor, track);
  for (uint32_t slice = 1; slice < slices_of(family, plan, track); ++slice)
    add(verdict, check_slice(backend, family, slice, plan, seed, monitor, track));
  complete(verdict, plan, seed);
  return verdict;
}

uint32_t slices_of(Family family, const FamilyPlan& plan, std::optional<Track> track) {
  constexpr uint64_t kManyWitnesses = 500'000;  // of which some 20 laws take as long as all operators
  constexpr uint32_t kLawSlices = 16;
  if (family == Family::Shapes) return 1u << 2 * (plan.shape_strength - 1);  // of 70 to 200 rows each
  const bool has_laws = family == Family::Operators && track != Track::Float;
  return has_laws && plan.witnessed >= kManyWitnesses ? 1 + kLawSlices : 1;
}

void complete(Verdict& verdict, const FamilyPlan& plan, uint64_t seed) {
  if (verdict.coverage.factors.empty()) return;
  const auto shapes_planned = shape_plan(plan.shape_strength, seed, levels_without_cases(verdict.coverage));
  const bool whole = verdict.error.empty() && verdict.coverage.factors == levels_of(shapes_planned->rows);
  verdict.coverage = whole ? coverage_of(*shapes_planned, plan.shape_strength) : Coverage{};
}

std::vector<WholeDomain> whole_domains(const Part& part, const FamilyPlan& plan) {
  std::vector<WholeDomain> out;
  if (!plan.whole) return out;
  uint64_t slice = 0;
  for (Subject& subject : elementwise_subjects(part.family, part.track)) {
    const uint64_t cases = whole_domain(subject);
    if (cases <= kSlice) continue;  // has none, or is whole among the others
    out.push_back({std::move(subject), cases, slice});
    slice += leaves_of(out.back());
  }
  return out;
}

Verdict check_whole_domain(backend::Backend& backend, const Part& part, const WholeDomain& domain,
                           uint64_t first, uint64_t count, uint64_t seed, const Monitor& monitor) {
  Verdict verdict;
  verdict.kind = SubjectKind::Family;
  verdict.subject = info(part.family).text;
  verdict.track = part.track;
  const Subject& subject = domain.subject;
  const auto check = [&]() -> Result<void> {
    constexpr uint32_t kSizes[] = {kWorkgroup};
    VYRE_CHECK(backend.restart());
    VYRE_TRY(pipelines, make_pipelines(backend, subject, kSizes, seed, verdict));
    Examiner examiner(backend, subject, pipelines.all, seed, monitor, verdict);
    LeafWriter leaves(verdict, subject.oracle, domain.slice + first);
    leaves.of(subject.application.name);
    const CaseRange all{"whole", count * kLeafCases, 1, first * kLeafCases};
    if (subject.slices.empty()) {
      VYRE_CHECK(check_cases(subject, examiner, std::span(&all, 1), seed, monitor, verdict, leaves));
    }
    for (uint64_t k = first; !subject.slices.empty() && k < first + count && !monitor.stopped(); ++k) {
      const CaseRange one{"whole", kLeafCases, 1, k * kLeafCases};
      VYRE_CHECK(check_domain(subject, examiner, one, subject.slices[k], seed, monitor, verdict, leaves));
    }
    VYRE_CHECK(settle_cases(subject, examiner, monitor, verdict));
    pipelines.account(verdict);
    return {};
  };
  if (const auto result = check(); !result) verdict.error = text_of(result.error());
  verdict.classes.clear();
  return verdict;
}

FamilySize size_of(const Part& part, const FamilyPlan& plan, uint64_t seed) {
  const auto [family, track] = part;
  FamilySize out;
  Verdict sums;  // of which the parity is wanted
  const auto planned = [&](Oracle oracle) -> uint64_t& { return oracle_cases(sums, oracle).tally.planned; };
  for (const Subject& subject : elementwise_subjects(family, track)) {
    if (!subject.rows.empty()) planned(Oracle::SpecificationTable) += subject.rows.size();
    for (const CaseRange& range : cases_of(subject, plan, seed)) planned(subject.oracle) += range.count;
    const Repetition repetition = repetition_of(subject, plan);
    out.repeated += repetition.slices * Repetition::kTimes * repetition.cases;
    ++out.operators;
  }
  for (const WholeDomain& domain : whole_domains(part, plan)) planned(domain.subject.oracle) += domain.cases;
  if (family == Family::PlantedLaws) {
    // On the definition, twice on the device, and as programs that count there.
    const uint64_t planted_laws = planted_laws_of(track).size();
    planned(Oracle::Law) += 4 * planted_laws;
    out.repeated += planted_laws;
  }
  if (family == Family::Shapes) {  // of a device that lacks no level
    const auto shapes_planned = shape_plan(plan.shape_strength, seed);
    planned(Oracle::CpuReference) += shapes_planned->rows.size();
    out.repeated += uint64_t(std::ranges::count_if(shapes_planned->rows, is_repeated));
  }
  const uint64_t programs = family == Family::Programs ? random_programs_of(track, plan)
                                                       : shapes(family) * inputs_a_shape(family, plan);
  if (programs != 0) planned(oracle_of(family)) += programs;
  out.shapes = uint32_t(shapes(family));
  if (family == Family::Subgroups) {
    planned(Oracle::ReferenceInterpreter) += spec::kIntrinsicCount;
  } else {
    out.repeated += programs * (repeats_of(family) - 1);
  }
  if (family == Family::Operators && track == Track::Integer) {
    for (const OperatorLaw& law : operator_laws()) out.laws.push_back({name_of(law), law.claimed, {}});
  }
  out.parity = std::move(sums.parity);
  return out;
}

}  // namespace vyre::verify
