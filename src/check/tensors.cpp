#include "check/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/names.h"

namespace vyre::check {
namespace {

using spec::DataType;

template <typename Shape, typename Text>
std::string text_of_shape(DataType type, const Shape& shape, const Text& text) {
  std::string sizes;
  for (const auto& size : shape) sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", text(size));
  return fmt::format("{}[{}]", spec::text(type), sizes);
}

std::optional<Extent> product_of(std::span<const Extent> shape) {
  if (std::ranges::find(shape, Extent(0)) != shape.end()) return Extent(0);
  std::optional<Extent> out = Extent(1);
  for (const Extent& size : shape) {
    if (!out) return out;
    out = Extent::product(*out, size);
  }
  return out;
}

/// Whether a is below b at every size that dimensions may have, as far as a number says it.
bool surely_below(const Extent& a, const Extent& b) {
  // Nearly all there is: numbers, and names beside numbers.
  if (a.number() && b.number()) return *a.number() < *b.number();
  if (a.number() || b.number()) return false;
  const auto difference = Extent::difference(a, b);
  return difference && difference->number() && *difference->number() < 0;
}

/// Of small types so many that those that fill a last word are counted by a u32 too.
bool has_too_many_elements(spec::DataType type, std::span<const Extent> shape) {
  const int64_t most = kMaxElements - (spec::is_small(type) ? 7 : 0);
  bool known = true, empty = false;
  __extension__ unsigned __int128 product = 1;
  for (const Extent& size : shape) {
    const auto number = size.number();
    known = known && number;
    if (!number) continue;
    if (*number > most) return true;
    empty = empty || *number == 0;
    if (product <= uint64_t(most)) product *= uint64_t(*number);
  }
  return known && !empty && product > uint64_t(most);
}

std::optional<Diag> slice_fault(const TensorNode<Extent>& node, std::span<const Extent> operand) {
  for (size_t axis = 0; axis < operand.size(); ++axis) {
    const Extent &from = node.sizes[3 * axis], &to = node.sizes[3 * axis + 1],
                 &step = node.sizes[3 * axis + 2];
    const char* wrong = surely_below(step, 1)             ? "its step is below 1"
                        : surely_below(from, 0)           ? "it begins below 0"
                        : surely_below(to, from)          ? "it ends before it begins"
                        : surely_below(operand[axis], to) ? "it ends behind the axis"
                                                          : nullptr;
    if (wrong == nullptr) continue;
    return make_diag(DiagCode::G006, node.span,
                     fmt::format("slice {}..{} step {} of axis {} of {}: {}", from.text(), to.text(),
                                 step.text(), axis, shape_text(node.type, operand), wrong),
                     fmt::format("the axis has the elements 0..{}; what lies outside comes from pad",
                                 operand[axis].text()));
  }
  return std::nullopt;
}

std::optional<Diag> reshape_fault(const TensorNode<Extent>& node, std::span<const Extent> operand) {
  const auto before = product_of(operand), after = product_of(node.shape);
  if (!before || !after || *before == *after) return std::nullopt;
  const auto difference = Extent::difference(*before, *after);
  // Quotients that differ here may be equal at every size.
  if (!difference || (!difference->number() && difference->has_quotient())) return std::nullopt;
  return make_diag(DiagCode::G007, node.span,
                   fmt::format("{} has {} elements, and {} has {}", shape_text(node.type, operand),
                               before->text(), shape_text(node.type, node.shape), after->text()),
                   "a reshape keeps their number");
}

std::string text_of(const Dimensions& dimensions) {
  std::string out;
  for (const auto& [name, size] : dimensions)
    out += fmt::format("{}{} = {}", out.empty() ? "where " : ", ", quoted(name), size);
  return out;
}

}  // namespace

std::string shape_text(DataType type, std::span<const Extent> shape) {
  return text_of_shape(type, shape, [](const Extent& size) { return size.text(); });
}
std::string shape_text(DataType type, std::span<const uint32_t> shape) {
  return text_of_shape(type, shape, [](uint32_t size) { return size; });
}

std::optional<Diag> find_fault(const TensorNode<Extent>& node, std::span<const Extent> operand) {
  if (node.shape.size() > kMaxAxes) {
    return make_diag(DiagCode::G016, node.span, fmt::format("a tensor of {} axes", node.shape.size()),
                     fmt::format("at most {} are allowed: join some with reshape", kMaxAxes));
  }
  if (node.op == NodeOp::Slice) {
    if (auto fault = slice_fault(node, operand)) return fault;
  }
  for (const Extent& size : node.op == NodeOp::Pad ? node.sizes : node.shape) {
    if (!surely_below(size, 0)) continue;
    return make_diag(DiagCode::G014, node.span,
                     node.op == NodeOp::Pad
                         ? fmt::format("a pad by {}, which is below 0", size.text())
                         : fmt::format("{}, with a size below 0", shape_text(node.type, node.shape)),
                     node.op == NodeOp::Pad ? "take elements away with slice" : "sizes are 0 or more");
  }
  if (has_too_many_elements(node.type, node.shape)) {
    return make_diag(DiagCode::G005, node.span,
                     fmt::format("{} has more than {} elements", shape_text(node.type, node.shape),
                                 spec::is_small(node.type) ? "4,294,967,288" : "4,294,967,295"),
                     "split the tensor, or reduce it earlier");
  }
  if (node.op == NodeOp::Reshape) return reshape_fault(node, operand);
  if (node.op == NodeOp::TopK || node.op == NodeOp::ArgTopK) {
    const Extent& size = operand[node.axis];
    if (surely_below(size, node.sizes[0])) {
      return make_diag(DiagCode::G020, node.span,
                       fmt::format("the {} greatest of axis {} of {}", node.sizes[0].text(), node.axis,
                                   shape_text(node.type, operand)),
                       fmt::format("k is at most {}", size.text()));
    }
  }
  return std::nullopt;
}

Result<Dimensions> dimensions_of(const TensorGraph& graph, std::span<const std::vector<uint32_t>> shapes) {
  const auto refuse = [](std::string message, std::string help) {
    return std::unexpected(make_diag(DiagCode::G015, Span::none(), std::move(message), std::move(help)));
  };
  if (shapes.size() != graph.parameters.size()) {
    return refuse(fmt::format("{} takes {} tensors, not {}", quoted(graph.name), graph.parameters.size(),
                              shapes.size()),
                  "give each parameter one tensor");
  }
  Dimensions out;
  std::map<std::string, std::string, std::less<>> from;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto& parameter = graph.parameters[i];
    const auto& node = graph.nodes[parameter.node];
    const std::string shown =
        fmt::format("{} of {}: {} is given {}", quoted(parameter.name), quoted(graph.name),
                    shape_text(node.type, node.shape), shape_text(node.type, shapes[i]));
    if (shapes[i].size() != node.shape.size())
      return refuse(shown, fmt::format("give it a tensor of {} axes", node.shape.size()));
    for (size_t axis = 0; axis < node.shape.size(); ++axis) {
      const uint32_t size = shapes[i][axis];
      if (const auto number = node.shape[axis].number()) {
        if (*number != size) return refuse(shown, fmt::format("axis {} has the size {}", axis, *number));
        continue;
      }
      const std::string name(*node.shape[axis].name());
      const auto [known, fresh] = out.emplace(name, size);
      if (fresh) from.emplace(name, parameter.name);
      if (known->second != size) {
        return refuse(shown, fmt::format("axis {} has the size {}, as {} says", axis, known->second,
                                         quoted(from.find(name)->second)));
      }
    }
  }
  return out;
}

