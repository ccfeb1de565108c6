#include "graph_edit.h"

#include <algorithm>
#include <numeric>

#include "spec/ops.h"

namespace vyre::faults {

using spec::DataType;
using spec::Op;

SizedGraph GraphEdit::changed(const SizedGraph& graph, const OfNode& of_node, const OfNode& of_output) {
  GraphEdit edit;
  edit.to_.name = graph.name;
  std::vector<NodeId> now;
  for (SizedNode node : graph.nodes) {
    for (NodeId& operand : node.operands) operand = now[operand];
    const std::optional<NodeId> other = of_node ? of_node(edit, node) : std::nullopt;
    now.push_back(other ? *other : edit.add(std::move(node)));
  }
  edit.to_.parameters = graph.parameters;
  for (auto& parameter : edit.to_.parameters) parameter.node = now[parameter.node];
  edit.to_.outputs = graph.outputs;
  for (auto& output : edit.to_.outputs) {
    output.node = edit.last_ = now[output.node];
    if (!of_output) continue;
    const SizedNode node = edit[output.node];
    output.node = of_output(edit, node).value_or(output.node);
  }
  return std::move(edit.to_);
}

NodeId GraphEdit::add(SizedNode node) {
  to_.nodes.push_back(std::move(node));
  return NodeId(to_.nodes.size() - 1);
}

SizedNode GraphEdit::like(NodeOp op, NodeId x) const {
  return {.op = op, .type = to_.nodes[x].type, .shape = to_.nodes[x].shape, .operands = {x}};
}

NodeId GraphEdit::filled(DataType type, uint32_t bits, Shape shape) {
  const NodeId scalar = add({.op = NodeOp::Literal, .type = type, .bits = {bits}});
  return broadcast(scalar, shape);
}

NodeId GraphEdit::apply(Op op, std::initializer_list<NodeId> operands) {
  SizedNode node = like(NodeOp::Apply, *operands.begin());
  node.type = spec::result_type(op, node.type);
  node.operands = operands;
  node.scalar = op;
  return add(std::move(node));
}
NodeId GraphEdit::select(NodeId condition, NodeId then, NodeId otherwise) {
  SizedNode node = like(NodeOp::Apply, then);
  node.operands = {condition, then, otherwise};
  node.scalar = Op::Select;
  return add(std::move(node));
}
NodeId GraphEdit::cast(NodeId x, DataType type, spec::RoundingMode mode) {
  SizedNode node = like(NodeOp::Apply, x);
  node.scalar = Op::Cast;
  node.type = type;
  node.mode = mode;
  return add(std::move(node));
}
NodeId GraphEdit::bitcast(NodeId x, DataType type) {
  SizedNode node = like(NodeOp::Apply, x);
  node.scalar = Op::Bitcast;
  node.type = type;
  return add(std::move(node));
}

NodeId GraphEdit::slice(NodeId x, uint32_t axis, uint32_t from, uint32_t to, uint32_t step) {
  SizedNode node = like(NodeOp::Slice, x);
  for (uint32_t k = 0; k < node.shape.size(); ++k) {
    const std::array<uint32_t, 3> range =
        k == axis ? std::array{from, to, step} : std::array{0u, node.shape[k], 1u};
    node.sizes.insert(node.sizes.end(), range.begin(), range.end());
  }
  node.shape[axis] = (to - from + step - 1) / step;
  return add(std::move(node));
}
NodeId GraphEdit::pad(NodeId x, uint32_t axis, uint32_t before, uint32_t behind, uint32_t bits) {
  SizedNode node = like(NodeOp::Pad, x);
  node.operands.push_back(add({.op = NodeOp::Literal, .type = node.type, .bits = {bits}}));
  node.sizes.assign(2 * node.shape.size(), 0);
  node.sizes[2 * axis] = before;
  node.sizes[2 * axis + 1] = behind;
  node.shape[axis] += before + behind;
  return add(std::move(node));
}
NodeId GraphEdit::reshape(NodeId x, const Shape& shape) {
  SizedNode node = like(NodeOp::Reshape, x);
  node.shape = shape;
  return add(std::move(node));
}
NodeId GraphEdit::broadcast(NodeId x, const Shape& shape) {
  SizedNode node = like(NodeOp::Broadcast, x);
  node.shape = shape;
  return add(std::move(node));
}
NodeId GraphEdit::transpose(NodeId x, const std::vector<uint32_t>& axes) {
  SizedNode node = like(NodeOp::Transpose, x);
  for (size_t k = 0; k < axes.size(); ++k) node.shape[k] = to_.nodes[x].shape[axes[k]];
  node.axes = axes;
  return add(std::move(node));
}
NodeId GraphEdit::concat(uint32_t axis, const std::vector<NodeId>& parts) {
  SizedNode node = like(NodeOp::Concat, parts[0]);
  node.axis = axis;
  node.operands = parts;
  node.shape[axis] = 0;
  for (const NodeId part : parts) node.shape[axis] += to_.nodes[part].shape[axis];
  return add(std::move(node));
}
NodeId GraphEdit::index(const Shape& shape, uint32_t axis) {
  return add({.op = NodeOp::Index, .type = DataType::U32, .shape = shape, .axis = axis});
}
NodeId GraphEdit::gather(NodeId x, NodeId indices, uint32_t axis) {
  SizedNode node = like(NodeOp::Gather, x);
  const Shape& of = to_.nodes[indices].shape;
  node.shape.erase(node.shape.begin() + axis);
  node.shape.insert(node.shape.begin() + axis, of.begin(), of.end());
  node.operands.push_back(indices);
  node.axis = axis;
  return add(std::move(node));
}
NodeId GraphEdit::reversed(NodeId x, uint32_t axis) {
  const uint32_t size = to_.nodes[x].shape[axis];
  return gather(x, apply(Op::Sub, {filled(DataType::U32, size - 1, {size}), index({size}, 0)}), axis);
}
NodeId GraphEdit::with(SizedNode node, std::vector<NodeId> operands, uint32_t size_along) {
  node.operands = std::move(operands);
  node.shape[node.axis] = size_along;
  return add(std::move(node));
}
NodeId GraphEdit::with(SizedNode node, std::vector<NodeId> operands) {
  node.operands = std::move(operands);
  return add(std::move(node));
}

}  // namespace vyre::faults
