// Sections of functions of values: operators, casts and the like element by element, whole domains of them,
// and the laws of operators.
#include <algorithm>

#include "verify/domain.h"
#include "verify/examine.h"
#include "verify/leaves.h"
#include "verify/operator_laws.h"
#include "verify/section.h"
#include "verify/strongest.h"
#include "wire/wire.h"

namespace vyre::verify {
namespace {

constexpr uint64_t kRepeatedEvaluations = 1 << 18;  // of each elementwise subject

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

class ElementSection final : public Section {
 public:
  Result<void> check(const SectionRun& run) const override {
    constexpr uint32_t kSizes[] = {kWorkgroup, 64};
    const auto& [backend, family, track, plan, seed, monitor, verdict, slice, slices] = run;
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

  void count(const Part& part, const FamilyPlan& plan, uint64_t seed, FamilySize& out) const override {
    const auto planned = [&](Oracle oracle) -> uint64_t& {
      return oracle_cases(out.parity, oracle).tally.planned;
    };
    for (const Subject& subject : elementwise_subjects(part.family, part.track)) {
      if (!subject.rows.empty()) planned(Oracle::SpecificationTable) += subject.rows.size();
      for (const CaseRange& range : cases_of(subject, plan, seed)) planned(subject.oracle) += range.count;
      const Repetition repetition = repetition_of(subject, plan);
      out.repeated += repetition.slices * Repetition::kTimes * repetition.cases;
      ++out.operators;
    }
    for (const WholeDomain& domain : whole_domains(part, plan))
      planned(domain.subject.oracle) += domain.cases;
  }

  void estimate(const Part& part, const FamilyPlan& plan, FamilyEffort& out) const override {
    constexpr uint64_t kTimes = 2;  // cases and their repetition; pipelines that are compiled
    const size_t subjects = elementwise_subjects(part.family, part.track).size();
    out.evaluations += subjects * plan.cases_a_subject * kTimes;
    out.compilations += subjects * kTimes;
  }

  void describe(Family family, EntryHasher& out) const override {
    for (const Subject& subject : elementwise_subjects(family)) {
      out.text(subject.name);
      for (const TableRow& row : subject.rows) {
        out.words(row.operands);
        out.words(row.expected);
      }
    }
  }
};

/// Laws of operators on integers.
class LawSection final : public Section {
 public:
  uint32_t slices(std::optional<Track> track, const FamilyPlan& plan) const override {
    constexpr uint64_t kManyWitnesses = 500'000;  // of which some 20 laws take as long as all operators
    constexpr uint32_t kLawSlices = 16;
    if (track == Track::Float) return 0;
    return plan.witnessed >= kManyWitnesses ? kLawSlices : 1;
  }

  Result<void> check(const SectionRun& run) const override {
    if (run.verdict.pipeline.empty()) run.verdict.pipeline = pipelines_of(run.family, run.track);
    const size_t n = operator_laws().size();
    return check_operator_laws(run.backend, n * run.slice / run.slices, n * (run.slice + 1) / run.slices,
                               run.plan.witnessed, run.seed, run.monitor, run.verdict);
  }

  void count(const Part& part, const FamilyPlan&, uint64_t, FamilySize& out) const override {
    if (part.track != Track::Integer) return;
    for (const OperatorLaw& law : operator_laws()) out.laws.push_back({name_of(law), law.claimed, {}});
  }
  void estimate(const Part&, const FamilyPlan&, FamilyEffort&) const override {}  // little beside operators

  void describe(Family, EntryHasher& out) const override {
    for (const OperatorLaw& law : operator_laws()) {
      out.text(name_of(law));
      out.word(law.claimed ? 1 : 0);
      for (const auto value : law.witness) {
        out.number(uint64_t(value >> 64));
        out.number(uint64_t(value));
      }
    }
  }
};

}  // namespace

const Section& element_section() { return the_section<ElementSection>(); }
const Section& law_section() { return the_section<LawSection>(); }

std::string pipelines_of(Family family, std::optional<Track> track) {
  Hasher hasher;
  for (const Subject& subject : subjects_of(family, track))
    hasher.update(wire::digest(elementwise_program(subject.application, kWorkgroup)).hex());
  return hasher.finish().hex().substr(0, kDigestDigits);
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

}  // namespace vyre::verify
