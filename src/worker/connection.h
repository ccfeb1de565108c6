// The parent's side of one worker: a process at a time, and the calls that are made in it.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <vector>

#include "worker/area.h"
#include "worker/process.h"
#include "worker/protocol.h"
#include "worker/worker.h"

namespace vyre::worker {

/// A process and everything that was made in it. What the parent knows of it ends with it.
struct Generation {
  Scratch scratch;
  std::unique_ptr<Process> process;
  Lane inputs;
  std::array<Area, kTurns> areas;
  uint64_t number = 0;      // which process this is
  uint64_t placements = 0;  // in the areas, so far
  uint32_t calls = 0;
  std::set<uint32_t> pipelines;  // compiled in it
  std::set<uint32_t> buffers;    // allocated in it
  // To be forgotten; sent with the next call.
  std::vector<uint32_t> dropped_pipelines;
  std::vector<uint32_t> dropped_buffers;
};

/// What an answer gave, in the bytes that it came in.
struct Answer {
  Bytes message;
  size_t at = 0;
  Reader reader() const { return Reader(std::span(message).subspan(at)); }
};

/// Thread: any; calls wait for one another. What is locked says so by asking for the lock.
class Connection {
 public:
  using Lock = std::unique_lock<std::mutex>;
  explicit Connection(Options options) : options_(std::move(options)) {}
  ~Connection();

  Lock lock() { return Lock(mutex_); }
  const Options& options() const { return options_; }
  const Greeting& greeting() const { return greeting_; }

  /// Starts a process unless there is one. Errors: what opening answers, B009, B010, B012.
  Result<Generation*> ensure(const Lock& lock);
  /// One call in the process that ensure() gave. Errors: what the worker answers; B009, B010, B012. After
  /// those and after B011 there is no process.
  Result<Answer> call(const Lock& lock, Call call, std::span<const std::byte> body, double seconds,
                      int fd = -1);
  /// A call that answers nothing.
  Result<void> command(const Lock& lock, Call call, std::span<const std::byte> body, double seconds,
                       int fd = -1);
  /// A call over buffers: lays them out in the region whose turn it is, has them filled, adds turn and places
  /// to the body, calls, checks, has the results copied out. `body` is what stands before the turn; `count`
  /// what stands between it and the places. Errors: those of call(); B012, and then nothing was copied out.
  Result<void> call_with_memory(const Lock& lock, Call call, Writer body, std::span<const std::byte> count,
                                std::span<const BufferShape> buffers, const FillMemory& fill,
                                const UseMemory& copy_out);
  /// Waits a while for late writes, which come from threads and devices that were left running.
  Result<void> drain(const Lock& lock);
  /// Looks for late writes. Errors: B012, and then there is no process.
  Result<void> check_rest(const Lock& lock);
  /// Ends the process, unless it has done nothing yet. Errors: those of check_rest().
  Result<void> restart(const Lock& lock);
  /// Ends the process because of what it did.
  Diag breach(const Lock& lock, Breach breach, std::string_view what);

  /// Of a pipeline or a buffer.
  uint32_t new_id() { return ++last_id_; }
  void drop_pipeline(uint32_t id);
  void drop_buffer(uint32_t id);

 private:
  Result<Area*> area_for(const Lock& lock, std::span<const BufferShape> buffers);
  Result<void> make_room(const Lock& lock, Lane& lane, size_t turn, Access access, uint64_t bytes);
  Diag input_written(const Lock& lock, uint64_t at);
  Result<void> greet(const Lock& lock);
  Result<void> tolerate(const Lock& lock, std::span<const Route> routes);
  Diag trouble(const Lock& lock, Passage passage, Call call, double seconds);

  const Options options_;
  std::mutex mutex_;
  Greeting greeting_;
  bool greeted_ = false;
  std::unique_ptr<Generation> generation_;
  uint64_t generations_ = 0;
  std::atomic<uint32_t> last_id_ = 0;
};

}  // namespace vyre::worker
