// Closing a worker off from the process that judges it, before the backend is loaded there.
//
// A backend that wanted to pass without being right would look for what is expected of it: in the memory of
// its parent, in the command line, which has the seed, in the directory that keeps results; or it would write
// over one of them. isolate() gives up what that takes, by what the kernel lets any process give up:
// capabilities, system calls that reach into other processes (seccomp), and with Landlock files and signals.
// The parent closes its memory to others of its user. What of this a kernel lacks is found by trying: a
// worker tries each route before it opens its backend, and says which are open. Source: docs/workers.md;
// landlock(7), seccomp(2), capabilities(7), PR_SET_DUMPABLE(2const), ptrace(2), "Ptrace access mode
// checking".
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vyre::worker {

/// A way from a worker to its parent.
enum class Route : uint8_t { Memory, Environment, Descriptors, CommandLine, Signals, Files };
inline constexpr size_t kRouteCount = size_t(Route::Files) + 1;
/// What a backend can do that finds it open: "read the memory of the process that judges it".
std::string_view text(Route route);
/// Whether a parent goes on with a worker that has it: where expected values lie, it does not.
bool is_tolerable(Route route);

struct Isolation {
  /// Directories and files, absolute, that a worker cannot read, whether they are there or not.
  std::vector<std::string> hidden;
  /// A folder where it may write what it likes, also known to it as TMPDIR; empty: none.
  std::string scratch;
};

/// In the parent, before a worker is started: closes this process's memory, environment and descriptors to
/// processes of the same user. Debuggers of that user are locked out too. Thread: any.
void close_to_others();

/// In the worker, before anything of the backend is loaded: gives up what no backend needs. What the kernel
/// does not know is left out; find_open_routes() tells. Domain: this process has one thread.
void isolate(const Isolation& isolation);

/// In the worker: the routes to `parent` that are open all the same, found by trying each.
std::vector<Route> find_open_routes(pid_t parent);

/// A new folder beneath the directory for temporary files, removed with all that is in it at the end. Empty
/// path where none could be made.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  ~Scratch();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace vyre::worker
