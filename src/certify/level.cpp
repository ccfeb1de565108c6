#include "certify/level.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "certify/waiver.h"
#include "spec/laws.h"
#include "verify/families.h"

namespace vyre::certify {
namespace {

using verify::Evidence;
using verify::LawVerdict;
using verify::Strength;
using verify::SubjectKind;
using verify::Tally;
using verify::Verdict;

/// Operations of subgroups are optional (docs/certificate.md, "Category C"); nothing else may be unsupported.
bool is_optional(const Verdict& verdict) {
  const auto* family = verify::find_family(verdict.subject);
  return family != nullptr && family->has(verify::FamilyTrait::Optional);
}

void require_whole(std::vector<std::string>& missing, const Tally& tally, std::string_view what,
                   bool optional = false) {
  const uint64_t wanted = tally.planned - (optional ? std::min(tally.planned, tally.unsupported) : 0);
  if (tally.planned == 0) {
    missing.push_back(fmt::format("{}: nothing was run", what));
  } else if (!optional && tally.unsupported != 0) {
    missing.push_back(fmt::format("{}: {} of {} are unsupported", what, tally.unsupported, tally.planned));
  } else if (tally.completed != wanted) {
    missing.push_back(fmt::format("{}: {} of {} completed", what, tally.completed, tally.planned));
  } else if (tally.waived != 0) {
    missing.push_back(fmt::format("{}: {} of {} failed, and are waived", what, tally.waived, tally.planned));
  } else if (tally.failed != 0) {
    missing.push_back(fmt::format("{}: {} of {} failed", what, tally.failed, tally.planned));
  }
}

// Whether some evidence of a kind of subject and of grade holds and ran as often as it must.
bool supports(const LawVerdict& law, std::string_view subject, std::string_view grade, uint64_t at_least) {
  return std::any_of(law.evidence.begin(), law.evidence.end(), [&](const Evidence& e) {
    return e.subject.starts_with(subject) && e.grade.starts_with(grade) && e.holds &&
           e.cases >= std::max<uint64_t>(at_least, 1);
  });
}

/// Where the name of an operator at a type ends in front of its law: "add.u64: Commutative"; 0 in a law of an
/// operation.
size_t operator_length(const LawVerdict& law) {
  const size_t colon = law.law.find(": ");
  return colon == std::string::npos ? 0 : colon + 2;
}

/// How many instances a law has on a domain of 2^bits values: all of them, or the law was not exhausted. A
/// law of as many variables as its operation has operands counts one, which every operation has.
uint64_t instances(const LawVerdict& law, uint32_t bits) {
  std::string_view name = std::string_view(law.law).substr(operator_length(law));
  name = name.substr(0, name.find('('));
  for (const spec::LawInfo& info : spec::kLaws) {
    if (info.name == name) return uint64_t{1} << (bits * std::max(info.variables, 1u));
  }
  return UINT64_MAX;  // a law that this build does not know is not settled
}

/// Whether what a subject of evidence has settles a claimed law.
bool is_verified(SubjectKind kind, const LawVerdict& law, std::string_view subject, Strength strength) {
  if (const uint64_t witnessed = info(kind).laws[size_t(strength)]; witnessed != 0)
    return supports(law, subject, "witnessed(", witnessed);
  if (operator_length(law) != 0) {
    return supports(law, subject, "exhausted(bool)", instances(law, 1)) ||
           (supports(law, subject, "exhausted(edge16)", instances(law, 4)) &&
            supports(law, subject, "witnessed(", parity_cases(strength)));
  }
  const uint64_t all = instances(law, 8);
  return (supports(law, subject, "exhausted(u8)", all) || supports(law, subject, "exhausted(e5m2)", all)) &&
         supports(law, subject, "exhausted(edge256)", all) &&
         supports(law, subject, "witnessed(", kWitnessedCases);
}

}  // namespace

std::string text(verify::Track track, Level level) {
  if (level == Level::None) return std::string(text(level));
  switch (track) {
    case verify::Track::Integer: return std::string(text(level));
    case verify::Track::Float: return fmt::format("{}f", text(level));
    case verify::Track::Approximate: return fmt::format("{}a", text(level));
  }
  return {};
}

std::optional<Requirement> find_requirement(std::string_view name) {
  for (const verify::Track track :
       {verify::Track::Integer, verify::Track::Float, verify::Track::Approximate}) {
    for (const Level level : {Level::L1, Level::L2, Level::L3}) {
      if (level > greatest_level(track)) continue;
      const std::string wanted = text(track, level);
      if (name == wanted || name == fmt::format("{}={}", verify::text(track), wanted))
        return Requirement{track, level};
    }
  }
  return std::nullopt;
}

bool is_settled(SubjectKind kind, const LawVerdict& law, Strength strength) {
  if (law.evidence.empty()) return false;
  if (!std::all_of(law.evidence.begin(), law.evidence.end(), [](const Evidence& e) { return e.holds; }))
    return false;
  for (const std::string_view subject : {"spec", "device("}) {
    if (!(law.claimed ? is_verified(kind, law, subject, strength) : supports(law, subject, "refuted(", 1)))
      return false;
  }
  return true;
}

std::vector<std::string> missing_for_parity(const Verdict& verdict, Strength strength) {
  std::vector<std::string> missing;
  if (!verdict.error.empty()) missing.push_back(verdict.error);
  if (is_flaky(verdict)) missing.push_back("flaky: right alone, and wrong in some of many equal runs");
  if (verdict.parity.empty()) missing.push_back("parity: nothing was run");
  uint64_t cases = 0;
  for (const verify::OracleCases& oracle : verdict.parity) {
    require_whole(missing, oracle.tally, fmt::format("parity with the {}", text(oracle.oracle)),
                  is_optional(verdict));
    // One of the law's stands for 2^20 values that were judged on the device.
    if (oracle.oracle != verify::Oracle::Law) cases += oracle.tally.completed;
  }
  if (const uint64_t wanted = parity_cases(strength, verdict.kind); cases < wanted)
    missing.push_back(fmt::format("parity: {} cases, {} are wanted", cases, wanted));
  if (info(verdict.kind).has_table) {
    // Every operation has rows, and what they say outranks all else: without them it is not known that they
    // hold.
    if (std::ranges::count(verdict.parity, verify::Oracle::SpecificationTable,
                           &verify::OracleCases::oracle) == 0)
      missing.push_back("parity: no row of the specification table was run");
    require_whole(missing, verdict.definition, "the definitions against each other");
    for (const verify::ClassHits& c : verdict.classes) {
      if (c.hits == 0) missing.push_back(fmt::format("no case in the class \"{}\"", c.name));
    }
    if (verdict.boundaries_hit != verdict.boundaries) missing.push_back("not every boundary value was run");
  }
  const verify::Deviations& deviations = verdict.deviations;
  if (verdict.track == verify::Track::Approximate && deviations.bound == 0)
    missing.push_back("nothing was said of errors");
  if (deviations.beyond != 0) {
    missing.push_back(fmt::format(fmt::runtime(info(verdict.kind).beyond), deviations.beyond,
                                  deviations.bound, deviations.greatest));
  }
  require_whole(missing, verdict.determinism, "repeated runs");
  if (verdict.canaries == 0) missing.push_back("no canary was looked at");
  if (verdict.canaries_broken != 0)
    missing.push_back(fmt::format("{} canaries broken", verdict.canaries_broken));
  return missing;
}

std::vector<std::string> missing_for_laws(const Verdict& verdict, Strength strength) {
  std::vector<std::string> missing;
  for (const LawVerdict& law : verdict.laws) {
    if (!is_settled(verdict.kind, law, strength)) {
      missing.push_back(fmt::format("{} is not {}", law.law, law.claimed ? "verified" : "refuted"));
    }
  }
  uint64_t of_promises = 0;
  for (const verify::InvariantVerdict& promise : verdict.invariants) of_promises += promise.cases.failed;
  if (missing.empty() && verdict.failure_count > of_promises) missing.push_back("something failed");
  return missing;
}

std::vector<std::string> missing_for_promise(const verify::InvariantVerdict& promise) {
  std::vector<std::string> missing;
  require_whole(missing, promise.cases, promise.invariant);
  return missing;
}

std::vector<std::string> missing_for_invariants(const Verdict& verdict) {
  std::vector<std::string> missing;
  if (info(verdict.kind).has_invariants && verdict.invariants.empty())
    missing.push_back("no promise was judged");
  for (const verify::InvariantVerdict& promise : verdict.invariants)
    std::ranges::move(missing_for_promise(promise), std::back_inserter(missing));
  return missing;
}

Level greatest_level(verify::Track track, std::span<const Verdict> verdicts) {
  // Of integers the third level is of engines, and there are none of floats: there it is of tensors.
  const auto has = track == verify::Track::Integer ? &verify::SubjectKindInfo::has_invariants
                                                   : &verify::SubjectKindInfo::has_tensors;
  const bool is_there =
      std::ranges::any_of(verdicts, [&](const Verdict& v) { return v.track == track && info(v.kind).*has; });
  return is_there ? greatest_level(track) : std::min(greatest_level(track), Level::L2);
}

Level level_of(verify::Track track, std::span<const Verdict> verdicts, Strength strength,
               uint32_t selected_families) {
  std::array<uint32_t, verify::kSubjectKindNames.size()> judged{};
  Level level = greatest_level(track, verdicts);
  for (const Verdict& verdict : verdicts) {
    if (verdict.track != track) continue;
    ++judged[size_t(verdict.kind)];
    if (!missing_for_parity(verdict, strength).empty()) return Level::None;
    if (!missing_for_laws(verdict, strength).empty()) {
      // An approximate operation has no laws, so what is missing is that something failed.
      if (track == verify::Track::Approximate) return Level::None;
      level = Level::L1;
    } else if (!missing_for_invariants(verdict).empty()) {
      level = std::min(level, Level::L2);
    }
  }
  const uint32_t families = judged[size_t(SubjectKind::Family)];
  const bool whole =
      families == selected_families && families != std::accumulate(judged.begin(), judged.end(), 0u);
  return whole ? level : Level::None;
}

namespace {

/// A level, and how much of what it is of there is, where that is not all.
std::string level_of_part(verify::Track track, Level level, std::string operations, Share families) {
  if (families.judged != families.registered) {
    operations += fmt::format("{}{} of {} families", operations.empty() ? "" : ", ", families.judged,
                              families.registered);
  }
  const std::string reached = text(track, level);
  return level == Level::None || operations.empty() ? reached : fmt::format("{}({})", reached, operations);
}

}  // namespace

std::string level_text(verify::Track track, Level level, Share families) {
  return level_of_part(track, level, {}, families);
}

std::string level_line(verify::Track track, Level level, Share operations, Share families) {
  const bool all = operations.judged == operations.registered;
  const std::string some =
      all ? std::string() : fmt::format("{} of {}", operations.judged, operations.registered);
  return fmt::format("{}={}", verify::text(track), level_of_part(track, level, some, families));
}

}  // namespace vyre::certify
