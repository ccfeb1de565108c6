// A pipeline on a backend: its programs compiled once, its dispatches over memory that stays on the device.
//
// ref/plan.h unrolls a pipeline to steps; here they become recordings of a backend, over the buffers that the
// caller gives and scratch that is kept from one run to the next. Where a device decides by itself whether a
// `repeat` goes on, the host looks at nothing; elsewhere it looks at that word between two submissions. A run
// over the same buffers with the same uniform words as the one before is a replay of its recording. Source:
// docs/spec/pipelines.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "check/module.h"
#include "ref/plan.h"

namespace vyre::plan {

/// What equal dispatches of a run took, for people: those of one place in the text with one number of groups.
struct DispatchTime {
  uint32_t pipeline = 0, command = 0;  // where they stand
  uint32_t program = 0;
  layout::Groups groups;
  uint64_t bytes = 0;  // of the buffers that each binds
  uint64_t count = 0;
  double seconds = 0;  // all together
};

/// What there is to say of a run, and how it is to be made.
struct RunNotes {
  bool timed = false;  // each dispatch is waited for and timed; without it they are submitted together
  /// So many bytes before and behind each array of scratch are filled with words that are looked at after the
  /// run. More than none: arrays that are used one after the other share no memory unless they are of one
  /// size.
  uint32_t guard_bytes = 0;

  // Of every run, and of the last one that these notes were given to.
  uint64_t dispatches = 0;     // that were made
  uint64_t scratch_bytes = 0;  // the most that arrays of scratch had at once
  uint64_t turns = 0;          // of all repeats together
  /// How often the last turn of a repeat left a word that is not zero, by pipeline and command.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> unfinished;
  uint64_t guard_words = 0, broken_guards = 0;  // looked at; those of them that are others

  // Of timed runs.
  std::vector<DispatchTime> times;                   // in the order of the first of each
  DispatchTime others;                               // count and seconds of those beyond kMostTimes
  double copy_in_seconds = 0, copy_out_seconds = 0;  // of run_host(), timed or not
};
inline constexpr size_t kMostTimes = 1'000;

/// What scratch holds before it is written: zeros, as pipelines are defined; or anything, for those of which
/// it is known that they write each element before they read it (tensor/lower.h), where zeros are lost time.
enum class Scratch : uint8_t { Zero, Anything };

class Executable {
 public:
  /// Compiles the programs that the pipeline reaches. The backend must outlive it.
  /// Errors  what compile() answers for a program that is refused, the first of those that were compiled.
  static Result<Executable> make(backend::Backend& backend,
                                 std::shared_ptr<const check::CheckedModule> module, uint32_t pipeline,
                                 Scratch scratch = Scratch::Zero);
  Executable(Executable&&) noexcept;
  ~Executable();

  /// What compiling each of its programs took: number and seconds.
  const std::vector<std::pair<uint32_t, double>>& compile_seconds() const { return compile_seconds_; }

  /// What the parameters hold, one span each.
  using Contents = std::span<const std::span<const std::byte>>;

  /// Runs it, in place, and waits.
  /// Shape   ranges: one a parameter, in their order, of whole elements; none overlap. contents: where the
  ///         caller knows them, so that uniform ones need not be read back; or empty.
  /// Errors  what layout::bind refuses (X002 to X004, X009 and others); as ref::run_plan and the backend's,
  /// and what
  ///         stands before such an error has been run.
  /// Thread  one call at a time.
  Result<void> run(std::span<const backend::DeviceRange> ranges, RunNotes* notes = nullptr,
                   Contents contents = {});

  /// Runs over memory that has nothing in common, beside each other: what each does before the host has to
  /// look at a word is submitted together. Each has scratch of its own. Nothing is kept for a run to come.
  /// Errors: as run(), of any of them.
  struct Together {
    std::vector<backend::DeviceRange> ranges;
    std::vector<std::span<const std::byte>> contents;
  };
  Result<void> run_together(std::span<const Together> runs);

  /// The same over memory of the host: to the device once, run, and what is written back once.
  /// Shape   host: one span of whole elements a parameter, in their order.
  /// Errors  as run(), and B003. Nothing is written back then.
  /// Cost    a copy of all of it.
  Result<void> run_host(std::span<const std::span<std::byte>> host, RunNotes* notes = nullptr);

  /// Fills the memory that it keeps for runs to come, but for what their recording holds: no run may see it.
  /// Errors: the backend's.
  Result<void> spoil(std::byte value);

  /// The next run prepares everything anew: after Backend::restart(), which device buffers do not outlast.
  void forget();

 private:
  class Runner;
  struct Prepared;
  struct Parameters;
  Result<void> make_scratch(std::span<const uint64_t> chunks);
  Result<void> write_words(std::span<const std::byte> contents);
  Result<Parameters> parameters_of(std::span<const backend::DeviceRange> ranges, Contents contents) const;
  Result<void> run(std::span<const backend::DeviceRange> ranges, RunNotes& notes, bool again,
                   Contents contents);
  Executable(backend::Backend& backend, std::shared_ptr<const check::CheckedModule> module, uint32_t pipeline,
             Scratch scratch);

  backend::Backend* backend_;
  std::shared_ptr<const check::CheckedModule> module_;
  uint32_t pipeline_;
  Scratch begins_;
  std::vector<std::unique_ptr<backend::Pipeline>> programs_;  // by program; null: not reached
  std::vector<std::pair<uint32_t, double>> compile_seconds_;
  std::vector<std::unique_ptr<backend::DeviceBuffer>> scratch_;  // by chunk
  std::unique_ptr<backend::DeviceBuffer> words_;                 // of the lists of a segment
  /// Of the last run, if it was one segment: the same run again is a replay.
  std::unique_ptr<Prepared> prepared_;
};

/// The programs that a pipeline dispatches, directly or through pipelines that it runs, in ascending order.
std::vector<uint32_t> programs_of(const check::CheckedModule& module, uint32_t pipeline);

}  // namespace vyre::plan
