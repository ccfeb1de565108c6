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
/// The name of a shape: "gather, workgroup 7,1,1". What it is of Subgroups depends on the size of subgroups.
std::string shape_name(Family family, size_t shape, const backend::Limits& limits = {});
/// A pure function of its arguments, of which Subgroups alone looks at the limits.
generate::ProgramCase family_case(Family family, uint64_t seed, uint64_t index,
                                  const backend::Limits& limits = {});
/// Whether a shape calls only operations of subgroups that are among these.
bool uses_only(Family family, size_t shape, const IntrinsicSet& usable);

/// How many cases or evaluations a family gets.
struct FamilyPlan {
  uint64_t cases_a_subject;  // elementwise
  uint64_t inputs_a_shape;   // program families
  uint64_t random_programs;  // of floats a third of it
};
FamilyPlan family_plan(Strength strength);
/// How many inputs a shape of a family gets: of Sums twice as many, so that at any strength each of its
/// shapes meets every kind of elements.
uint64_t inputs_a_shape(Family family, const FamilyPlan& plan);

/// Runs a family's subjects of one track, or all of them. What the backend refuses is the verdict's error.
Verdict check_family(backend::Backend& backend, Family family, const FamilyPlan& plan, uint64_t seed,
                     const Monitor& monitor, std::optional<Track> track = std::nullopt);

}  // namespace vyre::verify
