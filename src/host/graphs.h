// Graphs run: dimensions get their sizes from what the parameters are given, and the graph becomes a step.
//
// An array in a file brings its shape, and so the sizes of the dimensions that its parameter names; a list of
// elements for a parameter of one axis does as well. What those leave open is said: `--dim n=5`. Then the
// graph has sizes, and becomes a pipeline over flat buffers that have the names of its parameters and
// outputs. The reference does not run that pipeline: it computes the graph as it is defined.
// Source: docs/spec/graphs.md; docs/commands.md, "Graphs".
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/module.h"
#include "check/tensors.h"
#include "host/run.h"
#include "tensor/lower.h"

namespace vyre::host {

/// What a parameter is given: a shape where the host knows one, and how many elements.
struct GivenTensor {
  std::optional<std::vector<uint32_t>> shape;
  uint64_t elements = 0;
};
using GivenTensors = std::map<std::string, GivenTensor, std::less<>>;

/// The sizes of a graph's dimensions. `chosen`: those that were said; other names than the graph's do not
/// matter. `option`: how they are said, for messages: "--dim n=5".
/// Errors  G015: a parameter that is not given or has another shape or number of elements, a dimension that
///         nothing gives a size, or two that differ.
Result<check::Dimensions> bind_dimensions(const check::TensorGraph& graph, const GivenTensors& given,
                                          const check::Dimensions& chosen, std::string_view option);

/// Whether a parameter of the graph has an axis of that name.
bool has_dimension(const check::TensorGraph& graph, std::string_view name);

/// A dimension that has no size here; none where all have one.
std::optional<std::string> first_without_size(const check::TensorGraph& graph,
                                              const check::Dimensions& sizes);

/// A graph at these sizes, as the pipeline that it becomes. `cache`: where that is kept (plan/lowered.h).
/// Errors  G codes of check::sized().
Result<Step> graph_step(const std::shared_ptr<const check::CheckedModule>& module, uint32_t graph,
                        const check::Dimensions& dimensions, const tensor::Options& options = {},
                        const std::filesystem::path& cache = {});

/// Gives each output of a step's graph its elements, zeros as yet.
void make_outputs(const Step& step, Buffers& buffers);

}  // namespace vyre::host
