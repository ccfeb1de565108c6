// Families of the IR as subjects of their own: operators at every type, and programs that exercise what no
// single operation does. A backend is certified only if it gives the reference's bytes for all of them.
//
// Elementwise families (operators, select, casts) are judged by specification rows and the reference's
// operator functions. Program families are compared in bytes with ref::run over every bound buffer. Each
// program is free of races, so its bytes do not depend on any schedule: contended atomics are followed by
// reductions whose result does not depend on the order. Litmus and Sums have programs whose bytes do: of them
// the buffers are judged on the host, by the memory model (generate::ProgramCase::outcome) and by exact sums
// and tolerances (verify/sums.h). Families differ in the kinds of cases that they have, their sections
// (verify/section.h), and in traits; both stand in their ledger. Case k of a family is a pure function of the
// seed and k, and in Subgroups of the limits of the backend. Source: oracles, "Oracle 3"; semantics,
// "Memory", "Structure"; execution-model.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generate/programs.h"
#include "verify/monitor.h"
#include "verify/parity.h"
#include "verify/program_judge.h"
#include "verify/subgroups.h"
#include "verify/verdict.h"

namespace vyre::verify {

enum class Family : uint8_t {
#define VYRE_FAMILY(Name, ...) Name,
#include "verify/families.def"
#undef VYRE_FAMILY
};
/// Which tracks the subjects of a family are of.
enum class Tracks : uint8_t { Integer, Float, Both, Approximate };
/// What sets a family apart; bits.
enum class FamilyTrait : uint8_t {
  None = 0,
  Optional = 1,   // a backend may lack what a case needs, and then refuses it
  Seldom = 2,     // looks for faults that happen seldom, so each case runs many times
  Unordered = 4,  // the bytes of its programs may differ from one run to the next, and so from the
                  // reference's: what is seen of shared words, and sums whose order is the backend's
  Limited = 8,    // what its cases are depends on the limits of the backend
  Identity = 16,  // every shard of a campaign judges it
};
/// Kinds of cases, in the order in which they are judged (verify/section.h).
enum class SectionKind : uint8_t { Elements, Laws, Texts, Random, Claims, Rows, Planted };
inline constexpr size_t kSectionKinds = 7;
struct FamilyInfo {
  Family family;
  std::string_view text;
  Tracks tracks;
  uint8_t sections;  // a bit a SectionKind
  uint8_t traits;
  std::string_view summary;

