// Families of the IR as subjects of their own: operators at every type, and programs that exercise what no
// single operation does. A backend is certified only if it gives the reference's bytes for all of them.
//
// Elementwise families (operators, select, casts) are judged by specification rows and the reference's
// operator functions. Program families are compared in bytes with ref::run over every bound buffer. Each
// program is free of races, so its bytes do not depend on any schedule: contended atomics are followed by
// reductions whose result does not depend on the order. Litmus and Sums have programs whose bytes do: of them
// the buffers are judged on the host, by the memory model (generate::ProgramCase::outcome) and by exact sums
// and tolerances (verify/sums.h). Case k of a family is a pure function of the seed and k, and in Subgroups
// of the limits of the backend. Source: oracles, "Oracle 3"; semantics, "Memory", "Structure";
// execution-model.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generate/programs.h"
#include "verify/monitor.h"
#include "verify/parity.h"
#include "verify/subgroups.h"
#include "verify/verdict.h"

namespace vyre::verify {

enum class Family : uint8_t {
#define VYRE_FAMILY(Name, text, tracks, summary) Name,
#include "verify/families.def"
#undef VYRE_FAMILY
};
/// Which tracks the subjects of a family are of.
enum class Tracks : uint8_t { Integer, Float, Both, Approximate };
struct FamilyInfo {
  Family family;
  std::string_view text;
  Tracks tracks;
  std::string_view summary;
};
inline constexpr auto kFamilies = std::to_array<FamilyInfo>({
#define VYRE_FAMILY(Name, text, tracks, summary) {Family::Name, text, Tracks::tracks, summary},
#include "verify/families.def"
#undef VYRE_FAMILY
});
constexpr const FamilyInfo& info(Family family) { return kFamilies[static_cast<size_t>(family)]; }

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

/// Whether the bytes of its programs may differ from one run to the next, and so from the reference's: what
/// is seen of shared words, and sums whose order is the backend's.
constexpr bool depends_on_schedule(Family family) {
  return family == Family::Litmus || family == Family::Sums;
}

/// The subjects of Operators, Select, Casts and Atomics; empty for the others.
std::vector<Subject> elementwise_subjects(Family family);
/// Those of one track.
std::vector<Subject> elementwise_subjects(Family family, Track track);

/// How many different programs Memory, Control, Loops, Barriers, Atomics, Subgroups, Reductions,
/// Synchronization, Litmus or Sums has; case k runs program k % shapes. Programs has no shapes: each case is
/// a program of its own.
size_t shapes(Family family);
/// Whether cases of a family are programs, which tokens of the strategy "program" name.
bool has_programs(Family family);
/// The name of a shape: "gather, workgroup 7,1,1". What it is of Subgroups depends on the size of subgroups.
std::string shape_name(Family family, size_t shape, const backend::Limits& limits = {});
/// A pure function of its arguments, of which Subgroups and Shapes alone look at the limits. Of Shapes it is
/// the last dispatch of the case. Domain: of Shapes, a number of a case (verify/shape_factors.h).
generate::ProgramCase family_case(Family family, uint64_t seed, uint64_t index,
                                  const backend::Limits& limits = {});
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
  /// Repeated evaluations. Of Subgroups at least: what a backend lacks is not repeated but where it is
  /// refused.
  uint64_t repeated = 0;
  uint32_t operators = 0, shapes = 0;  // as of a verdict
  std::vector<LawVerdict> laws;        // without evidence
};
FamilySize size_of(const Part& part, const FamilyPlan& plan, uint64_t seed);

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
