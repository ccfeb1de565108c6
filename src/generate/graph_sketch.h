// A graph as a tree of plain values: what generators write and shrinkers cut.
//
// ir::Graph keeps its expressions in an arena where each stands once and behind its operands, which is good
// for walking and bad for changing. A sketch has no such order: any part may be replaced, and to_graph() lays
// it out again. Internal to generate.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace vyre::generate {

/// A size: a number, a dimension, or an operator on two sizes (Call: ceil_div).
struct SizeTree {
  uint32_t number = 0;
  std::string name;             // of a dimension; empty: no name
  ir::Op op{};                  // where there are parts
  std::vector<SizeTree> parts;  // none or two
  bool operator==(const SizeTree&) const = default;
};

/// An expression over tensors.
struct ValueTree {
  ir::ExprKind kind = ir::ExprKind::Literal;  // or Var, Apply
  ir::Op op{};
  ir::DataType type{};              // of the literal; Cast, Bitcast: the target
  ir::RoundingMode mode{};          // Cast
  std::string name;                 // Var: the tensor; Call: the operation or graph
  uint32_t version = 1;             // Call
  std::array<uint32_t, 4> bits{};   // of the literal
  std::vector<ValueTree> operands;  // Apply
};

struct SketchedTensor {
  std::string name;
  ir::DataType type{};
  std::vector<SizeTree> sizes;
};

struct SketchedCommand {
  ir::TensorOp op{};
  std::vector<std::string> names;
  std::vector<ValueTree> operands;
  std::vector<SizeTree> sizes;
  std::vector<uint32_t> axes;
  ir::Op fold{};
  ir::Order order = ir::Order::None;
  std::string callee;  // Recur
  uint32_t version = 1;
  ir::DataType type = ir::DataType::F32;
  uint32_t block = ir::kWholeBlock;
  bool typed = false;
};

struct GraphSketch {
  std::string name;
  uint32_t version = 1;
  std::vector<SketchedTensor> parameters, outputs;
  std::vector<SketchedCommand> commands;
};

ir::Graph to_graph(const GraphSketch& sketch);
/// Domain: a graph that check accepts.
GraphSketch sketch_of(const ir::Graph& graph);

}  // namespace vyre::generate
