// Is a program free of races? A proof, a witness, or "unknown", and nothing in between.
//
// Free is said only where the static analysis (races/races.h) ruled out every pair of accesses, by linear
// arithmetic or because a solver found the question about it unsatisfiable. Race is said only with a witness:
// an input and a number of workgroups for which the reference's own evaluation makes two accesses of one
// element that nothing orders. Its detector (ref/race_detector.h) has to say the same. Witnesses are looked
// for among small dispatches of a few kinds, and where a solver says how a pair could meet. Everything else
// is Unknown, with what stands in the way.
//
// A verdict is about every input and every number of workgroups, along each axis that an id of the program
// mentions (invocation_id, workgroup_id or local_id). Along an axis that none mentions it is about one
// workgroup: more would do the same work again in the same place, and dispatching more of them is intended.
// What is spent on a program is limited in steps, not in time, so that no verdict depends on the machine.
// Source: semantics, "Memory" (data race).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "check/checked.h"
#include "layout/dispatch.h"
#include "solver/solver.h"

namespace vyre::verify {

enum class RaceAnswer : uint8_t { Free, Race, Unknown };
inline constexpr std::array<std::string_view, 3> kRaceAnswerNames = {"race-free", "race", "unknown"};
constexpr std::string_view text(RaceAnswer answer) { return kRaceAnswerNames[static_cast<size_t>(answer)]; }

enum class AccessKind : uint8_t { Read, Write, Atomic };
inline constexpr std::array<std::string_view, 3> kAccessKindNames = {"reads", "writes", "changes atomically"};

/// One of the two accesses of a race.
struct RacingAccess {
  std::array<uint32_t, 3> invocation{};  // in the dispatch
  std::array<uint32_t, 3> workgroup{};
  uint32_t interval = 0;  // barriers that it had passed
  AccessKind kind{};
  bool operator==(const RacingAccess&) const = default;
};

/// A dispatch that has a race, and the first one of the reference's evaluation.
struct RaceWitness {
  layout::Groups groups;
  std::vector<Bytes> buffers;  // one a bound buffer, in the order of check::Checked::bound_buffers()
  check::BufferId buffer{};
  uint64_t element = 0;  // its linear number in the buffer
  RacingAccess first, second;
  std::string inputs;              // of what kind they are, for people: "counting up"
  Span first_place, second_place;  // in the text, as the reference's detector of races has them
};

/// The first race that the reference's evaluation of a dispatch meets, invocations in order between barriers;
/// none where it meets none.
/// Errors  of layout::bind; B003 when the steps run out; B002 for programs with operations of subgroups.
Result<std::optional<RaceWitness>> replay_race(const check::Checked& program, std::vector<Bytes> buffers,
                                               layout::Groups groups, uint64_t max_steps = 2'000'000);

/// What one program may cost, whatever the machine.
struct RaceLimits {
  uint64_t arithmetic = 2'000'000;  // rows of linear systems
  uint64_t replays = 4'000'000;     // steps of the reference, in all dispatches tried
  uint64_t solver = 2'000'000;      // of a solver's own steps, in all questions (Z3: rlimit)
  uint32_t questions = 64;
};
struct RaceOptions {
  bool solver = true;  // ask one where arithmetic is not enough
  RaceLimits limits = {};
};

struct RaceVerdict {
  RaceAnswer answer = RaceAnswer::Unknown;
  std::string reason;                  // Unknown: what stands in the way
  std::optional<RaceWitness> witness;  // Race
  std::array<bool, 3> single{};        // axes that no id mentions: the verdict is about one workgroup there
  size_t pairs = 0;                    // that could race by the barriers around them
  size_t by_solver = 0;                // of these, ruled out by a solver; the rest by arithmetic
  std::vector<std::pair<Span, Span>> left;  // Unknown and Race: accesses that were not ruled out
};

/// Cost: a tenth of a millisecond for most small programs, at most what the limits say.
RaceVerdict check_races(const check::Checked& program, const RaceOptions& options = {});

/// What dispatches a verdict is about: "for every number of workgroups along x, one along y and z".
std::string scope(const RaceVerdict& verdict);

}  // namespace vyre::verify
