// Workers: a backend in a process of its own, which may die.
//
// A driver is not trusted. make_worker() starts a process by exec (never fork alone: drivers do not survive
// it) that opens the backend, and gives a Backend whose calls travel there: control over a socket, buffers
// through shared memory. What the process does cannot harm its parent: a crash, an abort, an exit is B009, a
// call that outlasts its budget B010 (and the process is killed), a message or a size that the protocol does
// not allow B012. After each of these the next call finds a new process, in which pipelines are compiled
// again; what device buffers held is lost.
//
// The memory that both see holds nothing but the buffers of dispatches. The parent copies inputs in and
// results out before it compares, so what is expected is never mapped into a worker. Inputs lie where the
// worker can only read. Around and between buffers lies poison, checked after each dispatch: a worker that
// writes there is found (B012, naming the place). Two areas take turns, and each is checked again before it
// is reused, so that a write which comes after the answer is found as well. Why so: docs/workers.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/registry/registry.h"
#include "ops/operation.h"
#include "worker/isolate.h"

namespace vyre::worker {

struct Options {
  std::string backend;  // as backend::open takes it
  backend::Options backend_options;
  /// The executable that has the verb `worker`; empty: this one.
  std::string program;
  /// How many cores the process may use at a time; 0: all. Asked at each call, since workers side by side
  /// share the machine, and the last of them have it to themselves. Empty: all. Thread: that of the call.
  std::function<unsigned()> cores;
  double open_seconds = 60;      // to open the backend
  double compile_seconds = 60;   // a program
  double dispatch_seconds = 10;  // a dispatch, a copy
  double drain_seconds = 0.01;   // after so long Backend::drain() looks for late writes
  /// What the process cannot read, as it stands in Isolation.
  std::vector<std::string> hidden;
  /// Called with a warning when the kernel leaves a route open that is tolerable: with each process anew.
  /// Thread: that of the call.
  std::function<void(const Diag&)> warn;
};

/// What fills the buffers of a dispatch or copies results out: called with the memory of each, in order.
using UseMemory = std::function<void(std::span<const std::span<std::byte>>)>;

/// The pipelines that a worker's backend compiles: buffers can be made right where the worker will see them.
class InPlacePipeline : public backend::Pipeline {
 public:
  /// A dispatch of which `fill` writes every buffer in shared memory, where each is unspecified before and
  /// what the worker only reads cannot change any more, and `copy_out` gets the results from there, once the
  /// poison around them was found whole. Neither may make calls of this worker; the memory is theirs while
  /// they run. `copy_out` must read a byte once, and nothing may be judged in that memory: the worker still
  /// has it.
  ///
  /// Domain  sizes: in bytes, one a bound buffer.
  /// Errors  those of dispatch(); then `copy_out` was not called.
  virtual Result<void> dispatch_in_place(std::span<const uint64_t> sizes, layout::Groups groups,
                                         const UseMemory& fill, const UseMemory& copy_out) = 0;
};

/// Errors: what opening the backend answers; B009, B010; B001 when the process can do what is not tolerable.
Result<std::unique_ptr<backend::Backend>> make_worker(const Options& options);

/// What a worker did to the memory that it shares with its parent, or to the protocol: the kinds of B012.
enum class Breach : uint8_t {
  Outside,   // wrote poison between and around the buffers of this dispatch
  ReadOnly,  // wrote into or beside a read or uniform buffer of this dispatch, and died of it
  Late,      // wrote memory of an earlier dispatch, after that one was answered
  Protocol,  // sent a message or a size that the protocol does not allow
};
/// Which kind a diagnostic reports; none when it is not B012 of a worker. The cause of a Late one is never
/// the call that answers with it, but one of the two dispatches before it: the call did nothing, and a new
/// process is started for the next. Backend::drain() asks after each dispatch.
std::optional<Breach> breach_of(const Diag& diag);

/// What the executable of a worker is started with: `worker --backend SPEC --fd N`, the backend's options and
/// `--scratch FOLDER`, `--hide PATH`.
std::vector<std::string> worker_arguments(const Options& options, const std::string& scratch);

/// The other side: closes itself off, opens the backend and serves calls on the socket until it closes. The
/// exit code. Domain: nothing of the backend is loaded, and there is one thread. Programs
/// are decoded and checked again, against `table`, which must have every operation that they may call. The
/// process ends with its parent, even in the middle of a call. `limit` gets how many cores the process may
/// use from now on, 0 for all, before the first call and whenever that changes.
using Open = std::function<Result<std::unique_ptr<backend::Backend>>()>;
using LimitCores = std::function<void(unsigned)>;
int serve(const Open& open, int socket, const spec::OpTable& table = ops::op_table(),
          const LimitCores& limit = {}, const Isolation& isolation = {});

}  // namespace vyre::worker
