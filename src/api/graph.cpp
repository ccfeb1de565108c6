// Graphs of tensors: vyre_graph_* of include/vyre/vyre.h.
#include <fmt/format.h>

#include "api/handles.h"
#include "backend/backend.h"
#include "ops/operation.h"
#include "plan/lowered.h"
#include "plan/tuned.h"

using namespace vyre;

namespace {

std::span<const vyre_tensor> given(const vyre_graph* graph, const vyre_tensor* tensors, size_t count) {
  if (graph == nullptr || !api::readable(tensors, count) || count != graph->parameters + graph->outputs)
    return {};
  return {tensors, count};
}

/// Shapes of the parameters; none where one has too many axes.
std::optional<std::vector<std::vector<uint32_t>>> shapes_of(const vyre_graph& graph,
                                                            std::span<const vyre_tensor> tensors) {
  std::vector<std::vector<uint32_t>> out;
  for (const vyre_tensor& tensor : tensors.first(graph.parameters)) {
    if (tensor.axes > VYRE_MAX_AXES) return std::nullopt;
    out.emplace_back(tensor.shape, tensor.shape + tensor.axes);
  }
  return out;
}

/// Each tensor as it has to be, without data.
std::vector<vyre_tensor> tensors_of(const plan::GraphExecutable::Sized& sized) {
  std::vector<vyre_tensor> out;
  const auto add = [&](uint32_t number) {
    const check::SizedNode& node = sized.graph.nodes[number];
    vyre_tensor& tensor = out.emplace_back();
    tensor.axes = uint32_t(node.shape.size());
    std::ranges::copy(node.shape, tensor.shape);
    tensor.size = size_t(check::memory_bytes(node));
  };
  for (const auto& parameter : sized.graph.parameters) add(parameter.node);
  for (const auto& output : sized.graph.outputs) add(output.node);
  return out;
}

/// Calls with what the graph is at these shapes.
template <typename Call>
vyre_status at_shapes(vyre_graph* graph, std::span<const vyre_tensor> tensors, vyre_diagnostics** diagnostics,
                      const Call& call) {
  if (diagnostics != nullptr) *diagnostics = nullptr;
  if (graph == nullptr || tensors.size() != graph->parameters + graph->outputs) return VYRE_INVALID_ARGUMENT;
  return api::guarded([&]() -> vyre_status {
    const auto shapes = shapes_of(*graph, tensors);
    if (!shapes) return VYRE_INVALID_ARGUMENT;
    auto sized = graph->executable.at(*shapes);
    Result<void> done;
    if (sized) {
      done = call(**sized);
    } else {
      done = std::unexpected(std::move(sized).error());
    }
    return done ? VYRE_OK : api::refuse(std::move(done).error(), graph->source, diagnostics);
  });
}

}  // namespace

vyre_status vyre_module_graph(vyre_backend* backend, const vyre_checked_module* checked, size_t item,
                              vyre_graph** out) {
  return api::making(out, nullptr, [&]() -> vyre_status {
    if (backend == nullptr || checked == nullptr) return VYRE_INVALID_ARGUMENT;
    const ir::Module& module = checked->checked->module();
    const size_t before = module.operations.size() + module.programs.size() + module.pipelines.size();
    if (item < before || item - before >= module.graphs.size()) return VYRE_INVALID_ARGUMENT;
    const uint32_t number = uint32_t(item - before);
    const ir::Graph& graph = module.graphs[number];
    const backend::Identity identity = backend->backend->identity();
    *out = new vyre_graph{
        backend->backend,
        checked->checked,
        checked->source,
        graph.parameters.size(),
        graph.outputs.size(),
        {*backend->backend,
         checked->checked,
         number,
         ops::op_table(),
         {.plan = {}, .device = identity.kind, .tuned = plan::read_tuned(identity, plan::tuned_folder())},
         plan::lowered_folder()}};
    return VYRE_OK;
  });
}

vyre_status vyre_graph_shape(vyre_graph* graph, vyre_tensor* tensors, size_t count,
                             vyre_diagnostics** diagnostics) {
  return at_shapes(graph, given(graph, tensors, count), diagnostics,
                   [&](const plan::GraphExecutable::Sized& sized) -> Result<void> {
                     const std::vector<vyre_tensor> known = tensors_of(sized);
                     for (size_t i = 0; i < known.size(); ++i) {
                       void* const data = tensors[i].data;
                       tensors[i] = known[i];
                       tensors[i].data = data;
                     }
                     return {};
                   });
}

vyre_status vyre_graph_run(vyre_graph* graph, const vyre_tensor* tensors, size_t count,
                           vyre_diagnostics** diagnostics) {
  auto all = given(graph, tensors, count);
  if (!std::ranges::all_of(all, [](const vyre_tensor& t) { return api::readable(t.data, t.size); })) all = {};
  return at_shapes(graph, all, diagnostics, [&](plan::GraphExecutable::Sized& sized) -> Result<void> {
    const std::vector<vyre_tensor> known = tensors_of(sized);
    std::vector<std::span<std::byte>> host;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].size != known[i].size) {
        return std::unexpected(make_diag(
            DiagCode::X007, Span::none(),
            fmt::format("tensor {} has {} bytes, and its shape takes {}", i, all[i].size, known[i].size),
            "vyre_graph_shape says how many there have to be"));
      }
      host.emplace_back(static_cast<std::byte*>(all[i].data), all[i].size);
    }
    return plan::run_host(sized.executable, sized.graph, host);
  });
}

void vyre_graph_free(vyre_graph* graph) { delete graph; }