  constexpr bool has(SectionKind kind) const { return (sections >> uint8_t(kind) & 1) != 0; }
  constexpr bool has(FamilyTrait trait) const { return (traits & uint8_t(trait)) != 0; }
};
inline constexpr auto kFamilies = [] {
  // As the ledger writes them.
  constexpr auto bit = [](SectionKind kind) { return uint8_t(1u << uint8_t(kind)); };
  [[maybe_unused]] constexpr uint8_t Elements = bit(SectionKind::Elements), Laws = bit(SectionKind::Laws),
                                     Texts = bit(SectionKind::Texts), Random = bit(SectionKind::Random),
                                     Claims = bit(SectionKind::Claims), Rows = bit(SectionKind::Rows),
                                     Planted = bit(SectionKind::Planted);
  [[maybe_unused]] constexpr auto None = uint8_t(FamilyTrait::None),
                                  Optional = uint8_t(FamilyTrait::Optional),
                                  Seldom = uint8_t(FamilyTrait::Seldom),
                                  Unordered = uint8_t(FamilyTrait::Unordered),
                                  Limited = uint8_t(FamilyTrait::Limited),
                                  Identity = uint8_t(FamilyTrait::Identity);
  return std::to_array<FamilyInfo>({
#define VYRE_FAMILY(Name, text, tracks, sections, traits, summary) \
  {Family::Name, text, Tracks::tracks, sections, traits, summary},
#include "verify/families.def"
#undef VYRE_FAMILY
  });
}();
constexpr const FamilyInfo& info(Family family) { return kFamilies[static_cast<size_t>(family)]; }

/// By its text; null where there is none.
constexpr const FamilyInfo* find_family(std::string_view text) {
  for (const FamilyInfo& family : kFamilies)
    if (family.text == text) return &family;
  return nullptr;
}

constexpr bool is_of(Family family, Track track) {
  const Tracks tracks = info(family).tracks;
  switch (track) {
    case Track::Integer: return tracks == Tracks::Integer || tracks == Tracks::Both;
    case Track::Float: return tracks == Tracks::Float || tracks == Tracks::Both;
    case Track::Approximate: return tracks == Tracks::Approximate;
  }
  return false;
}
/// A family's subjects of one track, on which there is a verdict of its own.
struct Part {
  Family family;
  Track track;
};
/// Every part, family by family.
std::vector<Part> all_parts();
/// How many there are of a track.
uint32_t parts_of(Track track);

Track track_of(const Application& what);
Track track_of(const ops::Operation& operation);
/// Whether anything in the program is a float.
Track track_of(const ir::Program& program);

/// Whether a family's bytes may differ from one run to the next.
constexpr bool depends_on_schedule(Family family) { return info(family).has(FamilyTrait::Unordered); }

/// The subjects of Operators, Select, Casts and Atomics; empty for the others.
std::vector<Subject> elementwise_subjects(Family family);
/// Those of one track.
std::vector<Subject> elementwise_subjects(Family family, Track track);

/// How many different programs Memory, Control, Loops, Barriers, Atomics, Subgroups, Reductions,
/// Synchronization, Litmus or Sums has; case k runs program k % shapes. Programs has no shapes: each case is
/// a program of its own.
size_t shapes(Family family);
/// Of a family whose cases are programs, which tokens of the strategy "program" name; else null. limits: of
/// the device.
std::unique_ptr<ProgramSource> program_source(Family family, uint64_t seed, const backend::Limits& limits);
/// The name of a shape: "gather, workgroup 7,1,1". What it is of Subgroups depends on the size of subgroups.
std::string shape_name(Family family, size_t shape, const backend::Limits& limits = {});
/// A pure function of its arguments, of which Subgroups and Shapes alone look at the limits. Of Shapes it is
/// the last dispatch of the case. Domain: of Shapes, a number of a case (verify/shape_factors.h).
generate::ProgramCase family_case(Family family, uint64_t seed, uint64_t index,
                                  const backend::Limits& limits = {});
/// The same of a family whose programs are texts (verify/shapes.h).
generate::ProgramCase text_case(Family family, uint64_t seed, uint64_t index, const backend::Limits& limits);
/// Whether a shape calls only operations of subgroups that are among these.
bool uses_only(Family family, size_t shape, const IntrinsicSet& usable);

/// How many cases or evaluations a family gets.
struct FamilyPlan {
  uint64_t cases_a_subject;     // elementwise
  uint64_t inputs_a_shape;      // program families
  uint64_t random_programs;     // of floats a third of it
  bool whole = false;           // elementwise: every domain of at most 2^32 inputs as well, whole
  uint64_t witnessed = 0;       // random instances of each law of an operator (verify/operator_laws.h)
  uint32_t shape_strength = 1;  // of the array of ir.shapes
};
FamilyPlan family_plan(Strength strength);
/// How many inputs a shape of a family gets: of Sums twice as many, so that at any strength each of its
/// shapes meets every kind of elements.
uint64_t inputs_a_shape(Family family, const FamilyPlan& plan);

/// An elementwise subject that is run on its whole domain, beside the cases of its family, and by itself: a
/// domain of 2^32 inputs takes as long as many families.
struct WholeDomain {
  Subject subject;
  uint64_t cases = 0;
  uint64_t slice = 0;  // number of its first leaf
};
/// Those of a part under a plan, in the order of their leaves; the leaves of the part's other cases come
/// after them. Small domains are whole among those cases (plan_cases()).
std::vector<WholeDomain> whole_domains(const Part& part, const FamilyPlan& plan);
/// Leaves first .. first + count - 1 of a whole domain. The verdict is a summand of the part's.
Verdict check_whole_domain(backend::Backend& backend, const Part& part, const WholeDomain& domain,
                           uint64_t first, uint64_t count, uint64_t seed, const Monitor& monitor);

/// What a part of a family has to run under a plan, worked out from the lists and not by running it; the
/// counts of a certificate are held to these.
struct FamilySize {
  std::vector<OracleCases> parity;  // of which `planned` alone is set
  /// Repeated evaluations. Of a family with FamilyTrait::Optional at least: what a backend lacks is not
  /// repeated but where it is refused.
  uint64_t repeated = 0;
  uint32_t operators = 0, shapes = 0;  // as of a verdict
  std::vector<LawVerdict> laws;        // without evidence
};
FamilySize size_of(const Part& part, const FamilyPlan& plan, uint64_t seed);
/// What is not as a plan has it in a verdict on a part; empty: nothing.
std::string other_than_planned(const Verdict& verdict, const Part& part, const FamilyPlan& plan,
                               uint64_t seed);
/// What judging a part takes, about, its whole domains left out.
struct FamilyEffort {
  uint64_t evaluations = 0;   // of single functions
  uint64_t programs = 0;      // cases that are programs
  uint64_t compilations = 0;  // of programs
};
FamilyEffort effort_of(const Part& part, const FamilyPlan& plan);

/// The operator at a type as one application. Domain: an operator of Operators, but for Component.
Application application_of(spec::Op op, spec::DataType type);

/// A part is judged in so many slices, each by itself. Their verdicts, added in their order and completed,
/// are the part's.
uint32_t slices_of(Family family, const FamilyPlan& plan, std::optional<Track> track = std::nullopt);
Verdict check_slice(backend::Backend& backend, Family family, uint32_t slice, const FamilyPlan& plan,
                    uint64_t seed, const Monitor& monitor, std::optional<Track> track = std::nullopt);
/// Works out what no slice has: of Shapes, the tuples of levels that all cases together cover. Of what did
/// not run to its end there is no coverage.
void complete(Verdict& verdict, const FamilyPlan& plan, uint64_t seed);
/// Runs a family's subjects of one track, or all of them, but for whole domains: all slices. What the backend
/// refuses is the verdict's error.
Verdict check_family(backend::Backend& backend, Family family, const FamilyPlan& plan, uint64_t seed,
                     const Monitor& monitor, std::optional<Track> track = std::nullopt);

}  // namespace vyre::verify
