// A pipeline or a graph drawn: the text of a directed graph for Graphviz.
//
// Buffers and dispatches are nodes, numbered in the order of the text; an edge says that a dispatch reads or
// writes a buffer, by what its program does and not by what it might. Loops, repeats and branches are boxes
// around what stands in them, another pipeline that is run is one node. Of a graph of tensors every operation
// is a node, with its type and shape; where dimensions have sizes, boxes are the kernels that compute it, and
// what has a grey border stays within its kernel. Source: docs/commands.md, "Drawings".
#pragma once

#include <cstdint>
#include <string>

#include "check/module.h"

namespace vyre::host {

/// The drawing of one pipeline of a module; the same module gives the same bytes. Cost  linear in the module,
/// and in the pipeline and what it runs.
std::string draw(const check::CheckedModule& module, uint32_t pipeline);

/// A graph of tensors, its sizes as they are written. Cost  linear in the graph, calls inlined.
std::string draw_graph(const check::TensorGraph& graph);
/// The same at these sizes, with the kernels that it becomes. Cost  of planning it.
std::string draw_graph(const check::SizedGraph& graph, const check::Dimensions& dimensions);

}  // namespace vyre::host
