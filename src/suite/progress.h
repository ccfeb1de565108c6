// Progress: one line on a terminal that is rewritten in place: where the run is, how fast, and how long it
// will be.
#pragma once

#include <chrono>

#include "suite/suite.h"

namespace vyre::suite {

/// The line for a state of a run that has lasted `seconds`.
std::string progress_line(const Progress& progress, double seconds);

/// Writes to stderr when it is a terminal, ten times a second at most; clears the line when destroyed.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Empty when stderr is no terminal.
  Watch watch();

 private:
  void show(const Progress& progress);
  bool terminal_;
  std::chrono::steady_clock::time_point begin_, shown_;
};

}  // namespace vyre::suite
