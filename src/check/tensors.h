// A graph as it is computed: tensors one after the other, each an operation on earlier ones.
//
// The checker flattens a graph: expressions are nodes, one an operator, calls of graphs are the nodes of
// those, and every node has its shape. Sizes are Extents, polynomials over the names of dimensions, as long
// as dimensions have no sizes (TensorGraph), and numbers once they have (SizedGraph), which is what the
// reference computes and what is lowered. Source: docs/spec/graphs.md.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/extent.h"
#include "ir/graph.h"
#include "spec/op.h"
#include "spec/operation.h"

namespace vyre::check {

/// What a node is: a leaf, an operator or an operation of scalars on every element, whose operands are
/// broadcast already (nodes of their own), or one of ir::TensorOp but Value, which the checker takes apart.
enum class NodeOp : uint8_t {
  Parameter,  // which: `number`
  Literal,    // of no axis: a scalar
  Apply,      // an operator
  Call,       // an operation
#define VYRE_TENSOR_VALUE(tag, Name, text, operands, list)
#define VYRE_TENSOR_OP(tag, Name, text, operands, list) Name,
#include "ir/tensor_ops.def"
#undef VYRE_TENSOR_OP
};
inline constexpr size_t kFirstTensorOp = size_t(NodeOp::Call) + 1;
inline constexpr size_t kNodeOpCount = kFirstTensorOp + ir::kTensorOpCount - 1;
/// Its row of the ledger; none of those that are no operation on whole tensors.
constexpr const ir::TensorOpInfo* tensor_op(NodeOp op) {
  return size_t(op) < kFirstTensorOp ? nullptr : &ir::kTensorOps[size_t(op) - kFirstTensorOp + 1];
}
constexpr NodeOp node_op(ir::TensorOp op) { return NodeOp(kFirstTensorOp + size_t(op) - 1); }
static_assert(tensor_op(NodeOp::Matmul)->op == ir::TensorOp::Matmul &&
              node_op(ir::TensorOp::Matmul) == NodeOp::Matmul);
}  // namespace vyre::check

template <>
struct vyre::spec::KeyCount<vyre::check::NodeOp> {
  static constexpr size_t value = vyre::check::kNodeOpCount;
};

namespace vyre::check {

template <typename Size>
struct TensorNode {
  NodeOp op{};
  spec::DataType type{};           // of its elements
  std::vector<Size> shape;         // empty: a scalar; of Broadcast and Reshape, to what
  std::vector<uint32_t> operands;  // earlier nodes; of Matmul with as many axes as the result
  uint32_t number = 0;             // Parameter
  std::array<uint32_t, 4> bits{};  // Literal; of a TensorGraph, the size in `sizes` if there is one
  spec::Op scalar{};               // Apply (Cast and Bitcast go to `type`); Reduce and Scan: the fold,
                                   // of integers AtomicMin and AtomicMax for min and max
  spec::RoundingMode mode{};       // Apply of Cast
  const spec::OpDef* operation = nullptr;  // Call, Recur
  std::vector<uint32_t> axes;              // Transpose
  uint32_t axis = 0;
  std::vector<Size> sizes;  // Slice: from, to, step an axis; Pad: before, behind an axis; TopK, ArgTopK: k
  ir::Order order = ir::Order::None;
  uint32_t block = ir::kWholeBlock;  // Matmul, whose accumulator is `type`
  Span span;                         // where it stands in its text
};

template <typename Size>
struct TensorGraphOf {
  struct Output {
    std::string name;
    uint32_t node = 0;
  };
  struct Parameter {
    std::string name;
    uint32_t node = 0;
  };
  std::string name;
  std::vector<TensorNode<Size>> nodes;
  std::vector<Parameter> parameters;
  std::vector<Output> outputs;  // of the declared shapes
  std::vector<Output> named;    // what else is used and has a name in the text of this graph, for tools
};
using TensorGraph = TensorGraphOf<Extent>;
using SizedGraph = TensorGraphOf<uint32_t>;
using SizedNode = TensorNode<uint32_t>;

/// Limits of graphs. Source: docs/spec/graphs.md, "Tensors and names", "What is an error".
inline constexpr size_t kMaxAxes = 8;
inline constexpr size_t kMaxGraphNodes = 1'048'576;
inline constexpr int64_t kMaxElements = 0xffffffff;

/// "f32[b, 4]".
std::string shape_text(spec::DataType type, std::span<const Extent> shape);
std::string shape_text(spec::DataType type, std::span<const uint32_t> shape);

/// What of a node is known to be wrong, whatever sizes dimensions have: sizes below 0, too many elements,
/// a slice, reshape or top_k that does not fit `operand`, the shape of its first operand. Where it stands is
/// the node's span.
std::optional<Diag> find_fault(const TensorNode<Extent>& node, std::span<const Extent> operand);

/// Sizes of dimensions, by name.
using Dimensions = std::map<std::string, uint32_t, std::less<>>;

/// The sizes of the dimensions from the shapes of the parameters, in their order.
/// Errors  G015: a shape that does not fit its parameter, or two that give a dimension different sizes.
Result<Dimensions> dimensions_of(const TensorGraph& graph, std::span<const std::vector<uint32_t>> shapes);

/// The graph at these sizes.
/// Errors  G codes: a negative size, a tensor of more than 2^32 - 1 elements, a slice outside of its axis, a
///         reshape to another number of elements, a dimension without a size; with the sizes and the place.
Result<SizedGraph> sized(const TensorGraph& graph, const Dimensions& dimensions);

/// The product of a shape, which is below 2^32 in a SizedGraph.
inline uint32_t elements(std::span<const uint32_t> shape) {
  uint32_t product = 1;
  for (const uint32_t size : shape) product *= size;
  return product;
}

/// Bytes of a tensor's elements, one behind the other; of fp4 the low half of a byte is before the high one.
inline uint64_t memory_bytes(const SizedNode& node) {
  return spec::packed_bytes(node.type, elements(node.shape));
}

}  // namespace vyre::check
