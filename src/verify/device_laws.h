// Laws on the device: millions to billions of instances, of which the host sees only counts, and what keeps
// those counts honest.
//
// A law is one program (device_laws_program.h) over buffers that stay on the device. Zero failures must not
// look like not having run, so a run is believed only when
//  - as many instances were completed as were asked for, counted into memory that started as poison;
//  - every canary was seen: instances that a word known to the host alone makes fail;
//  - what invocations say of their last instance is what the host makes of it: the values from the formula,
//    both sides from the reference functions; in one slice of kSampledSlices, and always in the first;
//  - the planted-false laws fail exactly as often as mathematics says (algebra/planted_law.h), on the
//  same backend.
// What instances there are is a function of the seed and the law alone, however the work was cut into slices.
// Source: docs/harness.md; semantics, "Laws and evidence".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algebra/planted_law.h"
#include "backend/backend.h"
#include "verify/device_laws_code.h"
#include "verify/device_laws_program.h"
#include "verify/monitor.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// Of so many slices one is sampled.
inline constexpr uint64_t kSampledSlices = 1000;
/// Instances of a law that a strength sweeps: none at quick, where compiling a program for each law would
/// take most of the time; there laws run through dispatches. 2^24, 2^36.
uint64_t swept_instances(Strength strength);

/// What came back of a sweep.
struct SweepCounts {
  uint64_t instances = 0;  // asked for, canaries aside
  uint64_t completed = 0;  // canaries too
  uint64_t failures = 0;
  uint64_t canaries = 0;  // asked for
  uint64_t canaries_seen = 0;
  uint64_t samples = 0;
  uint64_t samples_wrong = 0;
  uint64_t dispatches = 0;
  std::vector<uint32_t> wrong_values;   // of the first wrong sample: the law's variables,
  std::vector<uint32_t> wrong_sides;    // what the device made of them
  std::vector<uint32_t> right_sides;    // and what the host did
  std::optional<uint32_t> first_chunk;  // in which an instance failed
  std::optional<uint32_t> first_start;
  /// Why the counts are not to be believed; empty when they are.
  std::string doubt() const;
};

/// One law of one operation, compiled for one backend.
class DeviceLaw {
 public:
  /// `law` and all that it points to, and the backend, must outlive this. `table` has the operations.
  /// Errors: what check or the backend say of the program.
  static Result<std::unique_ptr<DeviceLaw>> make(backend::Backend& backend, const algebra::BoundLaw& law,
                                                 const spec::OpTable& table,
                                                 const LawProgramOptions& options = {});

  /// Runs sweep.threads invocations, in slices of a size that it finds out. A caller that stops it gets what
  /// was counted until then. Errors  the backend's. Thread: one call at a time.
  Result<SweepCounts> run(const Sweep& sweep, const Monitor& monitor = {});

  /// The part of a sweep that run() was at when it ended with an error: invocations first .. first + count
  /// - 1, and how many there were in each slice before, as far back as the search for the culprit may have to
  /// look.
  struct Interrupted {
    uint32_t first = 0, count = 0;
    std::vector<uint32_t> before;  // counts of slices
  };
  const std::optional<Interrupted>& interrupted() const { return interrupted_; }

  /// All of a sweep in one dispatch, as it is, without samples. Errors: the backend's.
  Result<SweepCounts> dispatch(const Sweep& sweep);

  /// The first failing instance of a chunk that holds one, by running each of its numbers alone. None when
  /// none fails when it is run again.
  Result<std::optional<std::vector<uint32_t>>> find(const Sweep& sweep, uint32_t chunk, uint32_t start);

  /// The law at these values, on the device: one instance, which is sampled.
  Result<SweepCounts> at(std::span<const uint32_t> values);

  /// What the backend made of the program.
  Result<backend::EmittedCode> code() { return pipeline_->code(); }
  const LawProgram& program() const { return program_; }
  const algebra::BoundLaw& law() const { return law_; }
  /// Whether its operations loop or branch, so that an instance takes hundreds of times as long as others.
  bool branches() const { return branches_; }

 private:
  explicit DeviceLaw(const algebra::BoundLaw& law) : law_(law) {}
  Result<void> slice(const Sweep& sweep, uint32_t samples, SweepCounts& counts);
  Result<void> take_samples(const Sweep& sweep, uint32_t samples, SweepCounts& counts);

  const algebra::BoundLaw& law_;
  LawProgram program_;
  bool branches_ = false;
  std::unique_ptr<backend::Pipeline> pipeline_;
  std::unique_ptr<backend::DeviceBuffer> parameters_, results_, samples_;
  std::optional<Interrupted> interrupted_;
  uint32_t first_slice_ = 0;  // chunks in the next run's first slice: what the last run found out
  uint64_t dispatch_number_ = 0;
};

