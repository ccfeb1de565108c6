#include "worker/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "worker/protocol.h"
#include "worker/spawn.h"

namespace vyre::worker {
namespace {

/// Above this, so that putting the worker's descriptors in their places overwrites none of them.
constexpr int kFirstFree = 10;
/// A process that was killed and does not end sits in its driver; nothing more can be done about it.
constexpr double kKillSeconds = 30;
constexpr size_t kLinesShown = 4;

Diag cannot_start(std::string_view what, int error) {
  return make_diag(
      DiagCode::B009, Span::none(),
      fmt::format("the backend's process could not be started: {}: {}", what, std::strerror(error)),
      "free some processes, memory or file descriptors, or use --in-process");
}

Result<Fd> moved_up(Fd fd) {
  Fd up(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstFree));
  if (!up) return std::unexpected(cannot_start("fcntl", errno));
  return up;
}

struct Pair {
  Fd ours, theirs;
};
Result<Pair> make_socket() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return std::unexpected(cannot_start("socketpair", errno));
  Fd ours(ends[0]);
  VYRE_TRY(theirs, moved_up(Fd(ends[1])));
  return Pair{std::move(ours), std::move(theirs)};
}
Result<Pair> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(cannot_start("pipe", errno));
  Fd ours(ends[0]);
  Fd low(ends[1]);
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  VYRE_TRY(theirs, moved_up(std::move(low)));
  return Pair{std::move(ours), std::move(theirs)};
}

std::string signal_text(int signal) {
  const char* const description = ::sigdescr_np(signal);
  if (description == nullptr) return fmt::format("ended by signal {}", signal);
  std::string name = description;
  name.front() = char(std::tolower(static_cast<unsigned char>(name.front())));
  return fmt::format("ended by signal {} ({})", signal, name);
}

}  // namespace

Result<std::unique_ptr<Process>> Process::start(const std::string& program,
                                                const std::vector<std::string>& arguments) {
  VYRE_TRY(socket, make_socket());
  VYRE_TRY(pipe, make_pipe());
  std::unique_ptr<Process> out(new Process);
  const int output = pipe.theirs.get();
  const std::array<Inherited, 4> descriptors = {{{STDIN_FILENO},
                                                 {STDOUT_FILENO, output},
                                                 {STDERR_FILENO, output},
                                                 {kWorkerSocket, socket.theirs.get()}}};
  if (const int error = spawn(program, arguments, descriptors, out->pid_)) {
    out->reaped_ = true;
    return std::unexpected(cannot_start(program, error));
  }
  // Tells of its end with a time limit. Kernels before 5.3 have none; then waiting has no limit.
  out->pidfd_ = Fd(int(::syscall(SYS_pidfd_open, out->pid_, 0)));
  if (out->pidfd_) ::fcntl(out->pidfd_.get(), F_SETFD, FD_CLOEXEC);
  out->channel_ = Channel(std::move(socket.ours));
  out->output_ = OutputTail(std::move(pipe.ours));
  return out;
}

Process::~Process() { end(0); }

bool Process::wait_until(Deadline deadline) {
  while (!reaped_) {
    if (pidfd_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      pollfd poll = {pidfd_.get(), POLLIN, 0};
      const int ready = ::poll(&poll, 1, int(std::max<decltype(left)>(left, 0)));
      if (ready == 0) return false;
      if (ready < 0) continue;
    }
    const pid_t done = ::waitpid(pid_, &status_, 0);
    if (done < 0 && errno == EINTR) continue;
    reaped_ = true;
  }
  return true;
}

std::string Process::end(double grace) {
  const auto after = [](double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  if (!reaped_ && (grace <= 0 || !wait_until(after(grace)))) {
    killed_ = true;
    ::kill(pid_, SIGKILL);
    wait_until(after(kKillSeconds));
  }
  channel_.close();
  output_.drain();
  std::string how;
  if (!reaped_) {
    how = "does not end, though it was killed";
  } else if (WIFSIGNALED(status_) && !(killed_ && WTERMSIG(status_) == SIGKILL)) {
    how = signal_text(WTERMSIG(status_));
  } else if (WIFEXITED(status_)) {
    how = fmt::format("exited with status {}", WEXITSTATUS(status_));
  } else {
    how = "closed its socket, and was killed";
  }
  const std::string printed = output_.last(kLinesShown);
  return printed.empty() ? how : fmt::format("{}; it printed last: {}", how, printed);
}

}  // namespace vyre::worker
