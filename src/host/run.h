// Runs of one or several programs over buffers that go by name, as `vyre run` and the file tests need them.
//
// A buffer that several programs name is one buffer: `--then` chains dispatches over it. Buffers that no
// program gave have 0 elements. A tensor is the flat array of its elements here, in the order of memory.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/digest.h"
#include "host/files.h"
#include "layout/dispatch.h"
#include "plan/pipeline.h"

namespace vyre::host {

/// A graph at the sizes that a run has, and the module that it stands in.
struct StepGraph {
  std::shared_ptr<const check::CheckedModule> module;
  check::SizedGraph sized;
};

/// A program and its groups, a pipeline, or a graph, as the pipeline that it becomes (host/graphs.h).
struct Step {
  std::shared_ptr<const check::Checked> checked;  // of a pipeline: its head, which has its parameters
  layout::Groups groups;
  std::shared_ptr<const check::CheckedModule> module = nullptr;
  std::optional<uint32_t> pipeline = std::nullopt;
  std::optional<spec::Convention> convention =
      std::nullopt;  // that the host follows; none: nothing is negotiated
  std::shared_ptr<const StepGraph> graph = nullptr;
  /// Whether the reference computes the graph as it is defined, and not the pipeline that it becomes.
  bool as_defined = true;

  /// Domain  no graph, which needs sizes.
  static Step of(std::shared_ptr<const check::CheckedModule> module, Entry entry,
                 layout::Groups groups = {}) {
    if (entry.kind == ItemKind::Program) return {module->programs()[entry.number], groups, std::move(module)};
    return {module->pipelines()[entry.number].head, {}, std::move(module), entry.number};
  }
};

struct NamedBuffer {
  spec::DataType element{};  // of a tensor: what it is made of, for it is bound as a flat array
  bool writable = false;     // read_write in some step
  Bytes bytes;               // of fp4, a byte an element
};

/// Buffers by name; ordered by first declaration through `order`.
struct Buffers {
  std::map<std::string, NamedBuffer, std::less<>> by_name;
  std::vector<std::string> order;
};

/// The bound buffers of all steps, empty. Errors: one name with two element types.
std::expected<Buffers, UsageError> declare_buffers(std::span<const Step> steps);

/// The shape of a parameter or an output of the step's graph.
std::optional<std::vector<uint32_t>> graph_shape(const Step& step, std::string_view name);
/// The dimensions of a row-major tensor that is a whole buffer after these steps; none where the buffer is
/// not one.
std::optional<std::vector<uint32_t>> tensor_shape(std::span<const Step> steps, const Buffers& buffers,
                                                  std::string_view name);

/// What a step took, for people.
struct StepTime {
  double compile_seconds = 0, dispatch_seconds = 0;
  uint64_t invocations = 0;
  uint64_t bytes = 0;                                    // of the buffers that it binds
  std::vector<std::pair<std::string, double>> programs;  // of a pipeline: what compiling each took
  plan::RunNotes notes;
};

/// A program or a pipeline, compiled for a backend, which must outlive it.
class ReadyStep {
 public:
  /// Errors  what compile() answers, of a pipeline for the first of its programs that is refused.
  static Result<ReadyStep> make(backend::Backend& backend, const Step& step);
  /// Runs it over the buffers of its names, in place, and waits. Outputs of a graph have their elements.
  /// `groups` are of a program. `time`: unless null, gets what it took; each dispatch of a pipeline is then
  /// waited for.
  Result<void> run(Buffers& buffers, const layout::Groups& groups, StepTime* time = nullptr);

 private:
  Result<void> run_graph(Buffers& buffers, StepTime* time) const;
  explicit ReadyStep(const Step& step) : checked_(step.checked), module_(step.module) {}

  std::shared_ptr<const check::Checked> checked_;
  std::shared_ptr<const check::CheckedModule> module_;  // of a pipeline
  std::shared_ptr<const StepGraph> graph_;              // set: the reference computes that
  std::unique_ptr<backend::Pipeline> program_;
  std::optional<plan::Executable> pipeline_;
};

/// Runs the steps in order, in place. `times`: unless null, gets one a step; each dispatch of a pipeline is
/// then waited for.
Result<void> run_steps(backend::Backend& backend, std::span<const Step> steps, Buffers& buffers,
                       std::vector<StepTime>* times = nullptr);
/// "100x75x1 groups of 8x8x1: 480000 invocations over 1920016 bytes; compiled in 3.10 ms, ran in 5.20
/// ms: 92.3 million invocations a second"; of a pipeline "7 dispatches over 8000000 bytes; compiled in ...".
std::string line_of(const Step& step, const StepTime& time);
/// Of a pipeline, lines that begin with four blanks: where the time before its first dispatch went, a table
/// of its dispatches, and the repeats whose word was not zero after their last turn. `source`: its text, or
/// null.
std::string table_of(const Step& step, const StepTime& time, const LoadTime& load, const Source* source);

/// Whether a step, or an operation that it calls, applies an approximate operator: then two right backends
/// may give different bytes.
bool is_approximate(std::span<const Step> steps);

/// One digest over all writable buffers: names, sizes and bytes.
Digest digest_outputs(const Buffers& buffers);

/// An element that two runs have differently, as people read it: "7 (0x00000007)", or "no such element".
struct UnequalElement {
  std::string buffer;
  size_t index = 0;
  std::string a, b;
};
/// The first, among the buffers that `a` has as writable; `b` has all of those.
std::optional<UnequalElement> first_unequal(const Buffers& a, const Buffers& b);

/// That all writable buffers of two runs are equal.
/// Errors  X008 with the first element that differs: "out[12]: reference has 7 (0x00000007), native has 9
/// (0x00000009)".
Result<void> expect_equal(const Buffers& a, std::string_view a_name, const Buffers& b,
                          std::string_view b_name);

}  // namespace vyre::host