Result<SizedGraph> sized(const TensorGraph& graph, const Dimensions& dimensions) {
  SizedGraph out;
  out.name = graph.name;
  for (const auto& parameter : graph.parameters) out.parameters.push_back({parameter.name, parameter.node});
  for (const auto& output : graph.outputs) out.outputs.push_back({output.name, output.node});
  for (const auto& tensor : graph.named) out.named.push_back({tensor.name, tensor.node});
  out.nodes.reserve(graph.nodes.size());
  const auto add_place = [&](Diag diag) {
    if (!dimensions.empty()) diag.message += " " + text_of(dimensions);
    return std::unexpected(std::move(diag));
  };
  // The numbers as Extents, so that one rule judges both.
  const auto as_extents = [](std::span<const uint32_t> shape) {
    return std::vector<Extent>(shape.begin(), shape.end());
  };
  for (const TensorNode<Extent>& node : graph.nodes) {
    TensorNode<Extent> at = node;
    for (auto* sizes : {&at.shape, &at.sizes}) {
      for (Extent& size : *sizes) {
        const auto number = size.at(dimensions);
        if (number) {
          size = Extent(*number);
          continue;
        }
        bool named = true;
        (void)size.with([&](std::string_view name) {
          named = named && dimensions.contains(name);
          return Extent(0);
        });
        return add_place(make_diag(
            named ? DiagCode::G005 : DiagCode::G015, node.span,
            named ? fmt::format("{} does not fit 64 bits", size.text())
                  : fmt::format("{} of {} has no size", size.text(), quoted(graph.name)),
            named ? "make the dimensions smaller" : "each dimension gets its size from a parameter"));
      }
    }
    const auto operand =
        node.operands.empty() ? std::vector<Extent>() : as_extents(out.nodes[node.operands[0]].shape);
    if (auto fault = find_fault(at, operand)) return add_place(std::move(*fault));
    SizedNode made = {.op = node.op,
                      .type = node.type,
                      .shape = {},
                      .operands = node.operands,
                      .number = node.number,
                      .bits = node.bits,
                      .scalar = node.scalar,
                      .mode = node.mode,
                      .operation = node.operation,
                      .axes = node.axes,
                      .axis = node.axis,
                      .sizes = {},
                      .order = node.order,
                      .block = node.block,
                      .span = node.span};
    for (const Extent& size : at.shape) made.shape.push_back(uint32_t(*size.number()));
    for (const Extent& size : at.sizes)
      made.sizes.push_back(uint32_t(std::min(*size.number(), kMaxElements)));
    if (node.op == NodeOp::Literal && !made.sizes.empty()) {
      made.bits = {made.sizes[0], 0, 0, 0};
      made.sizes.clear();
    }
    out.nodes.push_back(std::move(made));
  }
  return out;
}

}  // namespace vyre::check
