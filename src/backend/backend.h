// Backends: compile a checked program once, dispatch it many times.
//
// The interface is small on purpose: virtual calls stop at the dispatch. A backend promises the bytes that
// the reference gives for every race-free program; what it cannot do it reports as a diagnostic (B001 not
// available here, B003 resource exceeded) and not as a wrong result, and a valid program that fits succeeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/checked.h"
#include "layout/dispatch.h"
#include "spec/device_kind.h"

namespace vyre::backend {

/// What answers, the backend and its device: printed by `vyre backends`, part of every certificate.
struct Identity {
  std::string name;     // "native"
  std::string device;   // "x86-64 AVX2, 2 threads"
  std::string driver;   // "LLVM 19.1.7"
  std::string version;  // of vyre
  /// Whose kernels are fast on it; no bit depends on it.
  spec::DeviceKind kind = spec::DeviceKind::Gpu;
};

/// Where a backend does arithmetic on floats by the device's own instructions, and where by integers; results
/// are the same.
struct FloatUse {
  std::string form;                   // "auto", "native", "composed"; empty: the backend says nothing of it
  std::vector<std::string> native;    // raw operators, as `vyre lower --to legal` names them
  std::vector<std::string> composed;  // those that other devices have and this one does without
  std::vector<std::string> findings;  // of the probe: what it took back, and why
  /// "auto: native fadd fsub; composed fdiv".
  std::string line() const;
};

struct Limits {
  uint32_t max_invocations_per_group = 1024;
  uint64_t max_workgroup_bytes = 64ull << 20;
  /// An element of workgroup memory counts at least so many of them: 4 where 16-bit ones are kept in words.
  uint32_t workgroup_element_bytes = 1;
  uint64_t max_buffer_bytes = UINT64_MAX;
  uint32_t subgroup_size = 0;  // 0: no operations of subgroups
};

/// Memory of a backend's device, which stays there between dispatches. It goes with its last user; the
/// backend that made it must live as long.
///
/// Errors of all  B012 outside the buffer; B009 to B011 when the device or its process is gone.
/// Thread         one call at a time.
class DeviceBuffer {
 public:
  DeviceBuffer() : id_(next_id()) {}
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  virtual ~DeviceBuffer() = default;
  /// Unlike its address no other buffer ever has it.
  uint64_t id() const { return id_; }
  virtual uint64_t bytes() const = 0;
  virtual Result<void> write(uint64_t offset, std::span<const std::byte> from) = 0;
  virtual Result<void> read(uint64_t offset, std::span<std::byte> to) = 0;
  virtual Result<void> fill(uint64_t offset, uint64_t count, std::byte value) = 0;
  /// The memory itself where the host can see it, else empty.
  virtual std::span<std::byte> host() { return {}; }

 private:
  static uint64_t next_id();
  const uint64_t id_;
};

/// A part of a device buffer, as a dispatch binds it.
struct DeviceRange {
  DeviceBuffer* buffer = nullptr;
  uint64_t offset = 0;  // a multiple of kRangeAlignment
  uint64_t bytes = 0;
  /// Another range of the dispatch may be the same memory, which none of them writes: pipelines bind one
  /// buffer to several parameters.
  bool shared = false;
};
inline constexpr uint64_t kRangeAlignment = 256;

/// The code that a backend made of a program, for people and for inspection.
struct EmittedCode {
  std::string_view form;  // "llvm", "ptx"; empty when the backend shows none
  std::string text;
};

class Pipeline {
 public:
  virtual ~Pipeline() = default;

  /// Runs the program over host memory, in place, and waits.
  /// Shape   host: one span of whole elements a bound buffer, in the order of Checked::bound_buffers().
  /// Errors  what layout::bind refuses; B003.
  /// Thread  one dispatch of a pipeline at a time.
  virtual Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) = 0;

  /// The same over buffers of this backend; done when it returns. The default is for backends whose device
  /// memory is the host's.
  virtual Result<void> dispatch_resident(std::span<const DeviceRange> ranges, layout::Groups groups);

  virtual Result<EmittedCode> code() { return EmittedCode{}; }
};

