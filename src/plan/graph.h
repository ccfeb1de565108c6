// A graph on a backend: a pipeline for every set of sizes that it is run with.
//
// Dimensions get their sizes from the shapes that a run is given. For sizes that are new the graph is lowered
// (tensor/lower.h), checked and compiled, and what comes of it is kept, so that a run with known sizes does
// no more than run its pipeline. Source: docs/spec/graphs.md.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "plan/pipeline.h"
#include "tensor/lower.h"

namespace vyre::plan {

/// How many sets of sizes are kept; the one that has not been run for longest goes.
inline constexpr size_t kMostSizes = 64;

/// Bytes on a device of tensor `i` of a graph, parameters before outputs: those of its elements, of a small
/// type rounded up to words of 4 bytes.
uint64_t device_bytes(const check::SizedGraph& graph, size_t i);

/// Runs what a graph became over memory of the host, one span a parameter and then an output, each of the
/// bytes of its tensor (check::memory_bytes).
///
/// Errors  as Executable::run_host(); nothing is written then.
/// Cost    also a copy of each tensor of a small type that is no whole number of words.
Result<void> run_host(Executable& executable, const check::SizedGraph& graph,
                      std::span<const std::span<std::byte>> host, RunNotes* notes = nullptr);

class GraphExecutable {
 public:
  /// The graph `number` of a module. The backend, and `ops`, with which the module was checked, must outlive
  /// it. `cache`: where what is lowered is kept (plan/lowered.h).
  GraphExecutable(backend::Backend& backend, std::shared_ptr<const check::CheckedModule> module,
                  uint32_t number, const spec::OpTable& ops, const tensor::Options& options = {},
                  std::filesystem::path cache = {});

  const check::TensorGraph& graph() const { return module_->graphs()[number_]; }

  /// The graph at these sizes, and how it runs.
  struct Sized {
    check::SizedGraph graph;
    std::shared_ptr<const check::CheckedModule> module;
    Executable executable;
    double seconds = 0;  // that making it took

    std::vector<uint32_t> shape(const check::SizedGraph::Parameter& of) const {
      return graph.nodes[of.node].shape;
    }
    /// Bytes of each parameter, then of each output.
    std::vector<uint64_t> bytes() const;
  };

  /// Shape   shapes: one a parameter, in their order.
  /// Errors  as check::dimensions_of(), check::sized() and Executable::make(). What it gives lasts until
  ///         kMostSizes others have been asked for.
  /// Thread  one call at a time, runs included.
  Result<Sized*> at(std::span<const std::vector<uint32_t>> shapes);

  /// Runs it over memory of the device, and waits.
  /// Shape   ranges: parameters, then outputs, each of its device_bytes(); none overlap.
  /// Errors  as at() and Executable::run().
  Result<void> run(std::span<const std::vector<uint32_t>> shapes,
                   std::span<const backend::DeviceRange> ranges, RunNotes* notes = nullptr);
  /// Over memory of the host. Errors: as at() and Executable::run_host(); nothing is written then.
  Result<void> run_host(std::span<const std::vector<uint32_t>> shapes,
                        std::span<const std::span<std::byte>> host, RunNotes* notes = nullptr);

 private:
  struct Kept {
    Sized sized;
    uint64_t last = 0;  // when it was asked for
  };

  backend::Backend* backend_;
  std::shared_ptr<const check::CheckedModule> module_;
  uint32_t number_;
  const spec::OpTable* ops_;
  tensor::Options options_;
  std::filesystem::path cache_;
  std::map<check::Dimensions, Kept> kept_;
  uint64_t asked_ = 0;
};

}  // namespace vyre::plan
