// Engines: whether what they promise holds on a backend.
//
// An engine promises invariants of every run (library/engines.def). Each is judged by a rule of its own,
// which knows of the engine what its model says: how its outputs read as records, and what it declares to
// use. The reference names what must be there; guard words, counts, repeated runs, other values of its
// constants and histories of its atomics say the rest. What breaks a promise is reported with the stage that
// did it: the dispatch that wrote last what is wrong. Source: vyre-conform-spec, "Engine"; docs/engines.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "generate/generated_engine.h"
#include "library/library.h"
#include "opspec/engine.h"
#include "verify/buffer_judge.h"
#include "verify/engine_bounds.h"
#include "verify/engine_run.h"
#include "verify/monitor.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// What judges an engine, of the library or generated.
struct EngineModel {
  std::string id;
  uint64_t number = 0;  // of a generated engine; its cases are its own
  std::string text;     // a module with a pipeline `main`
  EngineConstants constants;
  library::Promises promises;
  std::string dispatches, scratch_bytes, turns;  // as library::Engine has them
  std::function<opspec::Buffers(RandomStream&, uint32_t size)> make;
  std::function<void(opspec::Buffers&)> reference;
  std::function<std::vector<opspec::Record>(const opspec::Buffers&)> records;
  std::function<uint64_t(const opspec::Buffers&)> needed;
  std::function<void(opspec::Buffers&)> shorten;
  std::function<std::vector<uint64_t>(const opspec::Buffers&)> written;
  std::function<std::vector<opspec::Buffers>(const opspec::Buffers&)> smaller;
};
/// Of one of the library.
EngineModel model_of(const library::Engine& engine);
/// Of a generated one.
EngineModel model_of(const generate::GeneratedEngine& engine);

/// How a promise was broken.
struct Violation {
  std::string what;   // "record 3, (5, 1), stands before (4, 0)"
  std::string stage;  // "dispatch 4, `advance`"; empty where no dispatch did it
};

class EngineJudge {
 public:
  /// Errors: those of checking and compiling the model's text.
  static Result<EngineJudge> make(backend::Backend& backend, EngineModel model);

  const EngineModel& model() const { return *model_; }
  const check::CheckedPipeline& pipeline() const { return whole_.judge.pipeline(); }
  /// A case of a promise, or without one of the bytes: of equal seeds and numbers equal ones.
  opspec::Buffers make_case(std::optional<library::Invariant> invariant, uint64_t seed, uint64_t number,
                            std::optional<uint32_t> size = std::nullopt) const;
  /// What breaks the promise in a run of the case, or without one what bytes are wrong, or nothing.
  /// `thorough`: Deterministic is held to schedules of the reference interpreter, too. Errors: the backend's.
  Result<std::optional<Violation>> judge(std::optional<library::Invariant> invariant,
                                         const opspec::Buffers& input, bool thorough);
  /// What the first run of the case left that was judged last: the answer that a certificate has a digest of.
  const opspec::Buffers& left() const { return left_; }
  /// What differs from the reference in a run of the case, or nothing.
  Result<std::optional<std::string>> judge_bytes(const opspec::Buffers& input, opspec::Buffers* left);
  /// A case that is simpler and fails as well: of the least size, of cases of the seed, then with less.
  struct Shrunk {
    opspec::Buffers input;
    Violation violation;
    /// Where it began: the case of this size and number. None: from the input.
    std::optional<std::pair<uint32_t, uint64_t>> size_and_number = std::nullopt;
  };
  Result<Shrunk> shrink(std::optional<library::Invariant> invariant, opspec::Buffers input,
                        Violation violation, uint64_t seed);
  /// How the promise is judged, as a certificate says it; `alone`: of this engine and no other.
  std::string evidence(library::Invariant invariant, bool alone) const;
  Result<EngineBounds> bounds(const opspec::Buffers& input) const;
  /// For a run after Backend::restart().
  void forget();

