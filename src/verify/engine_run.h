// A pipeline run dispatch by dispatch, with an eye on each.
//
// A run as a whole says only that its bytes are wrong. Here each dispatch is run alone over memory that is
// kept apart: every parameter and every scratch array lies between guard words of its own, and after each
// dispatch all of them are read back. So it is known which dispatch wrote a word last, which one wrote
// beside its buffers, how many turns a repeat took and whether its word ended it, and how much scratch there
// was. Programs with atomics can be run as their recordings (verify/atomic_record.h), which leave the same
// bytes, and then there is a history of each such dispatch. Steps are those of ref/plan.h, as in any run.
// Source: vyre-conform-spec, "Engine"; docs/spec/pipelines.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "check/module.h"
#include "opspec/opspec.h"
#include "ref/plan.h"
#include "verify/atomic_record.h"

namespace vyre::verify {

/// Where a dispatch stands, and in which place of the run.
struct Stage {
  uint64_t ordinal = 0;  // of the dispatches of the run, from 0
  uint32_t program = 0;  // of check::CheckedModule::programs()
  uint32_t pipeline = 0, command = 0;
  layout::Groups groups;
  bool operator==(const Stage&) const = default;
};

/// One dispatch after it was run. What it refers to lasts until the observer returns.
struct SeenDispatch {
  Stage stage;
  const check::Checked& program;  // the original, also where its recording was run
  /// Of each bound buffer, in the order of Checked::bound_buffers(): which it is, and its contents.
  std::span<const ref::PlanBuffer> buffers;
  std::span<const BufferBytes> before, after;
  uint64_t broken = 0;  // guard words, beside any array, that are others now and were right before
  uint64_t stray = 0;   // words that it changed in arrays which it does not bind, or binds to read
  const RecordedHistory* history = nullptr;  // null: no atomics, or no recording
};
using DispatchObserver = std::function<void(const SeenDispatch&)>;

/// One repeat after its last turn.
struct SeenRepeat {
  uint32_t pipeline = 0, command = 0;
  uint32_t turns = 0, most = 0;
  bool ended = false;  // by its word: it was zero after the last turn
};

/// What a run left, and what it took.
struct StageReport {
  opspec::Buffers buffers;  // the parameters after the run
  uint64_t dispatches = 0;
  uint64_t turns = 0;                    // of all repeats together
  uint64_t scratch_bytes = 0;            // of all scratch that there was at one time, at most
  uint64_t guard_words = 0, broken = 0;  // that were looked at, and that were others
  uint64_t stray = 0;                    // of all dispatches
  std::vector<Stage> stages;             // by ordinal
  std::vector<SeenRepeat> repeats;       // in the order of their ends

  /// The dispatch that changed this word of a parameter last; null where none did. A dispatch that stores
  /// what is there already changes nothing.
  const Stage* last_writer(size_t parameter, size_t word) const;

  /// By parameter and word: the ordinal and one more; 0: none.
  std::vector<std::vector<uint64_t>> writers;
};

class StageRun {
 public:
  struct Options {
    bool record = false;     // programs with atomics run as their recordings
    uint64_t events = 4096;  // room for these at first; a dispatch with more is run again with room for all
    uint32_t most_reruns = 8;
  };
  /// Compiles the programs that the pipeline reaches. The backend must outlive it.
  /// Errors  what compile() or the checker of a recording answers for the first program that is refused. A
  ///         recording binds one buffer more than its program, which may be more than a device binds.
  static Result<StageRun> make(backend::Backend& backend, std::shared_ptr<const check::CheckedModule> module,
                               uint32_t pipeline, const Options& options);
  static Result<StageRun> make(backend::Backend& backend, std::shared_ptr<const check::CheckedModule> module,
                               uint32_t pipeline) {
    return make(backend, std::move(module), pipeline, {});
  }
  StageRun(StageRun&&) noexcept;
  ~StageRun();

  /// Errors  as plan::Executable::run_host; B003 when a history has no room after most_reruns.
  /// Thread  one call at a time.
  /// Cost    after each dispatch a copy of all memory that there is.
  Result<StageReport> run(const opspec::Buffers& input, const DispatchObserver& see = {});

  /// For a run after Backend::restart().
  void forget() { memory_.reset(); }

  /// "main 3: scan": the pipeline, the number of the command in it and what it dispatches, for people.
  std::string text(const Stage& stage) const;
  const check::CheckedModule& module() const { return *module_; }

 private:
  class Runner;
  struct Program {
    std::optional<Recorded> recorded;
    std::unique_ptr<backend::Pipeline> compiled;
  };
  StageRun(backend::Backend& backend, std::shared_ptr<const check::CheckedModule> module, uint32_t pipeline,
           const Options& options);

  backend::Backend* backend_;
  std::shared_ptr<const check::CheckedModule> module_;
  uint32_t pipeline_;
  Options options_;
  std::vector<Program> programs_;  // by program; nothing compiled: not reached
  // For the next run, too: of all arrays together and a history, so that looking at them is one copy.
  std::unique_ptr<backend::DeviceBuffer> memory_;
};

}  // namespace vyre::verify
