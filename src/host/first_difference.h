// The first value that two backends compute differently, and where it stands in the text.
//
// Outputs that differ say that something is wrong, not what. Here the program is run again on both backends
// with probes in it (lower/lift.h) and the place where they part is found by bisection: some two dozen runs
// for a million values an invocation. What depends on the order of atomics may differ between two right runs
// and is not looked at. Of several steps, the first that differs is looked into; of a pipeline, which is run
// dispatch by dispatch over equal buffers for that, the first dispatch after which the backends differ.
//
// Watching changes the program, so a fault may hide from it; that is said, and never an error.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host/run.h"

namespace vyre::host {

/// A backend and its name as the user gave it.
struct Contestant {
  backend::Backend& backend;
  std::string_view name;
};

struct FirstDifference {
  size_t step = 0;  // the first that differs, from 0
  /// X008 at the expression; its notes say how often it had been computed before, and in which operation.
  std::optional<Diag> place;
  /// Why there is no place: a sentence.
  std::string why;
};

/// How many invocations are looked at: those of more begin to take minutes on the reference.
inline constexpr uint64_t kMaxWatched = uint64_t{1} << 22;

/// Looks for it. `a` and `b` gave different results for these steps over these inputs; a is taken to be
/// right.
///
/// Domain  as host::run_steps. `source` gives the text of a step, or null.
/// Cost    about ten times the program's own time once, at most, and then for one workgroup again and again;
///         memory: the buffers three times and 64 MiB.
FirstDifference find_first_difference(const Contestant& a, const Contestant& b, std::span<const Step> steps,
                                      const Buffers& inputs,
                                      const std::function<const Source*(size_t)>& source,
                                      uint64_t most = kMaxWatched);

}  // namespace vyre::host
