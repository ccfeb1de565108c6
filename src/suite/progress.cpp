#include "suite/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace vyre::suite {

std::string progress_line(const Progress& p, double seconds) {
  // The estimate may be short of what is done; then all but nothing is left.
  const double share = p.expected == 0 ? 1 : std::min(0.999, double(p.done) / double(p.expected));
  const double rate = seconds > 0 ? double(p.done) / seconds : 0;
  // Rounded down: 100 % is what has ended.
  std::string out = fmt::format("{:3} %  {}/{} subjects  {:.1f} M/s", uint64_t(100 * share), p.subjects_done,
                                p.subjects, rate / 1e6);
  if (share > 0.02) {
    const uint64_t left = uint64_t(seconds * (1 - share) / share + 0.5);
    out += left < 90 ? fmt::format("  {} s left", left) : fmt::format("  {} min left", (left + 30) / 60);
  }
  return out + fmt::format("  {}", p.subject);
}

ProgressLine::ProgressLine()
    : terminal_(::isatty(STDERR_FILENO) != 0), begin_(std::chrono::steady_clock::now()), shown_(begin_) {}

ProgressLine::~ProgressLine() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

Watch ProgressLine::watch() {
  if (!terminal_) return {};
  return [this](const Progress& progress) { show(progress); };
}

void ProgressLine::show(const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < std::chrono::milliseconds(100)) return;
  shown_ = now;
  // A line that wraps cannot be rewritten. A terminal that does not know its width has 80 columns.
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  fmt::print(stderr, "\r\033[K{:.{}}",
             progress_line(progress, std::chrono::duration<double>(now - begin_).count()),
             known ? size.ws_col - 1 : 79);
  std::fflush(stderr);
}

}  // namespace vyre::suite
