// All schedules of a small dispatch: every state that any order of accesses leads to.
//
// In each state the exploration picks an invocation that is about to access memory, makes that access, and
// goes on from there; then it picks another. Orders that differ only in accesses that do not touch each other
// lead to the same states, so after one was tried the others sleep (Godefroid's sleep sets): fewer steps, and
// no state is lost. Two invocations that are about to make conflicting accesses are a race: either could go
// first. That says nothing of epochs or clocks, so it is an oracle for the detector (ref/race_detector.h).
//
// Atomics are more than one order a location: they order no other memory, so an invocation may see an older
// value of one location after a newer one of another (semantics, "Memory"). Here an atomic that would change
// nothing may read any value that its location had since the invocation last looked there, or a barrier
// showed it; so the outcomes of store buffering, message passing and IRIW are among those found. An atomic
// that changes its location always comes last in the location's order, so load buffering is not, and is not
// called impossible.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "ref/machine.h"
#include "ref/race_detector.h"
#include "ref/ref.h"

namespace vyre::ref {

struct ExploreLimits {
  uint64_t max_executions = 20'000;
  uint64_t max_steps = 2'000'000;  // accesses, of all executions together
  /// Accesses that are made once more, to get back to where another order begins: executions cannot be
  /// copied, so a long one with many orders costs its length for each.
  uint64_t max_repeated = 20'000'000;
  bool all_orders = false;  // no partial-order reduction: for tests of it
  size_t max_outcomes = 4'096;
};

/// One access of an execution: whose, and what its atomic read where that was not the newest value.
struct Turn {
  uint32_t invocation = 0;  // its number in the dispatch: workgroup * members + local
  std::optional<Bits> older;
  bool operator==(const Turn&) const = default;
};

struct Exploration {
  bool complete = false;
  uint64_t executions = 0, steps = 0, repeated = 0;
  std::vector<Race> races;                // one a pair of places in the text
  std::vector<Turn> witness;              // of the first race: what leads there, and then the two themselves
  std::set<std::vector<Bytes>> outcomes;  // contents of all bound buffers at the end
  std::string why_not;                    // it is not complete
  std::optional<Divergence> divergence;   // of barriers, and then it is not complete
};

/// Domain  no subgroup operations.
/// Shape   host: as for run(); it is not written to.
/// Errors  as for run(), but running out of steps makes the exploration incomplete.
Result<Exploration> explore(const check::Checked& program, std::span<const std::span<std::byte>> host,
                            layout::Groups groups, const Options& options, const ExploreLimits& limits = {});

/// Repeats an execution, as far as the turns go, and has the detector watch it.
/// Domain  the turns are of an exploration of the same dispatch.
Result<RaceDetector> replay(const check::Checked& program, std::span<const std::span<std::byte>> host,
                            layout::Groups groups, const Options& options, std::span<const Turn> turns);

}  // namespace vyre::ref
