// Progress: where the run is, how fast, and how long it will be: on a terminal one line that is rewritten in
// place, else a line every ten seconds.
#pragma once

#include <functional>
#include <string>

#include "suite/suite.h"

namespace vyre::suite {

/// The line for a state of a run that has lasted `seconds`; with the cases that are done where it stands in a
/// log.
std::string progress_line(const Progress& progress, double seconds, bool in_log = false);

/// Writes to stderr: to a terminal ten times a second at most, and clears the line when destroyed; else every
/// ten seconds, and nothing of a shorter run.
class ProgressLine {
 public:
  ProgressLine();
  /// The same with another clock, of seconds since the beginning, and another place to write.
  ProgressLine(bool terminal, std::function<double()> seconds, std::function<void(const std::string&)> write);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  Watch watch();

 private:
  void show(const Progress& progress);
  bool terminal_;
  std::function<double()> seconds_;
  std::function<void(const std::string&)> write_;
  double shown_ = 0;
};

}  // namespace vyre::suite
