// Families as the lists of their sections: whatever is asked of a family is asked of each.
#include <fmt/format.h>

#include <algorithm>

#include "verify/algebraic.h"
#include "verify/section.h"

namespace vyre::verify {
namespace {

/// Planted-false laws.
class PlantedSection final : public Section {
 public:
  Result<void> check(const SectionRun& run) const override {
    run.verdict = check_planted_laws(run.backend, run.seed, run.monitor, run.track);
    return {};
  }
  void count(const Part& part, const FamilyPlan&, uint64_t, FamilySize& out) const override {
    // On the definition, twice on the device, and as programs that count there.
    const uint64_t laws = planted_laws_of(part.track).size();
    oracle_cases(out.parity, Oracle::Law).tally.planned += 4 * laws;
    out.repeated += laws;
  }
  void estimate(const Part&, const FamilyPlan&, FamilyEffort& out) const override {
    out.evaluations += uint64_t{1} << 26;
  }
};

/// The slice of a family's section that the family's slice has of it: those with one slice are judged in the
/// first, the others have slices of their own.
struct SlicedSection {
  const Section* section;
  uint32_t slice, slices;
};
std::vector<std::vector<SlicedSection>> slices_by_section(Family family, const FamilyPlan& plan,
                                                          std::optional<Track> track) {
  std::vector<std::vector<SlicedSection>> out;
  const std::vector<const Section*> sections = sections_of(family);
  for (const Section* section : sections) {
    if (section->slices(track, plan) != 1) continue;
    if (out.empty()) out.emplace_back();
    out.front().push_back({section, 0, 1});
  }
  for (const Section* section : sections) {
    const uint32_t n = section->slices(track, plan);
    for (uint32_t slice = 0; n > 1 && slice < n; ++slice) out.push_back({{section, slice, n}});
  }
  return out;
}

}  // namespace

void EntryHasher::text(std::string_view text) {
  hasher_.update_u64(text.size());
  hasher_.update(text);
}
void EntryHasher::words(std::span<const uint32_t> words) {
  hasher_.update_u64(words.size());
  for (const uint32_t w : words) hasher_.update_u32(w);
}

const Section& planted_section() { return the_section<PlantedSection>(); }

std::vector<const Section*> sections_of(Family family) {
  static const std::array<const Section*, kSectionKinds> all = {
      &element_section(), &law_section(), &text_section(),   &random_section(),
      &claim_section(),   &row_section(), &planted_section()};
  std::vector<const Section*> out;
  for (size_t kind = 0; kind < kSectionKinds; ++kind)
    if (info(family).has(SectionKind(kind))) out.push_back(all[kind]);
  return out;
}

std::unique_ptr<ProgramSource> program_source(Family family, uint64_t seed, const backend::Limits& limits) {
  for (const Section* section : sections_of(family))
    if (auto source = section->source(family, seed, limits)) return source;
  return nullptr;
}

generate::ProgramCase family_case(Family family, uint64_t seed, uint64_t index,
                                  const backend::Limits& limits) {
  return program_source(family, seed, limits)->program(index);
}

std::string text_of(const Diag& diag) {
  return fmt::format("{}: {}", diag_info(diag.code).name, diag.message);
}

Verdict check_slice(backend::Backend& backend, Family family, uint32_t slice, const FamilyPlan& plan,
                    uint64_t seed, const Monitor& monitor, std::optional<Track> track) {
  Verdict verdict;
  verdict.kind = SubjectKind::Family;
  verdict.subject = info(family).text;
  for (const Track each : {Track::Approximate, Track::Float, Track::Integer}) {
    if (is_of(family, each)) verdict.track = each;
  }
  verdict.track = track.value_or(verdict.track);
  Result<void> result = backend.restart();
  const auto slices = slices_by_section(family, plan, track);
  for (const auto& [section, part, parts] : slices.at(slice)) {
    if (result) result = section->check({backend, family, track, plan, seed, monitor, verdict, part, parts});
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
  return uint32_t(slices_by_section(family, plan, track).size());
}

FamilySize size_of(const Part& part, const FamilyPlan& plan, uint64_t seed) {
  FamilySize out;
  for (const Section* section : sections_of(part.family)) section->count(part, plan, seed, out);
  return out;
}

FamilyEffort effort_of(const Part& part, const FamilyPlan& plan) {
  FamilyEffort out;
  for (const Section* section : sections_of(part.family)) section->estimate(part, plan, out);
  return out;
}

std::string other_than_planned(const Verdict& verdict, const Part& part, const FamilyPlan& plan,
                               uint64_t seed) {
  for (const Section* section : sections_of(part.family))
    if (auto other = section->other_than_planned(verdict, plan, seed)) return *other;
  const FamilySize size = size_of(part, plan, seed);
  for (const OracleCases& oracle : verdict.parity) {
    if (std::ranges::count(size.parity, oracle.oracle, &OracleCases::oracle) == 0)
      return fmt::format("cases of the {}, which judges none", text(oracle.oracle));
  }
  for (const OracleCases& oracle : size.parity) {
    const uint64_t planned = planned_by(verdict, oracle.oracle);
    if (planned != oracle.tally.planned)
      return fmt::format("{} cases of the {}, not {}", planned, text(oracle.oracle), oracle.tally.planned);
  }
  // What a backend lacks is refused instead of repeated.
  const bool optional = info(part.family).has(FamilyTrait::Optional);
  if (optional ? verdict.determinism.planned > 2 * size.parity[0].tally.planned
               : verdict.determinism.planned != size.repeated)
    return fmt::format("{} repeated evaluations, not {}", verdict.determinism.planned, size.repeated);
  if (verdict.operators != size.operators)
    return fmt::format("{} operators, not {}", verdict.operators, size.operators);
  if (optional ? verdict.shapes > size.shapes : verdict.shapes != size.shapes)
    return fmt::format("{} shapes, not {}", verdict.shapes, size.shapes);
  return {};
}

}  // namespace vyre::verify
