// Graphs by hand: each function adds a node and gives its number; shapes follow from the operands.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "check/tensors.h"
#include "spec/ops.h"

namespace vyre::tensor {

using check::NodeOp;
using check::SizedNode;
using ir::Order;
using spec::DataType;
using spec::Op;
using Shape = std::vector<uint32_t>;

class GraphMaker {
 public:
  check::SizedGraph graph;

  explicit GraphMaker(std::string name = "g") { graph.name = std::move(name); }

  const Shape& shape(uint32_t n) const { return graph.nodes[n].shape; }
  DataType type(uint32_t n) const { return graph.nodes[n].type; }

  uint32_t add(NodeOp op, DataType element, Shape of, std::vector<uint32_t> operands = {}) {
    SizedNode& node = graph.nodes.emplace_back();
    node.op = op;
    node.type = element;
    node.shape = std::move(of);
    node.operands = std::move(operands);
    return uint32_t(graph.nodes.size()) - 1;
  }
  SizedNode& operator[](uint32_t n) { return graph.nodes[n]; }

  uint32_t parameter(Shape of, DataType element = DataType::F32) {
    const uint32_t number = uint32_t(graph.parameters.size());
    const uint32_t n = add(NodeOp::Parameter, element, std::move(of));
    graph.nodes[n].number = number;
    graph.parameters.push_back({"p" + std::to_string(number), n});
    return n;
  }
  void output(uint32_t n) { graph.outputs.push_back({"y" + std::to_string(graph.outputs.size()), n}); }

  uint32_t literal(DataType element, uint32_t bits) {
    const uint32_t n = add(NodeOp::Literal, element, {});
    graph.nodes[n].bits[0] = bits;
    return n;
  }
  uint32_t number(float value) { return literal(DataType::F32, std::bit_cast<uint32_t>(value)); }

