// A worker's process: started by exec, reached over a socket, and killed when it is no longer needed.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/channel.h"

namespace vyre::worker {

class Process {
 public:
  /// Starts `program` with these arguments, with the socket at kWorkerSocket and nothing else of this
  /// process: no input, and what it prints is kept here. It is in a process group of its own, so that an
  /// interrupt from the terminal reaches its parent alone. Errors: B009.
  static Result<std::unique_ptr<Process>> start(const std::string& program,
                                                const std::vector<std::string>& arguments);
  Process(const Process&) = delete;
  /// Ends it.
  ~Process();

  Channel& channel() { return channel_; }
  OutputTail& output() { return output_; }
  /// Gives it `grace` seconds to end by itself, then kills it; how it ended, in words: "ended by signal 11
  /// (segmentation fault)". The last lines that it printed follow.
  std::string end(double grace);
  pid_t pid() const { return pid_; }

 private:
  Process() = default;
  bool wait_until(Deadline deadline);

  pid_t pid_ = -1;
  Fd pidfd_;
  int status_ = 0;
  bool reaped_ = false;
  bool killed_ = false;
  Channel channel_;
  OutputTail output_;
};

}  // namespace vyre::worker
