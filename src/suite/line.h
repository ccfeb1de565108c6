// One line on a terminal that is rewritten in place, for what is not a run of a suite.
#pragma once

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

namespace vyre::suite {

/// Writes to stderr where it is a terminal, and clears the line when destroyed.
class Line {
 public:
  Line() : terminal_(::isatty(STDERR_FILENO) != 0) {}
  ~Line() {
    if (terminal_) fmt::print(stderr, "\r\033[K");
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  /// `what` after the counts, the rate and the time left.
  void show(size_t done, size_t all, std::string_view what) {
    if (!terminal_) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    const double left = done == 0 ? 0 : seconds / double(done) * double(all - std::min(all, done));
    show(fmt::format("{}/{}  {:.0f}/s  {:.0f} s left  {}", done, all, double(done) / std::max(seconds, 1e-3),
                     left, what));
  }

 private:
  using Clock = std::chrono::steady_clock;
  void show(const std::string& line) {
    if (!terminal_) return;
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    fmt::print(stderr, "\r\033[K{:.{}}", line, known ? size.ws_col - 1 : 79);
    std::fflush(stderr);
  }

  bool terminal_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace vyre::suite
