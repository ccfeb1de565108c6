// What lowering knows of each kind of node, a row a kind: the one place to add one.
//
// A node is an expression of coordinates, or it has a kernel, which is written by dispatches of its own
// (kernels.h). Of expressions, views are other coordinates of their operand and nothing else; a choice looks
// at the coordinates and takes one of its operands.
#pragma once

#include "spec/table.h"
#include "tensor/kernels.h"

namespace vyre::tensor {

enum class NodeKind : uint8_t { Leaf, Elementwise, View, Choice, Kernel };

struct NodeRow {
  NodeKind kind{};
  double cost = 0;  // of an element, in simple operators; of Elementwise it hangs on the operator
  void (*write)(Assembly&, const KernelWork&) = nullptr;  // Kernel
};

/// What it costs to read an element from memory, or to write one.
inline constexpr double kLoad = 4, kStore = 4;

inline constexpr spec::Row<check::NodeOp, NodeRow> kNodeRows[] = {
    {check::NodeOp::Parameter, {NodeKind::Leaf, kLoad}},
    {check::NodeOp::Literal, {NodeKind::Leaf}},
    {check::NodeOp::Apply, {NodeKind::Elementwise}},
    {check::NodeOp::Call, {NodeKind::Elementwise}},
    {check::NodeOp::Transpose, {NodeKind::View}},
    {check::NodeOp::Slice, {NodeKind::View}},
    {check::NodeOp::Broadcast, {NodeKind::View}},
    {check::NodeOp::Reshape, {NodeKind::View}},
    {check::NodeOp::Index, {NodeKind::View}},
    {check::NodeOp::Concat, {NodeKind::Choice, 3}},
    {check::NodeOp::Pad, {NodeKind::Choice, 3}},
    {check::NodeOp::Gather, {NodeKind::Choice, 3}},
    {check::NodeOp::ScatterAdd, {NodeKind::Kernel, kLoad, write_scatter_add}},
    {check::NodeOp::Reduce, {NodeKind::Kernel, kLoad, write_reduce}},
    {check::NodeOp::Scan, {NodeKind::Kernel, kLoad, write_scan}},
    {check::NodeOp::Recur, {NodeKind::Kernel, kLoad, write_recur}},
    {check::NodeOp::Matmul, {NodeKind::Kernel, kLoad, write_matmul}},
    {check::NodeOp::Sort, {NodeKind::Kernel, kLoad, write_sort}},
    {check::NodeOp::Argsort, {NodeKind::Kernel, kLoad, write_sort}},
    {check::NodeOp::TopK, {NodeKind::Kernel, kLoad, write_sort}},
    {check::NodeOp::ArgTopK, {NodeKind::Kernel, kLoad, write_sort}},
};
inline constexpr spec::TotalTable<kNodeRows> kNodes;

constexpr NodeKind kind_of(check::NodeOp op) { return kNodes[op].kind; }
constexpr bool has_kernel(check::NodeOp op) { return kind_of(op) == NodeKind::Kernel; }
constexpr bool is_leaf(check::NodeOp op) { return kind_of(op) == NodeKind::Leaf; }

static_assert([] {
  for (const auto& row : kNodeRows) {
    if ((row.value.write != nullptr) != (row.value.kind == NodeKind::Kernel)) return false;
  }
  return true;
}());

/// What nodes with kernels take and give has at most so many elements: all that kernels count, with what they
/// round up and where they look behind an end, is below 2^32 then.
inline constexpr uint64_t kMostOfKernels = 1ull << 31;

}  // namespace vyre::tensor