  uint32_t broadcast(uint32_t t, const Shape& to) {
    return shape(t) == to ? t : add(NodeOp::Broadcast, type(t), to, {t});
  }
  /// Operands are broadcast to the shape of the first.
  uint32_t apply(Op op, std::vector<uint32_t> operands, DataType result) {
    for (uint32_t& o : operands) o = broadcast(o, Shape(shape(operands[0])));
    const uint32_t n = add(NodeOp::Apply, result, Shape(shape(operands[0])), operands);
    graph.nodes[n].scalar = op;
    return n;
  }
  uint32_t apply(Op op, std::vector<uint32_t> operands) {
    const DataType element = type(operands.back());
    return apply(op, std::move(operands), element);
  }
  uint32_t cast(uint32_t t, DataType to, spec::RoundingMode mode = spec::RoundingMode::None) {
    const uint32_t n = apply(Op::Cast, {t}, to);
    graph.nodes[n].mode = mode;
    return n;
  }
  uint32_t call(const spec::OpDef& operation, std::vector<uint32_t> operands) {
    const uint32_t n = add(NodeOp::Call, operation.signature.output, Shape(shape(operands[0])), operands);
    graph.nodes[n].operation = &operation;
    return n;
  }
  uint32_t transpose(uint32_t t, std::vector<uint32_t> axes) {
    Shape of;
    for (const uint32_t axis : axes) of.push_back(shape(t)[axis]);
    const uint32_t n = add(NodeOp::Transpose, type(t), of, {t});
    graph.nodes[n].axes = std::move(axes);
    return n;
  }
  uint32_t reshape(uint32_t t, Shape to) { return add(NodeOp::Reshape, type(t), std::move(to), {t}); }
  /// from, to, step an axis.
  uint32_t slice(uint32_t t, std::vector<uint32_t> ranges) {
    Shape of;
    for (size_t i = 0; i < ranges.size(); i += 3)
      of.push_back((ranges[i + 1] - ranges[i] + ranges[i + 2] - 1) / ranges[i + 2]);
    const uint32_t n = add(NodeOp::Slice, type(t), of, {t});
    graph.nodes[n].sizes = std::move(ranges);
    return n;
  }
  uint32_t concat(uint32_t axis, std::vector<uint32_t> parts) {
    Shape of = shape(parts[0]);
    of[axis] = 0;
    for (const uint32_t part : parts) of[axis] += shape(part)[axis];
    const uint32_t n = add(NodeOp::Concat, type(parts[0]), of, parts);
    graph.nodes[n].axis = axis;
    return n;
  }
  uint32_t pad(uint32_t t, std::vector<uint32_t> sizes, uint32_t value) {
    Shape of = shape(t);
    for (size_t i = 0; i < of.size(); ++i) of[i] += sizes[2 * i] + sizes[2 * i + 1];
    const uint32_t n = add(NodeOp::Pad, type(t), of, {t, value});
    graph.nodes[n].sizes = std::move(sizes);
    return n;
  }
  uint32_t gather(uint32_t t, uint32_t indices, uint32_t axis) {
    Shape of = shape(t);
    of.erase(of.begin() + axis);
    of.insert(of.begin() + axis, shape(indices).begin(), shape(indices).end());
    const uint32_t n = add(NodeOp::Gather, type(t), of, {t, indices});
    graph.nodes[n].axis = axis;
    return n;
  }
  uint32_t index(Shape of, uint32_t axis) {
    const uint32_t n = add(NodeOp::Index, DataType::U32, std::move(of));
    graph.nodes[n].axis = axis;
    return n;
  }
  uint32_t fold(NodeOp op, Op with, Order order, uint32_t t, uint32_t axis) {
    Shape of = shape(t);
    if (op == NodeOp::Reduce) of[axis] = 1;
    const uint32_t n = add(op, type(t), of, {t});
    graph.nodes[n].scalar = with;
    graph.nodes[n].order = order;
    graph.nodes[n].axis = axis;
    return n;
  }
  uint32_t reduce(Op with, uint32_t t, uint32_t axis, Order order = Order::Tree) {
    return fold(NodeOp::Reduce, with, spec::kFloats.contains(type(t)) ? order : Order::None, t, axis);
  }
  uint32_t matmul(uint32_t a, uint32_t b, uint32_t block = ir::kWholeBlock) {
    Shape of = shape(a);
    of.back() = shape(b).back();
    const DataType result = spec::kFloats.contains(type(a)) ? DataType::F32 : type(a);
    const uint32_t n = add(NodeOp::Matmul, result, of, {a, b});
    graph.nodes[n].block = block;
    return n;
  }
  /// Sort, Argsort, TopK, ArgTopK.
  uint32_t sort(NodeOp op, uint32_t t, uint32_t axis, uint32_t count = 0) {
    Shape of = shape(t);
    if (op == NodeOp::TopK || op == NodeOp::ArgTopK) of[axis] = count;
    const bool where = op == NodeOp::Argsort || op == NodeOp::ArgTopK;
    const uint32_t n = add(op, where ? DataType::U32 : type(t), of, {t});
    graph.nodes[n].axis = axis;
    return n;
  }
  uint32_t scatter_add(uint32_t t, uint32_t indices, uint32_t updates, uint32_t axis) {
    const uint32_t n = add(NodeOp::ScatterAdd, type(t), Shape(shape(t)), {t, indices, updates});
    graph.nodes[n].axis = axis;
    return n;
  }
  uint32_t recur(const spec::OpDef& operation, std::vector<uint32_t> operands, uint32_t axis) {
    const uint32_t n = add(NodeOp::Recur, type(operands[0]), Shape(shape(operands[1])), operands);
    graph.nodes[n].operation = &operation;
    graph.nodes[n].axis = axis;
    return n;
  }

  // Compositions, as docs/spec/graphs.md has them.
  uint32_t softmax(uint32_t x, uint32_t axis) {
    const uint32_t m = reduce(Op::FMax, x, axis);
    const uint32_t e = apply(Op::FExp, {apply(Op::FSub, {x, m})});
    return apply(Op::FDiv, {e, reduce(Op::FAdd, e, axis)});
  }
  uint32_t layer_norm(uint32_t x, uint32_t g, uint32_t b, uint32_t axis) {
    const uint32_t n = number(float(shape(x)[axis]));
    const uint32_t mean = apply(Op::FDiv, {reduce(Op::FAdd, x, axis), n});
    const uint32_t d = apply(Op::FSub, {x, mean});
    const uint32_t var = apply(Op::FDiv, {reduce(Op::FAdd, apply(Op::FMul, {d, d}), axis), n});
    const uint32_t root = apply(Op::FSqrt, {apply(Op::FAdd, {var, number(1e-5f)})});
    return apply(Op::FAdd, {apply(Op::FMul, {apply(Op::FDiv, {d, root}), g}), b});
  }
};

}  // namespace vyre::tensor
