// The kernels of what is more than an expression: reductions, scans, recurrences, products of matrices,
// sorting and scattered sums.
//
// Each adds its dispatches to an assembly. Its operands are Elements, so what computes them is part of the
// kernel, and its result goes to a Sink, so what is computed of it is as well; the sink gets every coordinate
// of the node's shape exactly once. Elements are asked for places outside of their shapes too, where a branch
// would cost more; those values are not used. Orders are those of docs/spec/graphs.md, whatever the shape: a
// kernel that is chosen for a shape changes no bit.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "tensor/assembly.h"

namespace vyre::tensor {

struct MatmulTile;  // tensor/matmul.h

/// Choices that were measured and are taken instead of those that are worked out: by the class of a product
/// (matmul.h) the name of its tile. None of them changes a bit.
using Tuned = std::map<std::string, std::string, std::less<>>;

struct KernelWork {
  const check::SizedNode& node;
  std::span<const check::SizedNode* const> operands;  // their shapes and types
  std::span<const Element> elements;                  // one an operand
  Sink sink;
  Device device = Device::Gpu;
  const MatmulTile* tile = nullptr;  // of products; null: by cost
  const Tuned* tuned = nullptr;
};

void write_reduce(Assembly& assembly, const KernelWork& work);
void write_scan(Assembly& assembly, const KernelWork& work);
void write_recur(Assembly& assembly, const KernelWork& work);
void write_matmul(Assembly& assembly, const KernelWork& work);
void write_sort(Assembly& assembly, const KernelWork& work);  // Sort, Argsort, TopK, ArgTopK
void write_scatter_add(Assembly& assembly, const KernelWork& work);

}  // namespace vyre::tensor