  uint64_t dispatches() const { return dispatches_; }
  uint64_t guard_words() const { return guard_words_; }
  uint64_t broken() const { return broken_; }

 private:
  /// The engine with some values of its constants.
  struct Variant {
    EngineConstants constants;
    std::shared_ptr<const check::CheckedModule> module;
    BufferJudge judge;
    std::optional<StageRun> stages = std::nullopt;  // made when something is wrong
  };
  struct Run {
    opspec::Buffers left;
    plan::RunNotes notes;
    uint64_t broken = 0;
  };
  /// The reference interpreter in another schedule, or looking for races.
  struct Schedule {
    std::unique_ptr<backend::Backend> interpreter;
    Variant engine;
    bool detects_races = false;
  };
  static Result<Variant> compile(backend::Backend& backend, const EngineModel& model,
                                 const EngineConstants& constants);
  EngineJudge(backend::Backend& backend, std::shared_ptr<const EngineModel> model, Variant whole);

  Result<Run> run(Variant& variant, const opspec::Buffers& input);
  Result<std::optional<Violation>> deterministic(const opspec::Buffers& input, bool thorough);
  /// A run while another thread keeps the device busy with runs of another pipeline.
  Result<Run> under_load(const opspec::Buffers& input, const opspec::Buffers& scanned);
  Result<std::optional<Violation>> scheduled(const opspec::Buffers& input);
  Result<std::optional<Violation>> nothing_lost(const opspec::Buffers& input);
  Result<std::optional<Violation>> no_duplicate(const opspec::Buffers& input);
  Result<std::optional<Violation>> ordered(const opspec::Buffers& input);
  Result<std::optional<Violation>> bounded(const opspec::Buffers& input);
  Result<std::optional<Violation>> bounded_run(const opspec::Buffers& input);
  Result<std::optional<Violation>> terminates(const opspec::Buffers& input);
  Result<std::optional<Violation>> linearizable(const opspec::Buffers& input);
  Result<std::optional<Violation>> any_constants(const opspec::Buffers& input);
  // The stage that did it, by a run dispatch by dispatch; empty where that shows nothing.
  template <typename Of>  // that changed last what the function says of the outputs
  Result<std::string> last_change(const opspec::Buffers& input, const Of& of);
  Result<std::string> record_stage(const opspec::Buffers& input,
                                   const opspec::Record& wrong);  // that wrote the record
  Result<std::string> failing_stage(backend::Backend& backend,
                                    const opspec::Buffers& input);  // that it refuses
  Result<std::string> writer(Variant& variant, const opspec::Buffers& input, size_t parameter, size_t byte);
  Result<StageRun*> stages(Variant& variant);
  Result<std::optional<Violation>> differ(Variant& variant, const opspec::Buffers& input,
                                          std::string_view how, const opspec::Buffers& first,
                                          const opspec::Buffers& again);

  backend::Backend* backend_;
  std::shared_ptr<const EngineModel> model_;
  Variant whole_;
  std::vector<Variant> others_;  // with other constants; made when they are needed
  bool has_others_ = false;
  bool names_stages_ = true;          // not of cases that are tried on the way to a smaller one
  std::optional<StageRun> recorded_;  // atomics with their histories
  std::vector<Schedule> schedules_;   // made when they are needed
  std::optional<BufferJudge> load_;   // another pipeline, run between
  std::optional<DeclaredBounds> bounds_;
  opspec::Buffers left_;
  bool has_left_ = false;
  uint64_t dispatches_ = 0, guard_words_ = 0, broken_ = 0;
};

/// How many cases engines get.
struct EnginePlan {
  uint64_t cases = 0;      // of each promise
  uint64_t schedules = 0;  // of these, on the reference interpreter in other schedules
  uint64_t chains = 0;     // generated engines
  uint64_t chain_cases = 0;
};
EnginePlan engine_plan(Strength strength);

}  // namespace vyre::verify
