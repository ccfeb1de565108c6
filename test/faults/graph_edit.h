// Changes of graphs: what a lowering with a fault makes a pipeline of in the place of what it was given.
//
// A wrong kernel is said as another graph: a product whose last row is lost is one of all rows but the last,
// padded with zeros. So a fault of any kernel is a few lines, and what it computes is known.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "check/tensors.h"

namespace vyre::faults {

using check::NodeOp;
using check::SizedGraph;
using check::SizedNode;
using Shape = std::vector<uint32_t>;
using NodeId = uint32_t;

/// The new graph while the old one is copied, node by node.
class GraphEdit {
 public:
  /// What stands in the place of a node, whose operands are of the new graph; nothing: the node.
  using OfNode = std::function<std::optional<NodeId>(GraphEdit&, const SizedNode&)>;

  /// The graph with another node in the place of each that `of_node` changes, and behind each output what
  /// `of_output` makes of it.
  static SizedGraph changed(const SizedGraph& graph, const OfNode& of_node, const OfNode& of_output = {});

  NodeId add(SizedNode node);
  const SizedNode& operator[](NodeId id) const { return to_.nodes[id]; }
  /// The number of a node that was just given to `of_output`.
  NodeId last() const { return last_; }

  // Each operation by its operands. Types and shapes follow from them.
  NodeId filled(spec::DataType type, uint32_t bits, Shape shape);
  NodeId apply(spec::Op op, std::initializer_list<NodeId> operands);
  NodeId select(NodeId condition, NodeId then, NodeId otherwise);
  NodeId cast(NodeId x, spec::DataType type, spec::RoundingMode mode = spec::RoundingMode::None);
  NodeId bitcast(NodeId x, spec::DataType type);
  NodeId slice(NodeId x, uint32_t axis, uint32_t from, uint32_t to, uint32_t step = 1);
  NodeId pad(NodeId x, uint32_t axis, uint32_t before, uint32_t behind, uint32_t bits = 0);
  NodeId reshape(NodeId x, const Shape& shape);
  NodeId broadcast(NodeId x, const Shape& shape);
  NodeId transpose(NodeId x, const std::vector<uint32_t>& axes);
  NodeId concat(uint32_t axis, const std::vector<NodeId>& parts);
  NodeId index(const Shape& shape, uint32_t axis);
  NodeId gather(NodeId x, NodeId indices, uint32_t axis);
  NodeId reversed(NodeId x, uint32_t axis);
  /// The node with other operands, and with the shape that it has for them along its axis.
  NodeId with(SizedNode node, std::vector<NodeId> operands, uint32_t size_along);
  NodeId with(SizedNode node, std::vector<NodeId> operands);

 private:
  SizedNode like(NodeOp op, NodeId x) const;

  SizedGraph to_;
  NodeId last_ = 0;
};

}  // namespace vyre::faults
