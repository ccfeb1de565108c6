// The nursery: where the processes of one worker come from.
//
// Starting a program as large as a compiler takes longer than most of what a worker does before it is
// replaced: the loader has hundreds of thousands of addresses to write. So the program is started by exec
// once, and waits, before it opens a backend, starts a thread or reads anything but what it is told here;
// each worker is a fork of it at that point. What is forked has never been near a driver and has nothing of
// its parent's memory, so a worker has what a process by exec has. Processes are waited for by the nursery,
// their parent.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "worker/process.h"

namespace vyre::worker {

class Nursery {
 public:
  /// Errors: B009.
  static Result<std::unique_ptr<Nursery>> start(const std::string& program,
                                                const std::vector<std::string>& arguments);

  /// A new process with `socket` where the nursery's own was and `output` for what it prints, in a process
  /// group of its own. None when the nursery does not answer in time, or with anything but a process: it is
  /// of no more use.
  std::optional<pid_t> fork(const Fd& socket, const Fd& output, Deadline deadline);
  /// How one of them ended, as waitpid() says it; waits until it has. None when the nursery does not say.
  std::optional<int> reap(pid_t pid, Deadline deadline);

  /// How the nursery itself ended, as Process::end().
  std::string end(double grace) { return process_->end(grace); }

 private:
  std::optional<int32_t> ask(uint8_t request, int32_t value, const Fd* fd, Deadline deadline);
  std::unique_ptr<Process> process_;
};

/// The other side: answers on the socket until it is in a new process, which has a socket to serve in the
/// same place; ends the process when the parent is gone. The caller has one thread.
void tend_nursery(int socket);

}  // namespace vyre::worker
