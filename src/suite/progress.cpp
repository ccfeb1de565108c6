#include "suite/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "certify/console.h"

namespace vyre::suite {

std::string progress_line(const Progress& p, double seconds, bool in_log) {
  // The estimate may be short of what is done; then all but nothing is left.
  const double share = p.expected == 0 ? 1 : std::min(0.999, double(p.work) / double(p.expected));
  const double rate = seconds > 0 ? double(p.done) / seconds : 0;
  // Rounded down: 100 % is what has ended.
  const std::string cases = in_log ? certify::grouped(p.done) + " cases  " : std::string();
  std::string out = fmt::format("{:3} %  {}/{} subjects  {}{:.1f} M/s", uint64_t(100 * share),
                                p.subjects_done, p.subjects, cases, rate / 1e6);
  if (share > 0.02) {
    const uint64_t left = uint64_t(seconds * (1 - share) / share + 0.5);
    out += left < 90 ? fmt::format("  {} s left", left) : fmt::format("  {} min left", (left + 30) / 60);
  }
  return out + fmt::format("  {}", p.subject);
}

ProgressLine::ProgressLine()
    : ProgressLine(
          ::isatty(STDERR_FILENO) != 0,
          [begin = std::chrono::steady_clock::now()] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
          },
          [](const std::string& text) {
            fmt::print(stderr, "{}", text);
            std::fflush(stderr);
          }) {}

ProgressLine::ProgressLine(bool terminal, std::function<double()> seconds,
                           std::function<void(const std::string&)> write)
    : terminal_(terminal), seconds_(std::move(seconds)), write_(std::move(write)) {}

ProgressLine::~ProgressLine() {
  if (terminal_) write_("\r\033[K");
}

Watch ProgressLine::watch() {
  return [this](const Progress& progress) { show(progress); };
}

void ProgressLine::show(const Progress& progress) {
  const double now = seconds_();
  if (now - shown_ < (terminal_ ? 0.1 : 10)) return;
  shown_ = now;
  if (!terminal_) return write_(progress_line(progress, now, /*in_log=*/true) + "\n");
  // A line that wraps cannot be rewritten. A terminal that does not know its width has 80 columns.
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  write_(fmt::format("\r\033[K{:.{}}", progress_line(progress, now), known ? size.ws_col - 1 : 79));
}

}  // namespace vyre::suite
