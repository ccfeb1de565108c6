// Graphs: what each operation on tensors means, as a loop nest.
//
// This is the definition of graphs. A node is computed once its operands are, by one small function an
// operation, in a table that is total over check::NodeOp at compile time. The functions are written to be
// read beside the specification: no kernels, no tiles, no fusion, and of every sum the order that is fixed
// there. Elements are computed by ref/eval.h, and calls of operations by the evaluator of programs. Whatever
// runs a graph in another way is compared with this one, so nothing here is shared with the layer `tensor`.
// Source: docs/spec/graphs.md; docs/spec/floats.md, "Reductions".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "check/module.h"
#include "check/tensors.h"
#include "ref/ref.h"

namespace vyre::ref {

/// The outputs of a graph, row-major, in the order of its outputs. `module` has the bodies of the operations
/// that the graph calls. `options.max_steps` are those that one call of an operation may take.
///
/// Domain  a graph that sized() gave: operands are earlier nodes, and shapes are what operations make of
///         theirs.
/// Shape   inputs: one a parameter, in their order, row-major.
/// Errors  X009 for another number of inputs, X007 for one that has not the bytes of its shape, X006 for a
///         tensor of more than 64 MiB, B003 when max_steps are used up.
/// Cost    of each element of each node once; a tensor is given up behind its last use.
Result<std::vector<Bytes>> run_graph(const check::CheckedModule& module, const check::SizedGraph& graph,
                                     std::span<const std::span<const std::byte>> inputs,
                                     const Options& options = {});

}  // namespace vyre::ref
