// Adversarial schedulers: the same dispatch in other orders of its accesses.
//
// The reference runs invocations one after the other, which hides what an order can do. Here all of them are
// in flight (as many workgroups as fit), and the next access is that of whichever invocation the schedule
// names: the last one first, or any, by chance and repeatably. A program that is free of races and whose
// results do not depend on the order of atomics gives the same bytes in every one.
// Source: semantics, "Memory"; execution-model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ref/machine.h"
#include "ref/race_detector.h"
#include "ref/ref.h"

namespace vyre::ref {

struct Schedule {
  enum class Kind : uint8_t { InOrder, Reversed, Random };
  Kind kind = Kind::InOrder;
  uint64_t seed = 0;  // of Random
};

/// Runs one dispatch in another order, access by access. `detector` may be null.
///
/// Shape   host: as for run().
/// Errors  as for run(); X016.
/// Cost    as for run(), and a look at all invocations in flight, at most 4096 (or one workgroup), now and
/// then.
Result<void> run_scheduled(const check::Checked& program, std::span<const std::span<std::byte>> host,
                           layout::Groups groups, const Options& options, const Schedule& schedule,
                           RaceDetector* detector);

struct RaceFindings {
  std::vector<Race> races;      // one a pair of places in the text
  std::vector<Race> unwritten;  // reads of workgroup memory that was not written
  /// Where results differ between schedules though nothing races, so by the order of atomics: a buffer and an
  /// element of it that did.
  struct Dependence {
    BufferId buffer{};
    uint64_t element = 0;
  };
  std::optional<Dependence> dependence;
  uint32_t schedules = 0;  // that were run
  bool explored = false;   // all schedules there are, and none has a race that is not among these
  std::string covered;     // in words: what was run, and why not more
};

/// Looks for races: in order, reversed, in some random orders (those of `seed` and after), and, where the
/// dispatch is small, in every order (ref/explore.h). `host` has the results of the one in order afterwards.
/// Errors  as for run(); X016, where barriers diverge in one of them.
Result<RaceFindings> find_races(const check::Checked& program, std::span<const std::span<std::byte>> host,
                                layout::Groups groups, const Options& options,
                                std::optional<uint64_t> seed = {});

/// X013: which invocations race, on what, with both places in the text.
Diag race_diagnostic(const check::Checked& program, const Race& race);
/// X016: which invocation waits at a barrier for which, with both places in the text.
Diag divergence_diagnostic(const check::Checked& program, const Divergence& divergence);
/// What else was found where nothing races: results that depend on the order of atomics (X014), workgroup
/// memory that is read before any write (X015), and what was covered where that was not everything.
std::vector<Diag> warnings(const check::Checked& program, const RaceFindings& findings);

}  // namespace vyre::ref