/// A sweep's invocations first .. first + count - 1.
Sweep part_of(const Sweep& sweep, uint32_t first, uint32_t count);
/// The instances of one chunk, each an invocation of its own.
Sweep one_by_one(const Sweep& sweep, uint32_t chunk, uint32_t start);

/// How long an invocation of a random sweep is.
struct ChunkSize {
  uint32_t runs, length;
};
/// The usual one, and one of operations that loop or branch: it keeps all loops of an invocation together
/// below 65,535 turns, where llvmpipe ends them (docs/spec/spirv.md).
inline constexpr ChunkSize kUsualChunk{.runs = 16, .length = 256}, kShortChunk{.runs = 1, .length = 64};

/// Random full-width values: `instances` of them, rounded up to whole chunks, with canaries.
Sweep random_sweep(const algebra::BoundLaw& law, uint64_t instances, uint64_t seed,
                   ChunkSize chunk = kUsualChunk);
/// The same, in chunks that suit the law.
Sweep random_sweep(const DeviceLaw& law, uint64_t instances, uint64_t seed);
/// Every tuple of words 0..255, `repetitions` times, without canaries.
Sweep grid_sweep(size_t variables, uint32_t repetitions);
/// Every pair of words 0..65535, without canaries.
Sweep u16_sweep();
/// Variable `walker` runs once through all 2^32 words while the others stand at what a hash of `chunk` says.
Sweep walking_sweep(size_t variables, size_t walker, uint32_t chunk, uint64_t seed);

/// What a law came to on a device.
struct DeviceLawVerdict {
  Evidence evidence;  // grade "swept(16777216, 42, inspected)"; or what is in doubt
  SweepCounts counts;
  Inspection inspection;  // of the code that was run
  /// Values at which it fails, shrunk on the device.
  std::optional<std::vector<uint32_t>> counterexample;
};

/// Sweeps a compiled law with random values: `instances` of them, or a 2^8th of that when its operations
/// branch; and inspects its code. `device` is the subject of the evidence; the inspector is the backend's.
/// Errors  the backend's. Cost  on native some 10^9 instances a second, on a data-centre GPU some 10^12.
Result<DeviceLawVerdict> check_law_on_device(DeviceLaw& law, const std::string& device, uint64_t instances,
                                             uint64_t seed, const Monitor& monitor, Inspector& inspector);

/// The same, with what was found out about its code by others.
Result<DeviceLawVerdict> sweep_law_on_device(DeviceLaw& law, const std::string& device, uint64_t instances,
                                             uint64_t seed, const Monitor& monitor, Inspection inspection);

/// Whether a law is of two words, so that all pairs of u16 are 2^32 instances.
bool has_u16_pairs(const algebra::BoundLaw& law);
/// Runs a compiled law through all pairs of u16: evidence "exhausted(u16^2)". Domain: has_u16_pairs.
/// Errors: the backend's.
Result<DeviceLawVerdict> exhaust_u16_on_device(DeviceLaw& law, const std::string& device,
                                               const Monitor& monitor);

/// Sweeps every claimed law of an operation and adds the evidence, and what failed, to the verdict's laws,
/// which stand in the operation's order; with `pairs`, those of two words through all pairs of u16 too. A law
/// that the backend dies, hangs or is lost at fails, and the
/// others go on, where the backend is isolated. Errors: the backend's, otherwise.
Result<void> sweep_laws(backend::Backend& backend, const ops::Operation& operation, const std::string& device,
                        uint64_t instances, bool pairs, uint64_t seed, const Monitor& monitor,
                        Verdict& verdict);

/// What is wrong with a claimed law at these values, in its own program on the device: nothing (empty), or
/// what is not as on the definition. Errors: the backend's.
Result<std::string> check_law_at(backend::Backend& backend, const algebra::BoundLaw& law,
                                 std::span<const uint32_t> values,
                                 const spec::OpTable& table = ops::op_table());

/// A planted-false law on the device, with the count that was known before.
struct DevicePlantedVerdict {
  const algebra::PlantedLaw* planted = nullptr;
  std::string sweep;  // "u8 grid", "2^32 words"
  uint64_t instances = 0;
  uint64_t expected = 0;
  uint64_t failures = 0;
  bool exact = false;       // and all instances completed
  std::string doubt;        // SweepCounts::doubt()
  uint64_t dispatches = 0;  // of whole sweeps: slices of one follow from the time that they take
};
/// Every planted-false law, or some, over the u8 grid `repetitions` times, and with a walk through all words
/// for each of `walks`.
Result<std::vector<DevicePlantedVerdict>> check_planted_laws_on_device(
    backend::Backend& backend, uint32_t repetitions, uint32_t walks, uint64_t seed, const Monitor& monitor,
    std::span<const algebra::PlantedLaw> which = algebra::planted_laws());

}  // namespace vyre::verify