/// One dispatch of several: a pipeline of the backend that runs them, over its buffers. The ranges must live
/// as long as the call.
struct Step {
  Pipeline* pipeline = nullptr;
  std::span<const DeviceRange> ranges;
  layout::Groups groups;
};

/// One command of an engine: of all that a pipeline of a text does, unrolled.
struct Command {
  enum class Kind : uint8_t {
    Dispatch,  // step
    Zero,      // range, to be filled with zeros
    Repeat,    // the `count` commands that follow, which may hold others: at most `turns` times, at least
               // once, and after each turn the word at `word` of the range is looked at: zero ends it
    Lane,      // the `count` commands that follow, which may run beside those of other lanes: none touches
               // memory that one of another lane writes. Either all commands are in lanes, or none.
  };
  Kind kind{};
  Step step;
  DeviceRange range;
  uint32_t turns = 0;
  uint64_t word = 0;  // in bytes; the range ends behind it
  bool looks = true;  // false: the word lies beyond the buffer and is 0, so there is one turn
  uint32_t count = 0;
  uint64_t statements = 1;  // that a turn spends, at least 1, but for those of repeats in its body
};

/// What a Repeat did in a run, all its executions together.
struct Taken {
  uint64_t turns = 0;
  uint64_t unfinished = 0;  // executions whose last turn left a word that is not zero
};

/// Commands that were checked and made ready for the device once, to run often.
class Recording {
 public:
  virtual ~Recording() = default;
  /// Runs them in their order, each after those before it, and waits. Where a turn of a repeat would spend
  /// more than what is left of `statements`, that turn is counted and not made, and the run ends without an
  /// error; what record_batch() makes need not look at it.
  /// Shape   taken: one for each Repeat, in order, with zeros; or empty.
  /// Errors  as Backend::run.  Thread  one call at a time.
  virtual Result<void> run(std::span<Taken> taken, uint64_t statements) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Identity identity() const = 0;
  virtual Limits limits() const = 0;
  /// May ask the device, once. Errors: those of compiling and running what it asks.
  virtual Result<FloatUse> floats() { return FloatUse{}; }
  /// Whether it has an operation of category C; if not, compile() answers B002 for programs that call it.
  virtual bool has(spec::Intrinsic intrinsic) const;
  /// The newest calling convention that it knows.
  virtual uint32_t convention() const { return spec::kLatestConvention; }
  /// The program must outlive neither the pipeline nor the backend.
  virtual Result<std::unique_ptr<Pipeline>> compile(const check::Checked& program) = 0;
  /// work(0) to work(count - 1), each of which compiles a program: at the same time where compile() may be
  /// called so. The default is one after the other.
  virtual void side_by_side(size_t count, const std::function<void(size_t)>& work);
  /// Device memory of this many bytes, contents unspecified. The default is memory of the host, aligned to
  /// kRangeAlignment. Errors: B003.
  virtual Result<std::unique_ptr<DeviceBuffer>> allocate(uint64_t bytes);
  /// Dispatches in their order, each after those before it, whose results it sees; done when it returns. The
  /// default runs one after the other; where a device takes many in one submission, that is one wait for all.
  /// Uniform buffers that dimensions of tensors come from must not be written by a step of the same call.
  /// Errors: of the first step that has any; what steps after it did is unspecified.
  virtual Result<void> run(std::span<const Step> steps);
  /// Makes the commands of an engine ready. Pipelines and buffers must live as long as the recording; spans
  /// need not. The default makes batches, and drives repeats from the host, which looks at the word after
  /// each turn. Errors: as run().
  virtual Result<std::unique_ptr<Recording>> record(std::span<const Command> commands);
  /// The same without a Repeat, or with those alone whose body has none if drives_repeats(). The default runs
  /// dispatches by run() and fills from the host.
  virtual Result<std::unique_ptr<Recording>> record_batch(std::span<const Command> commands);
  /// Runs what record_batch() takes, once, and then reads words, each 4 bytes. The default does one after
  /// the other; where a device can do all of it in one submission, that is one wait.
  struct Look {
    DeviceBuffer* buffer = nullptr;
    uint64_t offset = 0;
    uint32_t word = 0;  // what stands there
  };
  virtual Result<void> run_and_look(std::span<const Command> commands, std::span<Taken> taken,
                                    std::span<Look> looks);
  /// Whether a batch may have repeats: the device looks at their words by itself.
  virtual bool drives_repeats() const { return false; }
  /// Runs a whole engine over buffers of the device, once: record() and Recording::run(), for commands that
  /// are not run again.
  virtual Result<void> dispatch_engine(std::span<const Command> commands, std::span<Taken> taken,
                                       uint64_t statements);
  /// Forgets everything that was: where the backend runs in a process of its own, that process is replaced
  /// by a new one. Pipelines stay valid; the contents of device buffers are lost. Nothing to do elsewhere.
  virtual Result<void> restart() { return {}; }
  /// Whether restart() really starts afresh, so that failures which need history can be distinguished.
  virtual bool isolated() const { return false; }
  /// Waits for what may still come of earlier dispatches, and checks it: for harnesses, after a case that
  /// they want to judge by itself. Errors: B012 when memory of an earlier dispatch changed after it had been
  /// answered (worker::breach_of tells it from others), B009 to B011. Nothing to do where a backend shares
  /// the caller's process.
  virtual Result<void> drain() { return {}; }
  /// Several programs at once, for harnesses that make many small ones; the default compiles one by one.
  virtual std::vector<Result<std::unique_ptr<Pipeline>>> compile_batch(
      std::span<const check::Checked* const> programs);
};

