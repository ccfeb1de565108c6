#include "host/graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/names.h"
#include "ops/operation.h"
#include "plan/lowered.h"

namespace vyre::host {
namespace {

using check::Extent;

std::unexpected<Diag> refused(std::string message, std::string help) {
  return std::unexpected(make_diag(DiagCode::G015, Span::none(), std::move(message), std::move(help)));
}

/// Adds the sizes that a shape gives; what does not fit is refused later, by check::dimensions_of().
void add_sizes(std::span<const Extent> declared, std::span<const uint32_t> shape, check::Dimensions& sizes) {
  for (size_t axis = 0; axis < std::min(declared.size(), shape.size()); ++axis)
    if (const auto name = declared[axis].name()) sizes.emplace(*name, shape[axis]);
}

/// The dimension of a parameter that has no size.
std::optional<std::string> unknown_size(std::span<const Extent> declared, const check::Dimensions& sizes) {
  for (const Extent& size : declared) {
    const auto name = size.name();
    if (name && !sizes.contains(*name)) return std::string(*name);
  }
  return std::nullopt;
}

}  // namespace

Result<check::Dimensions> bind_dimensions(const check::TensorGraph& graph, const GivenTensors& given,
                                          const check::Dimensions& chosen, std::string_view option) {
  check::Dimensions sizes;
  std::vector<std::optional<std::vector<uint32_t>>> shapes;
  for (const auto& parameter : graph.parameters) {
    const auto& node = graph.nodes[parameter.node];
    const auto found = given.find(parameter.name);
    if (found == given.end()) {
      return refused(
          fmt::format("{} of {} is not given", vyre::quoted(parameter.name), vyre::quoted(graph.name)),
          fmt::format("it is {}", check::shape_text(node.type, node.shape)));
    }
    auto& shape = shapes.emplace_back(found->second.shape);
    // Of one axis, the number of elements is the shape.
    if (!shape && node.shape.size() == 1) shape = {uint32_t(found->second.elements)};
    if (shape) add_sizes(node.shape, *shape, sizes);
  }
  for (const auto& [name, size] : chosen) {
    if (!has_dimension(graph, name)) continue;
    const auto [known, fresh] = sizes.emplace(name, size);
    if (known->second == size) continue;
    return refused(fmt::format("{} is {} by what {} is given, and {} by what was said", vyre::quoted(name),
                               known->second, vyre::quoted(graph.name), size),
                   "shapes of arrays need no help: say only what they leave open");
  }
  std::vector<std::vector<uint32_t>> whole;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto& parameter = graph.parameters[i];
    const auto& node = graph.nodes[parameter.node];
    if (shapes[i]) {
      whole.push_back(*shapes[i]);
      continue;
    }
    const std::string declared = check::shape_text(node.type, node.shape);
    if (const auto unknown = unknown_size(node.shape, sizes)) {
      return refused(
          fmt::format("the size of {} is not known, an axis of {}: {}", vyre::quoted(*unknown),
                      vyre::quoted(parameter.name), declared),
          fmt::format("an array from a file says it, or {}", fmt::format(fmt::runtime(option), *unknown)));
    }
    auto& shape = whole.emplace_back();
    __extension__ unsigned __int128 elements = 1;
    for (const Extent& size : node.shape) {
      shape.push_back(uint32_t(*size.at(sizes)));
      elements = std::min<unsigned __int128>(elements * shape.back(), UINT64_MAX);
    }
    const uint64_t count = given.find(parameter.name)->second.elements;
    if (uint64_t(elements) != count) {
      return refused(fmt::format("{} has {} elements, and {} takes {}", vyre::quoted(parameter.name), count,
                                 check::shape_text(node.type, shape), uint64_t(elements)),
                     fmt::format("it is {}", declared));
    }
  }
  return check::dimensions_of(graph, whole);
}

bool has_dimension(const check::TensorGraph& graph, std::string_view name) {
  return std::ranges::any_of(graph.parameters, [&](const auto& parameter) {
    return std::ranges::any_of(graph.nodes[parameter.node].shape,
                               [&](const Extent& size) { return size.name() == name; });
  });
}

std::optional<std::string> first_without_size(const check::TensorGraph& graph,
                                              const check::Dimensions& sizes) {
  for (const auto& parameter : graph.parameters)
    if (auto name = unknown_size(graph.nodes[parameter.node].shape, sizes)) return name;
  return std::nullopt;
}

Result<Step> graph_step(const std::shared_ptr<const check::CheckedModule>& module, uint32_t graph,
                        const check::Dimensions& dimensions, const tensor::Options& options,
                        const std::filesystem::path& cache) {
  VYRE_TRY(sized, check::sized(module->graphs()[graph], dimensions));
  VYRE_TRY(lowered, plan::lowered(*module, graph, dimensions, sized, ops::op_table(), options, cache));
  Step out = Step::of(lowered, {ItemKind::Pipeline, 0});
  out.graph = std::make_shared<const StepGraph>(module, std::move(sized));
  return out;
}

void make_outputs(const Step& step, Buffers& buffers) {
  if (step.graph == nullptr) return;
  for (const auto& output : step.graph->sized.outputs) {
    NamedBuffer& buffer = buffers.by_name.find(output.name)->second;
    const auto& node = step.graph->sized.nodes[output.node];
    // Elements of four bits have a byte each here.
    buffer.bytes.assign(size_t(check::elements(node.shape)) * spec::info(node.type).bytes, std::byte{0});
  }
}

}  // namespace vyre::host
