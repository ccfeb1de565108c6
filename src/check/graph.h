// The rules of graphs: what names stand for, which tensors each operation takes, and the shape of every
// result.
//
// A graph becomes a TensorGraph, with nothing in it that has to be looked up: expressions are taken apart to
// a node an operator, operands are stretched by nodes of their own, and a call of a graph of the file is the
// nodes of that graph over the caller's tensors and dimensions. Shapes are compared as Extents, so what fits
// here fits at every size; what only sizes can decide is left to sized(). Operators and operations of scalars
// keep the rules that they have in programs. Source: docs/spec/graphs.md.
#pragma once

#include <vector>

#include "check/body.h"
#include "check/report.h"
#include "check/tensors.h"
#include "ir/module.h"

namespace vyre::check {

struct CheckedGraphs {
  std::vector<TensorGraph> graphs;  // in the module's order; of one that broke a rule nothing is promised
  std::vector<BodyResult> bodies;   // in the same order: the operations of scalars that they call
};

/// All graphs of a module. `ops` has the operations of the library and the file. Cost: linear in the graphs
/// with their calls inlined, which are limited.
CheckedGraphs check_graphs(const ir::Module& module, const spec::OpTable& ops, Report& report);

}  // namespace vyre::check