/// A recording whose commands but repeats run one at a time, each waited for: `after` gets the number of the
/// command and what it took, and its error ends the run. For times, and to find which command did something.
using AfterCommand = std::function<Result<void>(size_t command, double seconds)>;
Result<std::unique_ptr<Recording>> record_stepwise(Backend& backend, std::span<const Command> commands,
                                                   AfterCommand after);

/// That a host which follows `convention` can run this program, or a pipeline by its head, on the backend:
/// the negotiation of ir-types, "Convention". Errors  B006 when the backend does not know it, B007 when the
/// program's buffers do not fit it.
Result<void> negotiate(const Backend& backend, const check::Checked& program,
                       const spec::Convention& convention);
/// The same, then compile(). Errors  of both.
Result<std::unique_ptr<Pipeline>> make_pipeline(Backend& backend, const check::Checked& program,
                                                const spec::Convention& convention);

/// B012 when bytes offset .. offset + bytes - 1 are not among `size`.
Result<void> check_within(uint64_t size, uint64_t offset, uint64_t bytes);
/// B012 for a range that is not aligned or not within its buffer.
Result<void> check_range(const DeviceRange& range);

/// What layout::bind wants to know of device ranges. Reads those uniform ones that dimensions of tensors come
/// from, into `contents`, which must live as long as the extents. Errors: B012 for a range that is not
/// aligned or not within its buffer; those of reading.
Result<std::vector<layout::Extent>> extents_of(const check::Checked& program,
                                               std::span<const DeviceRange> ranges,
                                               std::vector<std::vector<std::byte>>& contents);

/// B002 for the first operation of category C that the program calls and the backend lacks: for compile().
Result<void> check_intrinsics(const Backend& backend, const check::Checked& program);

struct ReferenceOptions {
  /// Lanes of a subgroup: a power of two up to 128. 0: none declared, and operations of subgroups are
  /// unsupported.
  uint32_t subgroup_size = 0;
  /// Run accesses in a random order of this seed.
  std::optional<uint64_t> schedule;
  /// Look for data races and for barriers that diverge: a dispatch that has one fails with X013 or X016.
  bool detect_races = false;
  /// Gets what there is to say of a dispatch without one: a warning each.
  std::function<void(const Diag&)> warn;
  /// Gets what was run of a dispatch that shows nothing wrong, and what was not.
  std::function<void(const std::string&)> covered;
};
/// The reference evaluator behind the interface.
std::unique_ptr<Backend> make_reference(const ReferenceOptions& options = {});

}  // namespace vyre::backend
