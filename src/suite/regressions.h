// Regressions: every failing case that was ever found, kept in a directory that belongs into version control.
//
// One file a case (suite/failing_case.h), named by what is run, so that a case found again, by another seed,
// on another day or on another machine, is the same file and a directory merges without conflicts. What is
// kept is run first in every later run. Nothing is ever removed: a case that passes now is counted as
// passing, and a maintainer who thinks it of no more use deletes its file, where a review sees it.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/result.h"
#include "suite/failing_case.h"
#include "suite/replay.h"

namespace vyre::suite {

struct Regression {
  std::filesystem::path path;
  FailingCase failing;
};

/// All of a directory, by name: *.vyre and *.case. Errors: those of parse_failing_case with the path in their
/// message; C003 for what cannot be read. A directory that is not there is an empty one.
Result<std::vector<Regression>> read_regressions(const std::filesystem::path& folder);

struct Replayed {
  size_t passing = 0;
  struct Failing {
    std::filesystem::path path;
    Story story;
    Replay replay;
  };
  std::vector<Failing> failing;
};
/// Runs each. Errors: of replay(), what stands in the way of judging.
Result<Replayed> replay_all(std::span<const Regression> regressions, backend::Backend& backend);
/// For people: what failed with the line to replay it, and a line with the counts.
std::string report(const Replayed& replayed, std::string_view backend);

/// Different cases.
struct Kept {
  size_t fresh = 0;  // written
  size_t known = 0;  // there before
};
/// Writes those that are not there. The directory is made when there is something to write.
/// Errors: a sentence with the file and the system's reason.
std::expected<Kept, std::string> keep(std::span<const FailingCase> failing,
                                      const std::filesystem::path& folder);

}  // namespace vyre::suite
