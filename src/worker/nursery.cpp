#include "worker/nursery.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "worker/protocol.h"

namespace vyre::worker {
namespace {

constexpr int kAskedAmiss = 2;  // the exit code, as of a worker

/// What the nursery is asked for. A process takes two requests, since a message carries one descriptor.
enum class Request : uint8_t {
  Socket,  // a descriptor -> nothing
  Output,  // a descriptor -> pid: a new process has both
  Reap,    // pid -> status
};

/// In the new process: puts its descriptors in their places.
void settle_in(const Fd& socket, int place, const Fd& output) {
  ::setpgid(0, 0);
  ::dup2(output.get(), STDOUT_FILENO);
  ::dup2(output.get(), STDERR_FILENO);
  ::dup2(socket.get(), place);
}

int status_of(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return status;
}

}  // namespace

Result<std::unique_ptr<Nursery>> Nursery::start(const std::string& program,
                                                const std::vector<std::string>& arguments) {
  VYRE_TRY(process, Process::start(program, arguments));
  auto out = std::make_unique<Nursery>();
  out->process_ = std::move(process);
  return out;
}

std::optional<int32_t> Nursery::ask(uint8_t request, int32_t value, const Fd* fd, Deadline deadline) {
  Writer out;
  out.number(request);
  out.number(value);
  Channel& channel = process_->channel();
  if (channel.send(out.written(), fd != nullptr ? fd->get() : -1, deadline, &process_->output()) !=
      Passage::Done)
    return std::nullopt;
  Bytes message;
  if (channel.receive(message, nullptr, deadline, &process_->output()) != Passage::Done) return std::nullopt;
  Reader in(message);
  const auto answer = in.number<int32_t>();
  return in.done() ? std::optional(answer) : std::nullopt;
}

std::optional<pid_t> Nursery::fork(const Fd& socket, const Fd& output, Deadline deadline) {
  if (!ask(uint8_t(Request::Socket), 0, &socket, deadline)) return std::nullopt;
  const auto pid = ask(uint8_t(Request::Output), 0, &output, deadline);
  return pid && *pid > 0 ? pid : std::nullopt;
}

std::optional<int> Nursery::reap(pid_t pid, Deadline deadline) {
  return ask(uint8_t(Request::Reap), pid, nullptr, deadline);
}

void tend_nursery(int socket) {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  Channel channel{Fd(socket)};
  Bytes message;
  Fd next_socket;
  for (;;) {
    Fd fd;
    if (channel.receive(message, &fd, kForever, nullptr) != Passage::Done) ::_exit(0);
    Reader in(message);
    const auto request = in.number<uint8_t>();
    const auto pid = in.number<int32_t>();
    int32_t answer = 0;
    if (request == uint8_t(Request::Socket)) {
      next_socket = std::move(fd);
    } else if (request == uint8_t(Request::Output)) {
      answer = ::fork();
      if (answer == 0) {
        channel.close();
        settle_in(next_socket, socket, fd);
        return;
      }
      next_socket.reset();
    } else if (request == uint8_t(Request::Reap)) {
      answer = status_of(pid);
    } else {
      ::_exit(kAskedAmiss);
    }
    fd.reset();
    Writer out;
    out.number(answer);
    if (channel.send(out.written(), -1, kForever, nullptr) != Passage::Done) ::_exit(0);
  }
}

}  // namespace vyre::worker
