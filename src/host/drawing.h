// A pipeline drawn: the text of a directed graph for Graphviz.
//
// Buffers and dispatches are nodes, numbered in the order of the text; an edge says that a dispatch reads or
// writes a buffer, by what its program does and not by what it might. Loops, repeats and branches are boxes
// around what stands in them, another pipeline that is run is one node. Source: docs/commands.md, "Drawings".
#pragma once

#include <cstdint>
#include <string>

#include "check/module.h"

namespace vyre::host {

/// The drawing of one pipeline of a module; the same module gives the same bytes. Cost  linear in the module,
/// and in the pipeline and what it runs.
std::string draw(const check::CheckedModule& module, uint32_t pipeline);

}  // namespace vyre::host
